import { BackendUnavailableError } from "../../backend_unavailable_error.ts";
import { describeAdapter, nameAdapter } from "../adapter.ts";
import { adapterOf } from "../device.ts";
import { WebGpuBackend } from "../webgpu_backend.ts";
import { findWrongKernel } from "./compare_kernels.ts";

/** Time limit of the comparison, in ms. It includes compiling the kernels, which takes seconds on a busy machine. */
const TIMEOUT = 60_000;

/** Devices whose kernels give the results of the reference backend. */
const trustedDevices = new WeakSet<GPUDevice>();

/**
 * The adapters that were checked, identified by all information that WebGPU gives about them. They are kept in memory
 * only, because WebGPU does not reveal the version of a driver: after an update of the driver, a stored result would
 * no longer be valid.
 */
const trustedAdapters = new Set<string>();

/**
 * Compares the kernels on a device with the reference backend, once for each adapter in a process.
 *
 * @throws {BackendUnavailableError} if a kernel gives other results on the device
 */
export async function checkDevice(device: GPUDevice): Promise<void> {
  const adapter = adapterOf(device);
  const isTrusted = trustedDevices.has(device) ||
    (adapter !== undefined && trustedAdapters.has(identityOf(adapter)));
  if (isTrusted) return;
  await compare(device, adapter);
  trustDevice(device);
}

/**
 * Marks a device and its adapter as trusted, so that {@linkcode checkDevice} does not check them. For tests that
 * check all kernels themselves.
 */
export function trustDevice(device: GPUDevice): void {
  trustedDevices.add(device);
  const adapter = adapterOf(device);
  if (adapter !== undefined) trustedAdapters.add(identityOf(adapter));
}

async function compare(device: GPUDevice, adapter: GPUAdapter | undefined): Promise<void> {
  const name = adapter ? nameAdapter(describeAdapter(adapter)) : "the given device";
  const backend = new WebGpuBackend(device, false);
  try {
    const wrong = await inTime(findWrongKernel(backend), name);
    if (wrong === undefined) return;
    const { kernels, difference } = wrong;
    throw unavailable(
      name,
      "broken",
      `its kernel${
        kernels.length > 1 ? "s give other results" : " gives other results"
      } than the ` +
        `reference backend: ${kernels.join(" and ")}: ${difference}`,
    );
  } catch (error) {
    if (error instanceof BackendUnavailableError) throw error;
    throw unavailable(name, "broken", `its kernels failed: ${(error as Error).message}`, error);
  } finally {
    backend.dispose();
  }
}

/** Returns the result of `work`. Rejects if it takes longer than `TIMEOUT`, because the device does not respond. */
async function inTime<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const problem = `it did not respond within ${TIMEOUT / 1000} s`;
    timer = setTimeout(() => reject(unavailable(name, "hung", problem)), TIMEOUT);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(
  name: string,
  reason: "broken" | "hung",
  problem: string,
  cause?: unknown,
): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot compute on ${name}: ${problem}. Update the graphics driver, or pass device: "wasm"`,
    { backend: "webgpu", reason, during: "open", cause },
  );
}

/** Returns all information about an adapter as text. Two drivers of one card differ at least in the limits. */
function identityOf({ info, features, limits }: GPUAdapter): string {
  const words: unknown[] = [...features].sort();
  for (const part of [info, limits]) {
    for (const name in part) words.push(name, part[name as keyof typeof part]);
  }
  return JSON.stringify(words);
}
