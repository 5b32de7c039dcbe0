import { BackendUnavailableError } from "../../backend_unavailable_error.ts";
import { describeAdapter, nameAdapter } from "../adapter.ts";
import { adapterOf } from "../device.ts";
import { WebGpuBackend } from "../webgpu_backend.ts";
import { findWrongKernel } from "./compare_kernels.ts";

/** Longest time of the comparison, ms: drivers compile in parallel to it, on a busy machine for seconds. */
const TIMEOUT = 60_000;

/** Devices that compute what the reference backend does. */
const trustedDevices = new WeakSet<GPUDevice>();

/**
 * Adapters of trusted devices, identified by all information that WebGPU gives about them. They are kept only as long as
 * the process lives: WebGPU does not give the version of a driver, so a file could outlive the driver that was checked.
 */
const trustedAdapters = new Set<string>();

/**
 * Compares a device with the reference backend, once for each adapter in a process.
 *
 * @throws {BackendUnavailableError} if a kernel computes something else on the device
 */
export async function checkDevice(device: GPUDevice): Promise<void> {
  const adapter = adapterOf(device);
  const isTrusted = trustedDevices.has(device) ||
    (adapter !== undefined && trustedAdapters.has(identityOf(adapter)));
  if (isTrusted) return;
  await compare(device, adapter);
  trustDevice(device);
}

/** Trusts a device and others of its adapter, so that {@linkcode checkDevice} skips them, as in tests of all kernels. */
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
      `its kernel${kernels.length > 1 ? "s" : ""} ${
        kernels.join(" and ")
      } must compute what the reference backend ` +
        `does: ${difference}`,
    );
  } catch (error) {
    if (error instanceof BackendUnavailableError) throw error;
    throw unavailable(name, "broken", `its kernels must run: ${(error as Error).message}`, error);
  } finally {
    backend.dispose();
  }
}

/** Rejects if a device does not answer. */
async function inTime<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const requirement = `it must answer within ${TIMEOUT / 1000} s: it did not`;
    timer = setTimeout(() => reject(unavailable(name, "hung", requirement)), TIMEOUT);
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
  requirement: string,
  cause?: unknown,
): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot compute on ${name} as ${requirement}. Update the graphics driver, or run on wasm`,
    { backend: "webgpu", reason, during: "open", cause },
  );
}

/** Returns all information about an adapter: two drivers of one card differ in limits, if not in names. */
function identityOf({ info, features, limits }: GPUAdapter): string {
  const words: unknown[] = [...features].sort();
  for (const part of [info, limits]) {
    for (const name in part) words.push(name, part[name as keyof typeof part]);
  }
  return JSON.stringify(words);
}
