import { BackendUnavailableError } from "../../../backend/backend_unavailable_error.ts";
import { findNativeRuntime } from "./native_runtime.ts";
import type { SessionOptions } from "../session_options.ts";
import type { Runtime } from "../session_runtime.ts";

/** Choice between native code and WebAssembly for a session on the CPU. */
export interface HostRuntime {
  /** The native runtime; `undefined` if the session uses onnxruntime-web. */
  readonly native: Runtime | undefined;
  /** Reason why `runtime: "auto"` did not choose the native runtime; "" in all other cases. */
  readonly note: string;
}

/**
 * Chooses the runtime of a session by its options.
 *
 * @throws {BackendUnavailableError} if native code is required and cannot be loaded
 */
export async function pickHostRuntime(
  name: string,
  { device = "wasm", runtime = "auto" }: SessionOptions,
): Promise<HostRuntime> {
  if (device === "webgpu" || runtime === "web") return { native: undefined, note: "" };
  const found = await findNativeRuntime(runtime === "native");
  if ("runtime" in found) return { native: found.runtime, note: "" };
  if (runtime === "auto") {
    return { native: undefined, note: `onnxruntime-node is not used: ${found.reason}` };
  }
  throw new BackendUnavailableError(
    `Cannot open ${name} with the native runtime: ${found.reason}. Install the npm package onnxruntime-node ` +
      'and, in Deno, pass --allow-ffi; or use runtime: "auto"',
    { backend: "wasm", reason: "absent", during: "open", cause: found.cause },
  );
}
