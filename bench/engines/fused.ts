import { Batch, rattle } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  type Dynamics,
  FIRE,
  fuse,
  NVE,
  NVTLangevin,
} from "../../src/dynamics/mod.ts";
import type { Model } from "../../src/models/mod.ts";
import { cpuOf, lowerQuartile } from "../dynamics/cpu.ts";
import { argonModel, crystals } from "../dynamics/input.ts";
import type { BenchResult, BenchRow } from "../row.ts";
import { show } from "../show.ts";

/** 64 crystals of 32 atoms, a third in each stage. */
const SYSTEMS = 64, CELLS = 2, STAGES = 3;
const STEPS = 200, SLICES = 41, QUICK_SLICES = 9;

/** CPU time of a step of three fused stages, by that of steps of the three engines, each with its third. */
export const fused: BenchRow = {
  id: "engines/2",
  name: "fused FIRE, NVT, NVE, 64 × 32 atoms, a third in each, against the three by themselves",
  limit: 1.05,
  unit: "x",
  run: ({ isQuick = false }) => measure(isQuick ? QUICK_SLICES : SLICES),
};

/** Engines that no system leaves: the first asks for what cannot be met, the second has steps without end. */
function engines(model: Model): [FIRE, NVTLangevin, NVE] {
  const never = new ConvergenceHook({ criteria: { key: "fmax", threshold: -1 } });
  return [
    new FIRE({ model, dt: 0.2, hooks: [never] }),
    new NVTLangevin({ model, dt: 2, temperature: 80, friction: 0.01, nSteps: 2 ** 30 }),
    new NVE({ model, dt: 2 }),
  ];
}

async function measure(slices: number): Promise<BenchResult> {
  const model = argonModel();
  const all = Batch.from(crystals(CELLS, SYSTEMS).systems().map((one, i) => rattle(one, 0.1, i)));
  const stage = Int32Array.from({ length: SYSTEMS }, (_, s) => s % STAGES);
  all.set("status", stage);
  const alone = engines(model);
  await using whole = fuse(...engines(model));
  const parts = alone.map((engine, k) => {
    const batch = all.select(
      stage.reduce<number[]>((own, at, s) => at === k ? [...own, s] : own, []),
    );
    batch.set("status", 0);
    return new Timed(engine, batch);
  });
  const together = new Timed(whole, all);
  for (let i = -1; i < slices; i++) {
    for (const one of [together, ...parts]) await one.slice(i >= 0);
  }
  for (const engine of alone) await engine.close();
  const sum = parts.reduce((sum, { time }) => sum + time, 0);
  assertMoved(together.batch, slices);
  return {
    value: together.time / sum,
    runs: [together.time, ...parts.map(({ time }) => time)],
    note: `${show(together.time / STEPS)} and ${show(sum / STEPS)} ms per step`,
  };
}

/** An engine with a batch that begins each slice at the same place. */
class Timed {
  readonly engine: Dynamics;
  readonly batch: Batch;
  readonly #begun: readonly (readonly ["positions" | "velocities", Float64Array])[];
  readonly #times: number[] = [];

  constructor(engine: Dynamics, batch: Batch) {
    this.engine = engine;
    this.batch = batch;
    this.#begun = (["positions", "velocities"] as const).map((name) =>
      [name, Float64Array.from(batch.get(name))] as const
    );
  }

  async slice(isKept: boolean): Promise<void> {
    for (const [name, values] of this.#begun) this.batch.get(name).set(values);
    const time = await cpuOf(() => this.engine.run(this.batch, STEPS));
    if (isKept) this.#times.push(time);
  }

  /** CPU ms of a slice. */
  get time(): number {
    return lowerQuartile(this.#times);
  }
}

function assertMoved(batch: Batch, slices: number): void {
  if (batch.get("stepsDone").every((steps) => steps === (slices + 1) * STEPS)) return;
  throw new Error("Cannot time stages: all systems must do all steps: some did fewer");
}

if (import.meta.main) console.log(await fused.run({ work: "", makes: false }));
