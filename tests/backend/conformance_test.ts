/** No kernel is left out of what every backend must do: conformance_matrix_test.ts. */
import { assertEquals } from "@std/assert";
import { SHADERS } from "../../src/backend/webgpu/shaders/mod.ts";
import { KERNEL_TOLERANCES } from "../../src/testing/mod.ts";
import { TRIALS } from "../../src/testing/trials/trials.ts";
import { kernelSources } from "./kernel_sources.ts";

/** Pair potentials that Rust has by hand, besides the kernel that runs any. */
const HAND_WRITTEN = ["lennard_jones", "morse"];

Deno.test("every kernel has a trial and tolerances", async () => {
  const kernels = (await kernelSources()).map(({ name }) => name);
  const tried = [...kernels, ...HAND_WRITTEN].sort();
  assertEquals(Object.keys(TRIALS).sort(), tried);
  assertEquals(Object.keys(KERNEL_TOLERANCES).sort(), tried);
  // The shader of a pair potential is made from its program.
  assertEquals([...SHADERS.keys(), "pair_potential"].sort(), kernels.sort());
});
