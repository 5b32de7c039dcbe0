/**
 * Runs molecular dynamics that can be stopped and resumed: it writes a checkpoint every few steps, and the results
 * are bitwise identical to those without interruption. Start it again with the same file and a larger total of STEPS,
 * and it resumes.
 *
 * Run: `deno run -P=files examples/resume.ts [FILE.hooke] [STEPS]`
 */
import {
  Batch,
  fcc,
  hook,
  initVelocities,
  lennardJones,
  NVTLangevin,
  temperatureOf,
} from "@hooke/hooke";

const path = Deno.args[0] ?? `${Deno.makeTempDirSync()}/argon.hooke`;
const steps = Number(Deno.args[1] ?? 600);
if (!Number.isSafeInteger(steps) || steps < 1) {
  console.error(`STEPS must be a positive integer; got ${Deno.args[1]}`);
  Deno.exit(2);
}
const PART = 200;

// The checkpoint contains the hook's state, too: the mean is over all parts.
let sum = 0, count = 0;
const mean = hook({
  name: "mean",
  frequency: 10,
  reads: ["temperature"],
  on: {
    dynamics: {
      AFTER_STEP: ({ read }) => {
        sum += read.temperature.at(0)!;
        count++;
      },
    },
  },
  save: () => ({ sum, count }),
  load: (state: { sum: number; count: number }) => void ({ sum, count } = state),
});

await using md = new NVTLangevin({
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
  dt: 4,
  temperature: 40,
  friction: 0.02,
  seed: 1,
  hooks: [mean],
});
const batch = await begin();
console.log(`begins with step ${md.stepCount}`);
while (md.stepCount < steps) {
  await md.run(batch, Math.min(PART, steps - md.stepCount));
  await md.saveCheckpoint(path);
}
const now = temperatureOf(batch)[0]!;
console.log(`step ${md.stepCount}: ${now} K, mean of ${count} steps ${(sum / count).toFixed(3)} K`);

/** The batch of the checkpoint, or a new one if there is no such file. */
async function begin(): Promise<Batch> {
  try {
    return await md.loadCheckpoint(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
  }
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const fresh = Batch.from([crystal]);
  initVelocities(fresh, 40, { seed: 1 });
  return fresh;
}
