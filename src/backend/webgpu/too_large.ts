import { BackendUnavailableError } from "../backend_unavailable_error.ts";

/** The error of who wants more than the device has: with a smaller batch, or elsewhere, it can go on. */
export function tooLarge(action: string, requirement: string): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot ${action} as ${requirement}`, {
    backend: "webgpu",
    reason: "memory",
    during: "alloc",
  });
}
