/**
 * Tests on a GPU. Where there is none they are left out, and say so; in CI there is one in software, and they fail
 * without it.
 *
 * @module
 */

import { describeAdapter } from "../../src/backend/mod.ts";

// Mesa complains without it.
if (Deno.env.get("XDG_RUNTIME_DIR") === undefined) Deno.env.set("XDG_RUNTIME_DIR", "/tmp");

const adapter = await navigator.gpu?.requestAdapter() ?? null;

/** Is there one? */
export const hasGpu: boolean = adapter !== null;

if (adapter === null) {
  console.log(
    "no WebGPU adapter: tests on a GPU are left out (install a Vulkan driver, as mesa-vulkan-drivers)",
  );
}

/** Whether it is software. */
export const isSoftware: boolean = adapter !== null && describeAdapter(adapter).isSoftware;

/** A test on a GPU. */
export function gpuTest(name: string, run: () => Promise<void>): void {
  Deno.test({ name, fn: run, ignore: !hasGpu && Deno.env.get("CI") === undefined });
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
