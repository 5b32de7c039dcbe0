/** Devices with a broken kernel. */
import type { GpuHost } from "../../src/backend/mod.ts";
import { openGpuDevice } from "../../src/backend/webgpu/device.ts";

/** Changes the code of one kernel's modules. */
export interface Damage {
  readonly kernel: string;
  readonly change: (code: string) => string;
}

/** Lets a kernel do nothing. */
export function idle(code: string): string {
  return code.replace(/(fn (?:atom|tile|group|system)\([^)]*\) \{)/, "$1 if (true) { return; }");
}

/** Lets a kernel be off by a part in a hundred, where it first assigns a number. */
export function inexact(code: string): string {
  const body = code.search(/fn (?:atom|tile|group|system)\(/);
  return code.slice(0, body) +
    code.slice(body).replace(/(\w+\[[^=;]*?\] [+-]?= )([^=;]+);/, "$1 1.01 * ($2);");
}

/** Breaks a kernel of a device. */
export function damage(device: GPUDevice, { kernel, change }: Damage): void {
  const create = device.createShaderModule.bind(device);
  device.createShaderModule = (descriptor) =>
    create(
      descriptor.label === kernel ? { ...descriptor, code: change(descriptor.code) } : descriptor,
    );
}

/** Makes a host whose adapter is said to be a card of this name. */
export function namedHost(name: string, open: (device: GPUDevice) => void = () => {}): GpuHost {
  return {
    async requestAdapter(options) {
      const adapter = (await navigator.gpu.requestAdapter(options))!;
      return {
        info: { vendor: "", architecture: "", device: "", description: name },
        features: adapter.features,
        limits: adapter.limits,
        async requestDevice(descriptor?: GPUDeviceDescriptor) {
          const device = await adapter.requestDevice(descriptor);
          open(device);
          return device;
        },
      } as unknown as GPUAdapter;
    },
  };
}

/** Makes one whose devices have a broken kernel. */
export function damagedHost(name: string, broken: Damage): GpuHost {
  return namedHost(name, (device) => damage(device, broken));
}

/** Opens a device with a broken kernel, on an adapter of its own name. */
export async function damagedDevice(broken: Damage): Promise<GPUDevice> {
  return await openGpuDevice({ gpu: damagedHost(`${broken.kernel} broken`, broken) });
}
