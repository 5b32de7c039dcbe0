import { BackendUnavailableError } from "../../backend_unavailable_error.ts";
import { COMPUTE } from "../constants.ts";
import type { Slot } from "../wgsl/module.ts";

/** A compiled module, and the layout of its bind group. */
export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

const ALL = new WeakMap<GPUDevice, Pipelines>();

/** Returns the cache of pipelines of a device. All backends on the device share it, because compiling is slow. */
export function pipelinesOf(device: GPUDevice): Pipelines {
  let pipelines = ALL.get(device);
  if (pipelines === undefined) ALL.set(device, pipelines = new Pipelines(device));
  return pipelines;
}

/** A cache of compiled modules: each module is compiled once per device. */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #made = new Map<string, Pipeline>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /**
   * Returns the pipeline of a module, and compiles it at the first call. `label` names the module in messages of the
   * device. Throws a BackendUnavailableError if the device cannot bind that many buffers.
   */
  get(code: string, slots: readonly Slot[], label: string): Pipeline {
    let made = this.#made.get(code);
    if (made === undefined) this.#made.set(code, made = this.#make(code, slots, label));
    return made;
  }

  #make(code: string, slots: readonly Slot[], label: string): Pipeline {
    const device = this.#device;
    const most = device.limits.maxStorageBuffersPerShaderStage;
    if (slots.length > most) {
      throw new BackendUnavailableError(
        `Cannot prepare kernel ${label}: it needs ${slots.length} buffers at once, and the device can bind ${most}. ` +
          'Pass device: "wasm"',
        { backend: "webgpu", reason: "limits", during: "create" },
      );
    }
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: COMPUTE, buffer: { type: "uniform" } },
        ...slots.map(({ changes }, i) => ({
          binding: i + 1,
          visibility: COMPUTE,
          buffer: { type: changes ? "storage" : "read-only-storage" } as const,
        })),
      ],
    });
    const pipeline = device.createComputePipeline({
      label,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device.createShaderModule({ code, label }), entryPoint: "main" },
    });
    return { pipeline, layout };
  }
}
