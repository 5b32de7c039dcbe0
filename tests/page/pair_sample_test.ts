import { assert, assertAlmostEquals } from "@std/assert";
import { fcc, rattle } from "../../src/batch/crystal.ts";
import { Batch } from "../../src/batch/batch.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { RadialDistributionHook } from "../../src/observe/mod.ts";
import { PairSample } from "../../src/page/feed/pair_sample.ts";

Deno.test("the sample of all atoms has the distribution that RadialDistributionHook computes", async () => {
  const crystal = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.2, 1);
  // A sheared cell of the same lattice, to which the nearest images are not obvious.
  const cell = Float64Array.from(crystal.cell);
  cell[3] = 2;
  const batch = Batch.from([{ ...input(crystal), cell: [...cell] }]);
  const width = 10.52 / 2 * 10.52 / Math.hypot(10.52, 2);
  const hook = new RadialDistributionHook({ cutoff: width, bins: 100, frequency: 1 });
  const model = lennardJones({ epsilon: 1e-12, sigma: 3.4, cutoff: 5 });
  await using engine = new NVE({ model, dt: 0.01, hooks: [hook] });
  await engine.run(batch, 1);
  const sample = new PairSample();
  for (let i = 0; i < batch.nodeCount; i += 8) { // 8 centers each time, until all atoms were one
    sample.add(batch.get("positions"), batch.get("cell"), batch.nodeCount);
  }
  const { r, g } = sample.result(),
    [{ r: expectedR, g: expected }] = hook.results() as [
      ReturnType<typeof hook.results>[number],
    ];
  assert(g.some((value) => value > 2));
  for (const [i, value] of g.entries()) {
    assertAlmostEquals(r[i]!, expectedR[i]!, 1e-9);
    assertAlmostEquals(value, expected[i]!, 1e-3 + 1e-6 * value, `bin ${i}`);
  }
});

function input({ symbols, positions }: { symbols: string[]; positions: Float64Array }) {
  return { symbols, positions: [...positions], pbc: true };
}
