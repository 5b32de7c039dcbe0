/**
 * Tests on a GPU, which are left out if there is none.
 *
 * @module
 */

import { describeAdapter } from "../../src/backend/mod.ts";
import { lacksUnless } from "../machine.ts";

// Mesa complains without it.
if (Deno.env.get("XDG_RUNTIME_DIR") === undefined) Deno.env.set("XDG_RUNTIME_DIR", "/tmp");

const adapter = await navigator.gpu?.requestAdapter() ?? null;

/** Returns whether a test must be left out for want of a GPU, for `ignore`. */
export function lacksGpu(): boolean {
  return lacksUnless(adapter !== null, "webgpu");
}

/** True if the adapter is a software adapter. */
export const isSoftware: boolean = adapter !== null && describeAdapter(adapter).isSoftware;

/** Registers a test on a GPU. */
export function gpuTest(name: string, run: () => Promise<void>): void {
  Deno.test({ name, fn: run, ignore: lacksGpu() });
}

/** The numbers of a float32 buffer. */
export async function readBuffer(device: GPUDevice, buffer: GPUBuffer): Promise<Float32Array> {
  const { size } = buffer;
  const staging = device.createBuffer({
    size,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const numbers = new Float32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return numbers;
}
