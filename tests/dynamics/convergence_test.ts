/** Convergence of systems: criteria, reports, and finished systems. */
import { assertEquals, assertGreater, assertRejects, assertThrows } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  type ConvergenceOptions,
  type Criterion,
  DynamicsStage,
  FIRE,
  NVE,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { field } from "../../src/hooks/mod.ts";
import { ARGON, argon, assertSameBits, bitsOf, crystals, idle } from "./atoms.ts";
import { type EngineBackend, on, PAIR_BACKENDS, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

/** A report: the step, and the slots that had converged. */
type Report = [step: number, places: number[]];

interface Found {
  readonly reports: Report[];
  readonly batch: Batch;
  readonly steps: number;
  readonly outcome: unknown;
}

/** Three crystals, rattled more and more, relaxed with hooks. */
async function relax(
  backend: EngineBackend,
  hooks: readonly unknown[],
  nSteps = 400,
): Promise<Found> {
  const reports: Report[] = [];
  const report = hook({
    name: "report",
    on: {
      dynamics: {
        ON_CONVERGE: ({ stepCount, convergedMask }) =>
          void reports.push([
            stepCount,
            Array.from(convergedMask).flatMap((one, i) => one ? [i] : []),
          ]),
      },
    },
  });
  const batch = three();
  await using opt = new FIRE({
    model: ARGON,
    dt: 0.3,
    ...where(backend),
    hooks: [report, ...hooks] as never,
  });
  await opt.run(batch, nSteps);
  return { reports, batch, steps: opt.stepCount, outcome: opt.outcome };
}

function three(): Batch {
  const batch = Batch.from([argon(2, 0, 0.04), argon(2, 1, 0.08), argon(2, 2, 0.12)]);
  batch.ensure("status");
  return batch;
}

/** The first step after which each system meets a bound, looked at from outside. */
async function firstSteps(
  backend: EngineBackend,
  isMet: (batch: Batch, place: number, before: number) => boolean,
  nSteps = 400,
): Promise<number[]> {
  return await Promise.all([0, 1, 2].map(async (place) => {
    const batch = Batch.from([three().system(place)]);
    await using opt = new FIRE({ model: ARGON, dt: 0.3, ...where(backend) });
    await opt.run(batch, 0);
    for (let step = 0; step < nSteps; step++) {
      const before = batch.get("energy")[0]!;
      await opt.step(batch);
      if (isMet(batch, 0, before)) return step;
    }
    return -1;
  }));
}

function fmaxOf(batch: Batch): number {
  const forces = batch.get("forces");
  let most = 0;
  for (let i = 0; i < forces.length; i += 3) {
    most = Math.max(most, Math.hypot(forces[i]!, forces[i + 1]!, forces[i + 2]!));
  }
  return most;
}

/** Places by step, as reports have them. */
function asReports(steps: readonly number[]): Report[] {
  const all = [...new Set(steps)].sort((a, b) => a - b);
  return all.map((step) => [step, steps.flatMap((own, place) => own === step ? [place] : [])]);
}

const FORMS: Readonly<Record<string, () => ConvergenceHook>> = {
  fromFmax: () => ConvergenceHook.fromFmax(0.02),
  fromForces: () => ConvergenceHook.fromForces(0.02),
  "criteria, one": () => new ConvergenceHook({ criteria: { key: "fmax", threshold: 0.02 } }),
};

for (const [form, make] of Object.entries(FORMS)) {
  Deno.test(
    `${form}: each system stops where its forces are small, is reported once with its step, and the run ends with the last`,
    on(PAIR_BACKENDS, async (backend) => {
      const steps = await firstSteps(backend, (batch) => fmaxOf(batch) <= 0.02);
      assertGreater(steps[1]!, steps[0]!);
      for (const others of [[], [idle()]]) {
        const found = await relax(backend, [make(), ...others]);
        assertEquals(found.reports, asReports(steps));
        assertEquals(found.steps, Math.max(...steps) + 1);
        assertEquals(found.outcome, { status: "completed" });
        assertEquals([...found.batch.get("status")], [1, 1, 1]);
        assertEquals([...found.batch.get("stepsDone")], steps.map((step) => step + 1));
      }
    }),
  );
}

test(
  "without criteria systems converge at an fmax of 0.05",
  on(PAIR_BACKENDS, async (backend) => {
    const steps = await firstSteps(backend, (batch) => fmaxOf(batch) <= 0.05);
    assertEquals((await relax(backend, [new ConvergenceHook()])).reports, asReports(steps));
    const short = await relax(backend, [ConvergenceHook.fromFmax()]);
    assertEquals(short.reports, asReports(steps));
  }),
);

test(
  "two criteria must hold in one step; the change of the energy counts by its size",
  on(PAIR_BACKENDS, async (backend) => {
    const criteria: readonly Criterion[] = [
      { key: "fmax", threshold: 0.05 },
      { key: "energyChange", threshold: 2e-4 },
    ];
    const steps = await firstSteps(
      backend,
      (batch, _, before) =>
        fmaxOf(batch) <= 0.05 && Math.abs(batch.get("energy")[0]! - before) <= 2e-4,
    );
    const found = await relax(backend, [new ConvergenceHook({ criteria })]);
    assertEquals(found.reports, asReports(steps));
    const alone = await firstSteps(backend, (batch) => fmaxOf(batch) <= 0.05);
    assertEquals(steps.some((step, i) => step > alone[i]!), true);
    // Downhill the energy falls: by itself the change must still be small, not negative.
    const still = await firstSteps(
      backend,
      (batch, _, before) => Math.abs(batch.get("energy")[0]! - before) <= 2e-4,
    );
    const by = await relax(backend, [new ConvergenceHook({ criteria: criteria[1]! })]);
    assertEquals(by.reports, asReports(still));
  }),
);

test(
  "a criterion reduces each entry by its reduceOp, then takes the largest of a system",
  on(PAIR_BACKENDS, async (backend) => {
    const rows = (values: ArrayLike<number>) =>
      Array.from({ length: values.length / 3 }, (_, i) => [0, 1, 2].map((k) => values[3 * i + k]!));
    const norm = (row: number[]) => Math.hypot(...row);
    const reductions: [Partial<Criterion>, (row: number[]) => number][] = [
      [{ reduceOp: "norm" }, norm],
      [{ reduceOp: "norm", reduceDims: 1 }, norm],
      [{ reduceOp: "norm", reduceDims: [-1] }, norm],
      [{ reduceOp: "max" }, (row) => Math.max(...row)],
      [{ reduceOp: "min" }, (row) => Math.min(...row)],
      [{ reduceOp: "mean" }, (row) => row.reduce((a, b) => a + b) / 3],
      [{ reduceOp: "sum" }, (row) => row.reduce((a, b) => a + b)],
      [{ reduceOp: null }, (row) => Math.max(...row)],
      [{}, (row) => Math.max(...row)],
    ];
    for (const [reduction, by] of reductions) {
      const steps = await firstSteps(
        backend,
        (batch) => Math.max(...rows(batch.get("forces")).map(by)) <= 0.02,
      );
      const criteria: Criterion = { ...reduction, key: "forces", threshold: 0.02 };
      const found = await relax(backend, [new ConvergenceHook({ criteria })]);
      assertEquals(found.reports, asReports(steps), JSON.stringify(reduction));
    }
  }),
);

test(
  "any field of the batch may be a key: stored per system, per atom, or the user's own",
  on(PAIR_BACKENDS, async (backend) => {
    const energies = await firstSteps(backend, (batch) => batch.get("energy")[0]! <= -2.4);
    const byEnergy = new ConvergenceHook({ criteria: { key: "energy", threshold: -2.4 } });
    assertEquals((await relax(backend, [byEnergy])).reports, asReports(energies));

    const batch = three();
    batch.set("load", [0, 5, 0], { level: "system", dtype: "f64" });
    const hooks = [
      new ConvergenceHook({
        criteria: [{ key: field<Float64Array>()("load"), threshold: 1 }, {
          key: "temperature",
          threshold: 1e9,
        }],
      }),
    ];
    await using opt = new FIRE({ model: ARGON, dt: 0.3, ...where(backend), hooks });
    await opt.run(batch, 5);
    assertEquals([...batch.get("status")], [1, 0, 1]);
    assertEquals([...batch.get("stepsDone")], [1, 5, 1]);
  }),
);

test(
  "a value at the threshold has converged, in float32 too: 0.05 is at most 0.05",
  onEnginesAndGpu(async (backend) => {
    for (const threshold of [0.05, 0.07, 0.1]) {
      const batch = crystals(2);
      // As float32 some of these are above their numbers; the second system is above its threshold.
      batch.set("load", [threshold, threshold * 1.0001], { level: "system" });
      const criteria = [{ key: field<Float64Array>()("load"), threshold }];
      await using opt = new FIRE({
        model: ARGON,
        dt: 0.1,
        hooks: [new ConvergenceHook({ criteria })],
        ...where(backend),
      });
      await opt.run(batch, 1);
      assertEquals([...batch.get("status")], [1, 0], `${threshold}`);
    }
  }),
);

Deno.test(
  "a key that is no number of every system or atom is refused, and the batch stays free",
  onEngines(async (backend) => {
    for (const [key, message] of [["fmaxx", "fmaxx"], ["status", "status"]] as const) {
      const batch = three();
      const hooks = [new ConvergenceHook({ criteria: { key: key as "status", threshold: 1 } })];
      await using opt = new FIRE({ model: ARGON, dt: 0.3, ...where(backend), hooks });
      const before = bitsOf(batch, undefined, ["positions", "status"]);
      await assertRejects(() => opt.run(batch, 5), TypeError, message);
      assertEquals(batch.heldBy, undefined);
      assertSameBits(bitsOf(batch, undefined, ["positions", "status"]), before);
    }
  }),
);

test(
  "a customOp decides by itself, at each step, on whatever it is given",
  on(PAIR_BACKENDS, async (backend) => {
    const calls: number[] = [];
    const customOp = (values: ArrayLike<number>, offsets: Int32Array) => {
      calls.push(values.length);
      return Array.from({ length: offsets.length - 1 }, (_, system) => {
        let most = 0;
        for (let i = 3 * offsets[system]!; i < 3 * offsets[system + 1]!; i++) {
          most = Math.max(most, Math.abs(values[i]!));
        }
        return most <= 0.02;
      });
    };
    const most = (batch: Batch) => Math.max(...Array.from(batch.get("forces"), Math.abs));
    const steps = await firstSteps(backend, (batch) => most(batch) <= 0.02);
    const found = await relax(backend, [
      new ConvergenceHook({ criteria: { key: "forces", threshold: -1, customOp } }),
    ]);
    assertEquals(found.reports, asReports(steps));
    assertEquals(calls, Array(Math.max(...steps) + 1).fill(3 * 96));
    // With others it is one of those that must hold.
    const both = new ConvergenceHook({
      criteria: [{ key: "forces", threshold: 0, customOp: () => [true, true, false] }, {
        key: "fmax",
        threshold: 0.02,
      }],
    });
    const fmax = await firstSteps(backend, (batch) => fmaxOf(batch) <= 0.02);
    assertEquals(
      (await relax(backend, [both])).reports,
      asReports(fmax).map(([step, places]) =>
        [step, places.filter((place) => place !== 2)] as Report
      ).filter(([, places]) => places.length > 0),
    );
    const wrong = new ConvergenceHook({
      criteria: { key: "forces", threshold: 0, customOp: () => [true] },
    });
    await assertRejects(() => relax(backend, [wrong]), TypeError, "each of 3 systems");
  }),
);

test(
  "a hook that looks at every third step finds systems then",
  on(PAIR_BACKENDS, async (backend) => {
    const steps = await firstSteps(
      backend,
      (batch) => fmaxOf(batch) <= 0.02 && (batch.get("stepsDone")[0]! - 1) % 3 === 0,
    );
    for (const others of [[], [idle()]]) {
      const options: ConvergenceOptions = {
        criteria: { key: "fmax", threshold: 0.02 },
        frequency: 3,
      };
      const found = await relax(backend, [new ConvergenceHook(options), ...others]);
      assertEquals(found.reports, asReports(steps));
      assertEquals(found.steps, Math.max(...steps) + 1);
    }
  }),
);

Deno.test(
  "two hooks that look at different steps report each system once",
  onEngines(async (backend) => {
    // The first finds system 0 in step 0 and looks again in step 3, the second finds system 1 in step 1.
    let calls = 0;
    const by = (customOp: () => number[]): Criterion => ({ key: "forces", threshold: 0, customOp });
    const found = await relax(backend, [
      new ConvergenceHook({ criteria: by(() => [1, 0, 0]), frequency: 3 }),
      new ConvergenceHook({ criteria: by(() => calls++ === 1 ? [0, 1, 0] : [0, 0, 0]) }),
    ], 5);
    assertEquals(found.reports, [[0, [0]], [1, [1]]]);
    assertEquals([...found.batch.get("stepsDone")], [1, 2, 5]);
  }),
);

Deno.test(
  "with a source and a target status systems change their status and go on moving",
  onEngines(async (backend) => {
    const steps = await firstSteps(backend, (batch) => fmaxOf(batch) <= 0.05);
    const criteria: ConvergenceOptions["criteria"] & object = { key: "fmax", threshold: 0.05 };
    const migrate = new ConvergenceHook({ criteria, sourceStatus: 0, targetStatus: 4 });
    const nSteps = Math.max(...steps) + 20;
    const { batch, reports, steps: done } = await relax(backend, [migrate], nSteps);
    assertEquals(reports, asReports(steps));
    assertEquals([...batch.get("status")], [4, 4, 4]);
    assertEquals(done, nSteps); // it does not end
    assertEquals([...batch.get("stepsDone")], [nSteps, nSteps, nSteps]);
    const plain = three();
    await using opt = new FIRE({ model: ARGON, dt: 0.3, ...where(backend) });
    await opt.run(plain, nSteps);
    assertSameBits(
      bitsOf(batch, undefined, ["positions", "velocities", "energy", "forces"]),
      bitsOf(plain, undefined, ["positions", "velocities", "energy", "forces"]),
    );
  }),
);

test(
  "only systems of the source status are asked",
  onEnginesAndGpu(async (backend) => {
    const batch = three();
    batch.set("status", [0, 7, 0]);
    const criteria: ConvergenceOptions["criteria"] & object = { key: "fmax", threshold: 100 };
    const hooks = [new ConvergenceHook({ criteria, sourceStatus: 7, targetStatus: 8 })];
    await using opt = new FIRE({ model: ARGON, dt: 0.3, ...where(backend), hooks });
    await opt.run(batch, 3);
    assertEquals([...batch.get("status")], [0, 8, 0]);
  }),
);

Deno.test(
  "a custom target status finishes systems, and the run ends when all are finished",
  onEngines(async (backend) => {
    const criteria: ConvergenceOptions["criteria"] & object = { key: "fmax", threshold: 100 };
    const found = await relax(backend, [new ConvergenceHook({ criteria, targetStatus: 3 })]);
    assertEquals(found.reports, [[0, [0, 1, 2]]]);
    assertEquals([...found.batch.get("status")], [3, 3, 3]);
    assertEquals(found.steps, 1);
  }),
);

Deno.test(
  "what ON_CONVERGE reads is that of the step in which it happened",
  onEngines(async (backend) => {
    const seen: number[][] = [];
    const look = hook({
      name: "look",
      reads: ["energy", "fmax", "status"],
      on: {
        dynamics: {
          ON_CONVERGE: ({ read, convergedMask }) => {
            const place = Array.from(convergedMask).indexOf(1);
            seen.push([place, read.energy[place]!, read.fmax[place]!, read.status[place]!]);
          },
        },
      },
    });
    const { batch, reports } = await relax(backend, [ConvergenceHook.fromFmax(0.02), look]);
    assertEquals(seen.map(([place]) => place), reports.map(([, places]) => places[0]));
    for (const [place, energy, fmax, status] of seen) {
      assertEquals(energy, batch.get("energy")[place!]);
      assertEquals(fmax! <= 0.02, true);
      assertEquals(status, 1);
    }
  }),
);

Deno.test(
  "forces that are no numbers meet no criterion, and hooks of ordinary dynamics may converge too",
  onEngines(async (backend) => {
    const batch = crystals(2);
    const hooks = [new ConvergenceHook({ criteria: { key: "energy", threshold: ABOVE_ALL } })];
    await using md = new NVE({ model: ARGON, dt: 1, ...where(backend), hooks });
    await md.run(batch, 10);
    assertEquals(md.stepCount, 1);
    assertEquals([...batch.get("status")], [1, 1]);
  }),
);

Deno.test(
  "what has converged is the same whatever hooks stand before: convergence comes last",
  onEngines(async (backend) => {
    const modifier = () => ({
      stage: DynamicsStage.AFTER_STEP,
      frequency: 1,
      writes: ["velocities"],
      call: (ctx: { readonly write: { readonly velocities: unknown } }) =>
        void ctx.write.velocities,
    });
    const alone = await relax(backend, [ConvergenceHook.fromFmax(0.01)]);
    const found = await relax(backend, [modifier(), ConvergenceHook.fromFmax(0.01)]);
    assertEquals(alone.outcome, { status: "completed" });
    assertEquals(found.reports, alone.reports);
    assertEquals(found.steps, alone.steps);
    assertSameBits(bitsOf(found.batch), bitsOf(alone.batch));
  }),
);

/** Above any energy of argon. */
const ABOVE_ALL = 0;

test("a ConvergenceHook names the criterion and the member that is wrong", () => {
  const refuses = (options: unknown, message: string) =>
    assertThrows(() => new ConvergenceHook(options as ConvergenceOptions), Error, message);
  refuses({ criteria: [] }, "at least one criterion is required; got criteria: []");
  refuses({ criteria: [{ key: "fmax" }] }, "threshold of criterion 0 must be a number");
  refuses({ criteria: { key: "fmax", threshold: NaN } }, "threshold of criterion 0");
  const good = { key: "fmax", threshold: 1 };
  refuses({ criteria: [good, { threshold: 1 }] }, "key of criterion 1 must be the name of a field");
  refuses({ criteria: [{ ...good, reduce: "max" }] }, 'got "reduce"');
  refuses({ criteria: [{ ...good, reduceOp: "most" }] }, "reduceOp of criterion 0 must be one of");
  refuses({ criteria: [{ ...good, reduceDims: 2 }] }, "reduceDims of criterion 0");
  refuses({ criteria: [{ ...good, customOp: 3 }] }, "customOp of criterion 0 must be a function");
  refuses({ criteria: [3] }, "criterion 0 must be an object");
  refuses({ criteria: good, sourceStatus: -1 }, "sourceStatus must be a non-negative integer");
  refuses({ criteria: good, targetStatus: 0.5 }, "targetStatus must be a non-negative integer");
});
