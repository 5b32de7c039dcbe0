/**
 * Feeds of real models from their references, and the results of PyTorch in float64.
 *
 * @module
 */

import type { FeedsByInput, TensorArray, TensorInfo } from "../../src/onnx/mod.ts";
import { readReference, type ReferenceTensor } from "./shared_models.ts";

const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array };

/** The numbers of a stored tensor. */
export function decode({ type, b64 }: ReferenceTensor): TensorArray {
  return new ARRAYS[type as keyof typeof ARRAYS](Uint8Array.fromBase64(b64).buffer);
}

/** The reference of `schnet_e` and `schnet_ef` is that of `schnet`. */
function referenceName(model: string): string {
  return model.replace(/_ef?$/, "");
}

/** The inputs that a session has of the stored batch. */
export function feedsOf(
  model: string,
  session: { readonly inputs: readonly Pick<TensorInfo, "name">[] },
): FeedsByInput {
  const { inputs } = readReference(referenceName(model));
  return Object.fromEntries(session.inputs.map(({ name }) => {
    const tensor = inputs[name]!;
    return [name, { data: decode(tensor), dims: tensor.dims }];
  }));
}

/** Output → its numbers. */
export function referenceOf(model: string): Readonly<Record<string, readonly number[]>> {
  const { outputs } = readReference(referenceName(model));
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => [name, Array.from(decode(tensor), Number)]),
  );
}
