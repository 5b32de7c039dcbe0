import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  fcc,
  FIRE,
  initVelocities,
  lennardJones,
  NVE,
  rattle,
  tethers,
} from "@hooke/hooke";
import { BiasedPotentialHook } from "@hooke/hooke/observe";

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const crystal = () => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1);

Deno.test("a bias that is switched off between two runs leaves neither energy nor force behind", async () => {
  const batch = Batch.from([crystal()]);
  await using plain = new NVE({ model, dt: 1 });
  await plain.run(batch, 0);
  const energy = batch.get("energy")[0]!, forces = batch.get("forces").slice();

  await using md = new NVE({ model, dt: 1 });
  const anchors = new Float64Array(96).fill(3);
  const bias = md.hooks.add(new BiasedPotentialHook({ bias: tethers({ stiffness: 1, anchors }) }));
  await md.run(batch, 0);
  assert(batch.get("energy")[0]! > energy + 1);
  bias.disable();
  await md.run(batch, 0);
  assertEquals(batch.get("energy")[0], energy);
  assertEquals(batch.get("forces"), forces);
  bias.enable();
  await md.run(batch, 0);
  assert(batch.get("energy")[0]! > energy + 1);
});

Deno.test("what is changed of a system at rest wakes it: its status, its velocities", async () => {
  const batch = Batch.from([crystal(), crystal()]);
  await using opt = new FIRE({
    model,
    dt: 0.5,
    nSteps: 500,
    hooks: [ConvergenceHook.fromFmax(0.01)],
  });
  await opt.run(batch);
  const rested = [...batch.get("stepsDone")];
  await opt.run(batch, 5);
  assertEquals([...batch.get("stepsDone")], rested);
  batch.set("status", [0, 1]);
  await opt.run(batch, 1);
  assertEquals([...batch.get("stepsDone")], [rested[0]! + 1, rested[1]!]);
});

Deno.test("new velocities between two runs move what had come to rest", async () => {
  const batch = Batch.from([crystal()]);
  await using md = new NVE({
    model,
    dt: 1,
    hooks: [new ConvergenceHook({ criteria: [{ key: "temperature", threshold: 1 }] })],
  });
  await md.run(batch, 10);
  assertEquals([...batch.get("status")], [1]);
  const before = batch.get("stepsDone")[0]!;
  initVelocities(batch, 80, { seed: 1 });
  await md.run(batch, 10);
  assertAlmostEquals(batch.get("stepsDone")[0]!, before + 10);
});
