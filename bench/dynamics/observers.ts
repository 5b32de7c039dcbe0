import { type DynamicsContext, DynamicsStage, NVE } from "../../src/dynamics/mod.ts";
import { cpuOf, lowerQuartile } from "./cpu.ts";
import { argonModel, crystals } from "./input.ts";

const OBSERVERS = 8, EVERY = 10, STEPS = 100, SLICES = 11;
/**
 * Number of warm-up steps on as many systems of few atoms. After these steps V8 has compiled the code that calls
 * observers.
 */
const WARM_UP_STEPS = 20_000;

/** An observer that reads energy, fmax and temperature of each system. */
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
 * Steps of 64 × 108 atoms with 8 observers every 10 steps, over the same steps without: the lower quartiles of slices in
 * turn. One engine runs both, its observers on or off, and each slice begins at the same positions and velocities: two
 * batches would differ by where in memory they are, which is worth some per cent.
 */
export async function observersOverNone(): Promise<number> {
  const engine = new NVE({ model: argonModel(), dt: 1 }), looking = observers(EVERY);
  const handles = looking.map((observer) => engine.hooks.add(observer));
  await engine.run(crystals(1, 64), WARM_UP_STEPS);
  const batch = crystals(3, 64);
  const [positions, velocities] = [batch.get("positions").slice(), batch.get("velocities").slice()];
  const slice = () => {
    batch.get("positions").set(positions);
    batch.get("velocities").set(velocities);
    return cpuOf(() => engine.run(batch, STEPS));
  };
  const on: number[] = [], off: number[] = [];
  for (let i = -1; i < SLICES; i++) {
    for (const handle of handles) handle.disable();
    const without = await slice();
    for (const handle of handles) handle.enable();
    const observed = await slice();
    if (i >= 0) off.push(without), on.push(observed);
  }
  const expected = (WARM_UP_STEPS + (SLICES + 1) * STEPS) / EVERY;
  for (const { calls } of looking) {
    if (calls === expected) continue;
    throw new Error(
      `Cannot time observers: each must be called ${expected} times: one was called ${calls} times`,
    );
  }
  return lowerQuartile(on) / lowerQuartile(off);
}
