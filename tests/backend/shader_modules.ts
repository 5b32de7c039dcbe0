/**
 * Every shader as it is compiled, on machines without a GPU too: a device that records modules and computes nothing.
 *
 * @module
 */

import type { KernelCall } from "../../src/backend/mod.ts";
import { WebGpuBackend } from "../../src/backend/webgpu/mod.ts";
import { TRIALS } from "../../src/testing/trials/trials.ts";
import { World } from "../../src/testing/world.ts";

/** Returns the modules of each kernel's trial: with all its arguments, without any optional one, and without each. */
export function modulesOf(kernel: string): string[] {
  const modules = new Set<string>();
  const backend = new WebGpuBackend(recordingDevice(modules), false);
  const world = new World(backend, [{ size: 65, id: 0 }, { size: 3, id: 1 }]);
  const prepare = (call: KernelCall) => backend.prepare(world.lab.frame, [call]).free();
  for (const call of TRIALS[kernel]!(world).calls) {
    prepare(call);
    for (const variant of variantsOf(call)) {
      try {
        prepare(variant);
      } catch (error) {
        // Some kernels need one of two optional arguments.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }
  return [...modules];
}

function variantsOf(call: KernelCall): KernelCall[] {
  const { args } = call.kernel;
  const optional = Object.keys(args).filter((name) =>
    args[name]!.endsWith(" optional") && call.args[name] !== undefined
  );
  const without = (names: readonly string[]) => ({
    ...call,
    args: { ...call.args, ...Object.fromEntries(names.map((name) => [name, undefined])) },
  });
  return [without(optional), ...optional.map((name) => without([name]))];
}

/** A device as far as a program needs one to be prepared. */
function recordingDevice(modules: Set<string>): GPUDevice {
  const nothing = () => ({});
  const limits = {
    maxStorageBuffersPerShaderStage: Infinity,
    maxStorageBufferBindingSize: Infinity,
    maxBufferSize: Infinity,
  };
  return {
    limits,
    lost: new Promise(() => {}),
    addEventListener() {},
    queue: { writeBuffer() {}, submit() {} },
    createBuffer: ({ size }: GPUBufferDescriptor) => ({ size, destroy() {} }),
    createBindGroup: nothing,
    createBindGroupLayout: nothing,
    createPipelineLayout: nothing,
    createComputePipeline: () => ({ getBindGroupLayout: nothing }),
    createShaderModule({ code }: GPUShaderModuleDescriptor) {
      modules.add(code);
      return {};
    },
  } as unknown as GPUDevice;
}
