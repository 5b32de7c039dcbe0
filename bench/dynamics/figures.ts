import { NVE } from "../../src/dynamics/mod.ts";
import { cpuOf } from "./cpu.ts";
import { argonModel, crystals } from "./input.ts";

const TURNS = 5;

/** Atoms → CPU nanoseconds per atom and step, one system. */
export async function bySize(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const cells of [6, 10, 20, 30]) {
    found[4 * cells ** 3] = await costOf(cells, 1);
  }
  return found;
}

/** Systems of 32 atoms → CPU nanoseconds per atom and step. */
export async function byCount(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const systems of [1, 4, 16, 64, 256]) found[systems] = await costOf(2, systems);
  return found;
}

/** The least of some turns, each long enough for pairs to be found several times. */
async function costOf(cells: number, systems: number): Promise<number> {
  const batch = crystals(cells, systems), steps = Math.max(260, Math.round(2e6 / batch.nodeCount));
  await using engine = new NVE({ model: argonModel(), dt: 1 });
  await engine.run(batch, steps);
  let least = Infinity;
  for (let i = 0; i < TURNS; i++) {
    least = Math.min(least, await cpuOf(() => engine.run(batch, steps)));
  }
  return Number((least * 1e6 / (steps * batch.nodeCount)).toPrecision(4));
}
