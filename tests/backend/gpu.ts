/** The GPU that kernels are tested on: one device for all, so that each is compiled once. Software will do. */
import { BackendUnavailableError } from "../../src/backend/mod.ts";
import { trustDevice } from "../../src/backend/webgpu/check/check_device.ts";
import { openGpuDevice } from "../../src/backend/webgpu/device.ts";
import { lacksUnless } from "../machine.ts";

async function openIfThere(): Promise<GPUDevice | undefined> {
  try {
    const device = await openGpuDevice();
    trustDevice(device); // its kernels are compared by conformance_test.ts
    return device;
  } catch (error) {
    if (!(error instanceof BackendUnavailableError)) throw error;
    return undefined;
  }
}

/** The device, or `undefined` if there is none. */
export const device: GPUDevice | undefined = await openIfThere();

/** Returns whether a test must be left out for want of a GPU, for `ignore`. */
export function lacksGpu(): boolean {
  return lacksUnless(device !== undefined, "webgpu");
}

/** Registers a test that needs the device. */
export function testOnGpu(name: string, test: () => void | Promise<void>): void {
  Deno.test({ name, fn: test, ignore: lacksGpu() });
}

const alive = new Set<GPUBuffer>();
if (device !== undefined) countBuffers(device);

/** Number of live buffers of the counted devices. */
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
