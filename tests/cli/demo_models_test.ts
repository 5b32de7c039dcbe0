// What relaxes the demo's crystals, an ONNX graph or a kernel: either must find the same.
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { crystals, openArgon } from "../../src/cli/demo_argon.ts";
import type { ModelName } from "../../src/cli/demo_settings.ts";
import { relax } from "../../src/cli/demo_relax.ts";
import { few } from "../suite.ts";

/** Number of crystals; the demo has 64. */
const COUNT = few(8, 64);

/** The demo's crystals, relaxed. */
async function relaxed(name: ModelName) {
  const batch = crystals(COUNT, 1);
  await using argon = await openArgon(name);
  const { before, after, steps } = await relax(batch, {
    model: argon.model,
    device: "wasm",
    fmax: 0.005,
  });
  return { positions: batch.get("positions"), before, after, steps };
}

Deno.test("the ONNX graph and the kernel relax the demo's crystals to the same structures and energies", async () => {
  const [graph, kernel] = [await relaxed("onnx"), await relaxed("kernel")];
  assertEquals(graph.steps.length, COUNT);
  assertEquals(graph.steps, kernel.steps);
  for (const [k, x] of kernel.positions.entries()) {
    assertAlmostEquals(graph.positions[k]!, x, 1e-5);
  }
  for (const when of ["before", "after"] as const) {
    for (const [s, energy] of kernel[when].entries()) {
      assertAlmostEquals(graph[when][s]!, energy, 1e-5 * Math.abs(energy));
    }
  }
  assert(kernel.after.every((energy, s) => energy < kernel.before[s]! - 0.002), "they moved");
});
