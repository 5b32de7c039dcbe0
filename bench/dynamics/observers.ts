import type { Batch } from "../../src/batch/mod.ts";
import { type Dynamics, type DynamicsContext, DynamicsStage, NVE } from "../../src/dynamics/mod.ts";
import { cpuOf } from "./cpu.ts";
import { argonModel, crystals } from "./input.ts";

const OBSERVERS = 8, EVERY = 10, STEPS = 100, SLICES = 15, WARM_UP_SLICES = 2;
/** So many that V8 has compiled what observers are called by, on as many systems of few atoms. */
const WARM_UP_STEPS = 20_000;

/** Something that looks at energy, fmax and temperature of each system. */
export class Observer {
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  readonly frequency: number;
  readonly reads = ["energy", "fmax", "temperature"] as const;
  sum = 0;
  calls = 0;

  constructor(frequency: number) {
    this.frequency = frequency;
  }

  call({ read }: DynamicsContext<"energy" | "fmax" | "temperature">): void {
    const { energy, fmax, temperature } = read;
    this.calls++;
    for (let s = 0; s < energy.length; s++) this.sum += energy[s]! + fmax[s]! + temperature[s]!;
  }
}

/** Observers to hand to an engine. */
export function observers(frequency: number, count: number = OBSERVERS): readonly Observer[] {
  return Array.from({ length: count }, () => new Observer(frequency));
}

/**
 * Steps of 64 × 108 atoms with 8 observers every 10 steps, over the same steps without, slice by slice. Both find their
 * pairs at the same steps, as observers change no bit.
 */
export async function observersOverNone(): Promise<number[]> {
  const looking = observers(EVERY);
  const observed = new NVE({ model: argonModel(), dt: 1, hooks: looking });
  const free = new NVE({ model: argonModel(), dt: 1 });
  for (const engine of [free, observed]) await engine.run(crystals(1, 64), WARM_UP_STEPS);
  const batches = [crystals(3, 64), crystals(3, 64)] as const;
  const ratios: number[] = [];
  for (let i = -WARM_UP_SLICES; i < SLICES; i++) {
    const others = await slice(free, batches[0]), ours = await slice(observed, batches[1]);
    if (i >= 0) ratios.push(ours / others);
  }
  const expected = (WARM_UP_STEPS + (SLICES + WARM_UP_SLICES) * STEPS) / EVERY;
  for (const { calls } of looking) {
    if (calls === expected) continue;
    throw new Error(
      `Cannot time observers as each must be called ${expected} times: one was ${calls}`,
    );
  }
  return ratios;
}

function slice(engine: { run: Dynamics["run"] }, batch: Batch): Promise<number> {
  return cpuOf(() => engine.run(batch, STEPS));
}
