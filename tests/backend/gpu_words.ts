/** Random words as WGSL makes them. */
import { PHILOX } from "../../src/backend/webgpu/wgsl/philox.ts";

const CODE = `${PHILOX}
@group(0) @binding(0) var<storage, read> from_host: array<u32>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= arrayLength(&words) / 4u) { return; }
  let c = vec4<u32>(from_host[6u * i], from_host[6u * i + 1u], from_host[6u * i + 2u], from_host[6u * i + 3u]);
  let found = philox(c, vec2<u32>(from_host[6u * i + 4u], from_host[6u * i + 5u]));
  for (var k = 0u; k < 4u; k++) { words[4u * i + k] = found[k]; }
}`;

/** The words for counters and keys, six numbers each. */
export async function wordsOnGpu(
  device: GPUDevice,
  given: Uint32Array<ArrayBuffer>,
): Promise<Uint32Array> {
  const cases = given.length / 6;
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: CODE }), entryPoint: "main" },
  });
  const buffer = (size: number, usage: number) => device.createBuffer({ size, usage });
  const [input, output, staging] = [
    buffer(given.byteLength, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST),
    buffer(16 * cases, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC),
    buffer(16 * cases, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST),
  ] as const;
  device.queue.writeBuffer(input, 0, given);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [input, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }),
  );
  pass.dispatchWorkgroups(Math.ceil(cases / 64));
  pass.end();
  encoder.copyBufferToBuffer(output, 0, staging, 0, 16 * cases);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  for (const buffer of [input, output, staging]) buffer.destroy();
  return words;
}
