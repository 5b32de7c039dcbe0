import { BackendUnavailableError } from "../backend_unavailable_error.ts";

/** Makes the error for memory that the device does not have. A smaller batch or another device may do. */
export function tooLarge(action: string, requirement: string): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot ${action} as ${requirement}`, {
    backend: "webgpu",
    reason: "memory",
    during: "alloc",
  });
}
