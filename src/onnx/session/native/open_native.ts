import { decodeModel, encodeModel } from "../../codec/codec.ts";
import { loadExternalData } from "../../codec/external_data.ts";
import { admitSession } from "../admit_session.ts";
import { orderedForm } from "../ordered_form.ts";
import { explain } from "../session_errors.ts";
import { withRuntime } from "../session_lock.ts";
import type { LoadedModel } from "../session_model.ts";
import { type SessionOptions, toNativeOptions } from "../session_options.ts";
import type { Session } from "../session_run.ts";
import type { Runtime } from "../session_runtime.ts";

/** Opens a loaded model in the native runtime. Throws as `openSession` does. */
export async function openNativeSession(
  loaded: LoadedModel,
  options: SessionOptions,
  runtime: Runtime,
): Promise<Session> {
  const { name, outline } = loaded;
  const { threads = 1, signal } = options;
  const parts = {
    name,
    outline,
    threads,
    device: "native",
    note: "",
    gpuDevice: undefined,
    ownsDevice: false,
    threadMemory: undefined,
  } as const;
  const whole = await withWeights(loaded);
  const bytes = threads > 1 ? orderedForm(whole, parts) : whole;
  const create = () =>
    runtime.InferenceSession.create(bytes, toNativeOptions(options, threads)).catch((error) => {
      throw explain(error, { ...parts, during: "create" });
    });
  return await withRuntime(async () => {
    signal?.throwIfAborted();
    const session = await create();
    return await admitSession({ ...parts, runtime, session }, options);
  });
}

/**
 * Returns the bytes of a model that includes its external weights. The native runtime accepts external weights only
 * as paths, but `external` contains bytes.
 */
async function withWeights({ bytes, name, external }: LoadedModel): Promise<Uint8Array> {
  if (Object.keys(external).length === 0) return bytes;
  const model = decodeModel(bytes, { name });
  await loadExternalData(model, (location) => external[location]!);
  return encodeModel(model);
}
