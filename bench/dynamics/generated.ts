import { NVE } from "../../src/dynamics/mod.ts";
import { buckingham, morse } from "../../src/models/mod.ts";
import { cpuOf, lowerQuartile } from "./cpu.ts";
import { ARGON, crystals } from "./input.ts";

const CELLS = 10, STEPS = 50, SLICES = 15;

/** R. A. Buckingham, Proc. R. Soc. Lond. A 168, 264 (1938). */
const BUCKINGHAM = { strength: 10_549, length: 0.273, dispersion: 63.7, cutoff: ARGON.cutoff };

const MORSE = { depth: ARGON.epsilon, width: 1.6, distance: 3.82, cutoff: ARGON.cutoff };

/**
 * Steps of 4000 atoms with the Buckingham potential, whose function is generated, over steps with the Morse potential,
 * whose kernel is written by hand: the lower quartiles of slices in turn. Both evaluate one exponential per pair.
 */
export async function generatedOverHandWritten(): Promise<number> {
  const models = [buckingham(BUCKINGHAM), morse(MORSE)];
  const runs = models.map((model) => {
    const engine = new NVE({ model, dt: 1 });
    const batch = crystals(CELLS);
    return () => cpuOf(() => engine.run(batch, STEPS));
  });
  const times: [number[], number[]] = [[], []];
  // The first slices wait for V8 to compile.
  for (let i = -3; i < SLICES; i++) {
    for (const [k, run] of runs.entries()) {
      const time = await run();
      if (i >= 0) times[k]!.push(time);
    }
  }
  return lowerQuartile(times[0]) / lowerQuartile(times[1]);
}
