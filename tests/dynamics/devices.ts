/** Adapters that engines are made to take: what is in software here says that it is not. */
import type { GpuHost } from "../../src/backend/mod.ts";

/** A host of a GPU that says it is real, and all devices that were opened there. */
export interface Disguised {
  readonly gpu: GpuHost;
  readonly devices: readonly GPUDevice[];
  /** Destroys the device that was opened last. */
  lose(): void;
}

/** Makes one. `limits` are what its devices say they have, besides what they have. */
export function disguised(limits: Readonly<Record<string, number>> = {}): Disguised {
  const devices: GPUDevice[] = [];
  const requestAdapter = async (options?: GPURequestAdapterOptions): Promise<GPUAdapter> => {
    const adapter = (await navigator.gpu.requestAdapter(options))!;
    return {
      info: { vendor: "acme", architecture: "one", device: "", description: "" },
      features: adapter.features,
      limits: adapter.limits,
      async requestDevice(descriptor?: GPUDeviceDescriptor) {
        const device = await adapter.requestDevice(descriptor);
        devices.push(device);
        const known = new Proxy(device.limits, {
          get: (all, name) => limits[name as string] ?? all[name as keyof GPUSupportedLimits],
        });
        Object.defineProperty(device, "limits", { value: known });
        return device;
      },
    } as unknown as GPUAdapter;
  };
  return { gpu: { requestAdapter }, devices, lose: () => devices.at(-1)!.destroy() };
}

/** A host without a GPU. */
export const NO_GPU: GpuHost = { requestAdapter: () => Promise.resolve(null) };
