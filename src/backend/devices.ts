/**
 * Names of devices, and a check of thread counts.
 *
 * @module
 */

/** A device that models and kernels run on. On `"reference"`, kernels run in TypeScript, and models run on wasm. */
export type Device = "webgpu" | "wasm" | "reference";

/** Name of a device to open: `"auto"` is WebGPU on a hardware adapter, otherwise wasm. */
export type DeviceName = "auto" | Device;

/** All names of devices. */
export const ALL_DEVICES: readonly ["auto", "webgpu", "wasm", "reference"] = [
  "auto",
  "webgpu",
  "wasm",
  "reference",
];

/**
 * Throws a TypeError if `threads` is not a number, and a RangeError if it is not a positive integer. `action` is what
 * failed, for the message.
 */
export function checkThreads(action: string, threads: unknown): asserts threads is number {
  if (Number.isInteger(threads) && (threads as number) >= 1) return;
  const Wrong = typeof threads === "number" ? RangeError : TypeError;
  throw new Wrong(
    `Cannot ${action}: threads must be a positive integer; got ${
      typeof threads === "string" ? JSON.stringify(threads) : String(threads)
    }`,
  );
}
