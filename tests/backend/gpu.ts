/** The GPU that kernels are tried on: one device for all, so that each is compiled once. In software will do. */
import { BackendUnavailableError } from "../../src/backend/mod.ts";
import { openGpuDevice } from "../../src/backend/webgpu/device.ts";

async function openOrSay(): Promise<GPUDevice | undefined> {
  try {
    return await openGpuDevice();
  } catch (error) {
    if (Deno.env.get("CI") !== undefined || !(error instanceof BackendUnavailableError)) {
      throw error;
    }
    console.warn(`left out: tests on webgpu, as ${error.message}`);
    return undefined;
  }
}

/** `undefined` where there is none, which is said; in CI that is an error. */
export const device: GPUDevice | undefined = await openOrSay();

/** A test that needs it. */
export function testOnGpu(name: string, test: () => void | Promise<void>): void {
  Deno.test({ name, fn: test, ignore: device === undefined });
}

const alive = new Set<GPUBuffer>();
if (device !== undefined) countBuffers(device);

/** How many buffers of devices that are counted have been made and not destroyed. */
export function buffersHeld(): number {
  return alive.size;
}

/** From now on buffers of this device, too. */
export function countBuffers(device: GPUDevice): void {
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    const destroy = buffer.destroy.bind(buffer);
    alive.add(buffer);
    buffer.destroy = () => {
      alive.delete(buffer);
      destroy();
    };
    return buffer;
  };
}
