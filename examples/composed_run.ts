/**
 * Runs a complete relaxation: convergence criterion, log, trajectory, and a file of the relaxed structures. Hooks are
 * independent of each other, and leaving the block closes them all.
 *
 * Run: `deno run -P=files examples/composed_run.ts [FOLDER]`
 */
import {
  Batch,
  ConvergedSnapshotHook,
  ConvergenceHook,
  fcc,
  FIRE,
  lennardJones,
  LoggingHook,
  MemorySink,
  rattle,
  SnapshotHook,
} from "@hooke/hooke";

const logPath = `${Deno.args[0] ?? await Deno.makeTempDir()}/hooks.csv`;
const trajectory = new MemorySink();
const relaxed = new MemorySink();

const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
const batch = Batch.from([0.2, 0.1, 0.02].map((stdev, seed) => rattle(crystal, stdev, seed)));
{
  await using opt = new FIRE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 0.5,
    nSteps: 500,
    hooks: [
      ConvergenceHook.fromFmax(0.05),
      new LoggingHook({ backend: "csv", logPath, frequency: 10 }),
      new SnapshotHook({ sink: trajectory, frequency: 10 }),
      new ConvergedSnapshotHook({ sink: relaxed }),
    ],
  });
  await opt.run(batch);
  console.log(`${opt.outcome?.status} after ${opt.stepCount} steps`);
}

const [header, ...rows] = (await Deno.readTextFile(logPath)).trimEnd().split("\n");
console.log(header);
console.log(`${rows.length} rows, steps ${[...new Set(rows.map((row) => row.split(",")[0]))]}`);
console.log(`${trajectory.length} frames, steps ${[...new Set(trajectory.read().get("step"))]}`);

const found = relaxed.read();
for (const [place, id] of found.get("sourceId").entries()) {
  const energy = found.get("energy")[place]!.toFixed(4);
  console.log(`system ${id} was relaxed in step ${found.get("step")[place]}: ${energy} eV`);
}
