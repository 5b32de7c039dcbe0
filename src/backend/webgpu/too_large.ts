import { BackendUnavailableError } from "../backend_unavailable_error.ts";

/**
 * Returns the error for an allocation that exceeds what the device supports. `action` and `problem` are parts of the
 * message. A smaller batch or another device may work.
 */
export function tooLarge(action: string, problem: string): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot ${action}: ${problem}. Use a smaller batch, or pass device: "wasm"`,
    {
      backend: "webgpu",
      reason: "memory",
      during: "alloc",
    },
  );
}
