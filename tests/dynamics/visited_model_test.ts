/**
 * Number of evaluations of a visited model, which may cost a thousand times as much as the rest of a
 * step.
 */
import { assertEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, NVE } from "../../src/dynamics/mod.ts";
import { potential } from "../../src/models/mod.ts";

/** A spring to the origin for one atom per system, and how often each has been evaluated. */
function counted() {
  const counts = [0, 0];
  const model = potential(({ system, positions, forces }) => {
    counts[system]! += 1;
    let energy = 0;
    for (const [i, x] of positions.entries()) {
      energy += x * x / 2;
      forces[i]! -= x;
    }
    return energy;
  });
  return { model, counts };
}

const atoms = () =>
  Batch.from([0.1, 4].map((x) => ({ symbols: ["H"], masses: [1], positions: [x, 0, 0] })));

Deno.test("a model that is visited is evaluated once a step, and energies come with the forces", async () => {
  const { model, counts } = counted();
  await using md = new NVE({ model, dt: 1 });
  const batch = await md.run(atoms(), 10);
  assertEquals(counts, [11, 11]); // the first forces among them
  const [x] = batch.get("positions");
  assertEquals(batch.get("energy")[0], Math.fround(x!) ** 2 / 2);
  await md.run(batch, 5);
  assertEquals(counts, [16, 16]);
});

Deno.test("systems that come to rest are not evaluated again for their energies", async () => {
  const { model, counts } = counted();
  const hooks = [ConvergenceHook.fromFmax(0.05)];
  await using opt = new FIRE({ model, dt: 0.3, hooks, nSteps: 200 });
  const batch = await opt.run(atoms());
  assertEquals([...batch.get("status")], [1, 1]);
  assertEquals(counts, [...batch.get("stepsDone")].map((steps) => steps + 1));
});
