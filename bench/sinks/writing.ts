/**
 * Measures the cost of a trajectory. `writing.ts CASE` prints, as JSON, the time of a step of an NVE run of argon of
 * which every tenth step is written to a Zarr store, and of a step of the same run without writing, in ms. Cases:
 *
 * - `forces` (default): 4000 atoms; positions and forces, as float32, not compressed
 * - `4000`, `32`: number of atoms; all fields, in the default layout of `openSink`
 *
 * @module
 */

import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { openSink, type StoredSink, ZarrSink } from "../../src/sinks/mod.ts";
import { takeTurns } from "../turns.ts";

const EVERY = 10;

/** A run that is measured. */
interface Case {
  /** Unit cells of four atoms along each axis. */
  readonly cells: number;
  /** Steps in a turn: about a second of them. */
  readonly steps: number;
  readonly turns: number;
  /** Fields to write besides those that every batch has; all, if missing. */
  readonly fields?: readonly string[];
  readonly open: (path: string) => Promise<StoredSink>;
}

const CASES: Readonly<Record<string, Case>> = {
  forces: {
    cells: 10,
    steps: 2000,
    turns: 9,
    fields: ["forces"],
    open: (path) =>
      Promise.resolve(
        new ZarrSink(path, { precision: "f32", compression: "none", fields: ["forces"] }),
      ),
  },
  4000: { cells: 10, steps: 2000, turns: 9, open: openSink },
  32: { cells: 2, steps: 100_000, turns: 9, open: openSink },
};

async function measure({ cells, steps, turns, fields, open }: Case): Promise<void> {
  const folder = await Deno.makeTempDir();
  const sink = await open(`${folder}/run.zarr`);
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells })]);
  initVelocities(batch, 40, { seed: 1 });
  await using md = new NVE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 2,
    device: "wasm",
  });
  const hook = new SnapshotHook({ sink, ...fields && { fields }, frequency: EVERY });
  const writing = md.hooks.add(hook, { enabled: false });
  await md.run(batch, steps);
  // The same engine takes turns: two would lie elsewhere in memory.
  const turn = (isOn: boolean) => async () => {
    isOn ? writing.enable() : writing.disable();
    await md.run(batch, steps);
  };
  const warm = 1;
  const costs = await takeTurns({ ours: turn(true), alone: turn(false) }, {
    turns,
    warm,
    events: steps,
  });
  const frames = (turns + warm) * steps / EVERY;
  if (sink.length !== frames) {
    throw new Error(`Cannot time writing: ${frames} frames must be there: ${sink.length} are`);
  }
  await sink.close();
  await Deno.remove(folder, { recursive: true });
  console.log(JSON.stringify(costs));
}

if (import.meta.main) {
  const [name = "forces"] = Deno.args;
  const found = CASES[name];
  if (found === undefined) throw new RangeError(`Cannot time writing: there is no case ${name}`);
  await measure(found);
}
