/** Every kernel in WGSL, against its meaning in TypeScript: all sizes that a workgroup may get wrong. */
import { assertEquals } from "@std/assert";
import { SHADERS } from "../../src/backend/webgpu/shaders/mod.ts";
import { compare, TRIALS } from "./webgpu_case.ts";
import { testOnGpu } from "./gpu.ts";

const SIZES = [0, 1, 3, 63, 64, 65, 1000];

Deno.test("every kernel there is a shader of is tried", () => {
  assertEquals(Object.keys(TRIALS).sort(), [...SHADERS.keys()].sort());
});

for (const name of Object.keys(TRIALS)) {
  testOnGpu(`${name} in WGSL is as near as it says, for one system of any size`, async () => {
    for (const size of SIZES) assertEquals((await compare(name, [size])).slice(0, 3), []);
  });

  testOnGpu(`${name} in WGSL is as near as it says, for ragged batches`, async () => {
    assertEquals((await compare(name, [65, 0, 3, 64, 1, 63, 0, 1000, 2, 129])).slice(0, 3), []);
    assertEquals(
      (await compare(name, Array.from({ length: 130 }, (_, i) => i % 4))).slice(0, 3),
      [],
    );
  });
}
