/** What every backend must do, on each. */
import { assertEquals } from "@std/assert";
import { SHADERS } from "../../src/backend/webgpu/shaders/mod.ts";
import { TOLERANCES } from "../../src/testing/mod.ts";
import { TRIALS } from "../../src/testing/trials/trials.ts";
import { testConformance } from "./conformance_case.ts";

Deno.test("every kernel there is is tried, and says how near it is", async () => {
  const kernels: string[] = [];
  const folder = new URL("../../src/kernels/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".ts")) continue;
    const text = await Deno.readTextFile(new URL(name, folder));
    if (/\bdefineKernel\(\s*"/.test(text)) kernels.push(name.slice(0, -".ts".length));
  }
  assertEquals(Object.keys(TRIALS).sort(), kernels.sort());
  assertEquals(Object.keys(TOLERANCES).sort(), kernels);
  assertEquals([...SHADERS.keys()].sort(), kernels);
});

testConformance();
