/** The same for a system that is larger than any grid of workgroups would be by chance. */
import { assertEquals } from "@std/assert";
import { compare, TRIALS } from "./webgpu_case.ts";
import { testOnGpu } from "./gpu.ts";

for (const name of Object.keys(TRIALS)) {
  testOnGpu(`${name} in WGSL is as near as it says, for 100,003 atoms`, async () => {
    assertEquals((await compare(name, [5, 100_003])).slice(0, 3), []);
  });
}

for (const name of ["kick", "fmax", "advance", "tethers", "neighbours", "triplets", "add_model"]) {
  testOnGpu(
    `${name} in WGSL is as near as it says, for more systems than a dispatch is wide`,
    async () => {
      assertEquals((await compare(name, Array(70_000).fill(1))).slice(0, 3), []);
    },
  );
}
