import { NVE } from "../../src/dynamics/mod.ts";
import { cpuOf, lowerQuartile } from "./cpu.ts";
import { argonModel, crystals } from "./input.ts";

/** Numbers of systems to compare, of 32 atoms each. */
const MANY = 10_000, FEW = 64;
const STEPS = 120, WARM_UP_STEPS = 60, TURNS = 5;

/**
 * CPU time per atom and step of many systems, divided by that of a few. The arrays of the few fit into the cache of a
 * core; those of the many do not. Both run the same number of steps per call of `run`, alternately.
 */
export async function manyOverFew(): Promise<number> {
  const [many, few] = [await opened(MANY), await opened(FEW)];
  // The small batch runs more often, so that both sides take about as long.
  const repeats = Math.round(MANY / FEW);
  const costs: { readonly many: number[]; readonly few: number[] } = { many: [], few: [] };
  for (let i = 0; i < TURNS; i++) {
    costs.many.push(await cpuOf(many) / MANY);
    const all = await cpuOf(async () => {
      for (let k = 0; k < repeats; k++) await few();
    });
    costs.few.push(all / (repeats * FEW));
  }
  return lowerQuartile(costs.many) / lowerQuartile(costs.few);
}

/** Returns a function that runs steps of a batch, after steps to warm up. */
async function opened(systems: number): Promise<() => Promise<unknown>> {
  const batch = crystals(2, systems);
  const engine = new NVE({ model: argonModel(), dt: 1 });
  await engine.run(batch, WARM_UP_STEPS);
  return () => engine.run(batch, STEPS);
}
