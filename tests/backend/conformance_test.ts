/** What every backend must do, on each. */
import { assertEquals } from "@std/assert";
import { SHADERS } from "../../src/backend/webgpu/shaders/mod.ts";
import { TOLERANCES } from "../../src/testing/mod.ts";
import { TRIALS } from "../../src/testing/trials/trials.ts";
import { testConformance } from "./conformance_case.ts";
import { kernelSources } from "./kernel_sources.ts";

Deno.test("every kernel there is is tried, and says how near it is", async () => {
  const kernels = (await kernelSources()).map(({ name }) => name);
  assertEquals(Object.keys(TRIALS).sort(), kernels.sort());
  assertEquals(Object.keys(TOLERANCES).sort(), kernels);
  assertEquals([...SHADERS.keys()].sort(), kernels);
});

testConformance();
