/**
 * Names of devices, and numbers of threads.
 *
 * @module
 */

/** Device that models and kernels run on. With kernels on `"reference"`, a model runs on wasm. */
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

/** Throws a TypeError or RangeError unless `threads` is a positive integer. */
export function checkThreads(action: string, threads: unknown): asserts threads is number {
  if (Number.isInteger(threads) && (threads as number) >= 1) return;
  const Wrong = typeof threads === "number" ? RangeError : TypeError;
  throw new Wrong(
    `Cannot ${action}: threads must be a positive integer; got ${
      typeof threads === "string" ? JSON.stringify(threads) : String(threads)
    }`,
  );
}
