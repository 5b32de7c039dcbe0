/**
 * Measures the cost of a trajectory. `writing.ts` prints, as JSON, the time of a step of 4000 argon atoms if every
 * tenth step is written to a Zarr store (positions and forces, float32, not compressed), and of a step of the same
 * run without writing, in ms.
 *
 * @module
 */

import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { ZarrSink } from "../../src/sinks/mod.ts";
import { takeTurns } from "../turns.ts";

const STEPS = 2000, TURNS = 9, WARM = 1, EVERY = 10;

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  const sink = new ZarrSink(`${folder}/run.zarr`, {
    precision: "f32",
    compression: "none",
    fields: ["forces"],
  });
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 10 })]);
  initVelocities(batch, 40, { seed: 1 });
  await using md = new NVE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 2,
    device: "wasm",
  });
  const writing = md.hooks.add(new SnapshotHook({ sink, fields: ["forces"], frequency: EVERY }), {
    enabled: false,
  });
  await md.run(batch, STEPS);
  // The same engine takes turns: two would lie elsewhere in memory.
  const turn = (isOn: boolean) => async () => {
    isOn ? writing.enable() : writing.disable();
    await md.run(batch, STEPS);
  };
  const { ours, alone } = await takeTurns({ ours: turn(true), alone: turn(false) }, {
    turns: TURNS,
    warm: WARM,
    events: STEPS,
  });
  const frames = (TURNS + WARM) * STEPS / EVERY;
  if (sink.length !== frames) {
    throw new Error(`Cannot time writing: ${frames} frames must be there: ${sink.length} are`);
  }
  await sink.close();
  await Deno.remove(folder, { recursive: true });
  console.log(JSON.stringify({ ours, alone }));
}
