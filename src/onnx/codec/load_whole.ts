import { decodeModel, encodeModel } from "./codec.ts";
import { loadExternalData } from "./external_data.ts";
import { loadModel } from "../session/session_model.ts";
import type { ModelSource } from "../session/session_source.ts";

/** A self-contained model. Weights from other files are included in its bytes. */
export interface WholeModel {
  /** Bytes of the model. */
  readonly bytes: Uint8Array;
  /** Name of the model in error messages. By default, the last part of the address, or "a model" for bytes. */
  readonly name: string;
}

/**
 * Reads a model, and includes its external weights in its bytes.
 *
 * @throws {SyntaxError} if the file is not a model
 * @throws {Error} if a file cannot be read
 */
export async function loadWhole(
  source: ModelSource,
  options: { readonly name?: string; readonly signal?: AbortSignal } = {},
): Promise<WholeModel> {
  const { bytes, name, external } = await loadModel(source, options);
  if (Object.keys(external).length === 0) return { bytes, name };
  const model = decodeModel(bytes, { name });
  await loadExternalData(model, (location) => external[location]!);
  return { bytes: encodeModel(model), name };
}
