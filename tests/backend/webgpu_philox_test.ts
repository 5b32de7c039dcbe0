/** The random words of WGSL are those of TypeScript, to the bit. */
import { assertEquals } from "@std/assert";
import { PHILOX } from "../../src/backend/webgpu/wgsl/philox.ts";
import { philox } from "../../src/kernels/philox.ts";
import { device, testOnGpu } from "./gpu.ts";

/** The words for counters and keys, six numbers each. */
async function wordsOf(device: GPUDevice, cases: readonly number[][]): Promise<Uint32Array> {
  const code = `${PHILOX}
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
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }), entryPoint: "main" },
  });
  const given = Uint32Array.from(cases.flat());
  const buffer = (size: number, usage: number) => device.createBuffer({ size, usage });
  const [input, output, staging] = [
    buffer(given.byteLength, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST),
    buffer(16 * cases.length, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC),
    buffer(16 * cases.length, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST),
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
  pass.dispatchWorkgroups(Math.ceil(cases.length / 64));
  pass.end();
  encoder.copyBufferToBuffer(output, 0, staging, 0, 16 * cases.length);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  for (const buffer of [input, output, staging]) buffer.destroy();
  return words;
}

testOnGpu("philox gives the words of Random123 in WGSL, and those of TypeScript", async () => {
  const all = 0xffffffff;
  const cases = [
    [0, 0, 0, 0, 0, 0],
    [all, all, all, all, all, all],
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0],
    ...Array.from({ length: 10_000 }, (_, i) => [i, 17 * i, 3, all - i, (i * i) >>> 0, 5]),
  ];
  const found = await wordsOf(device!, cases);
  const known = [
    [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ];
  assertEquals([...found.subarray(0, 12)], known.flat());
  const words = new Uint32Array(4);
  for (const [i, one] of cases.entries()) {
    philox(...one as [number, number, number, number, number, number], words);
    assertEquals([...found.subarray(4 * i, 4 * i + 4)], [...words]);
  }
});
