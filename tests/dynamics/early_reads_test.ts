import { assertEquals } from "@std/assert";
import { Batch, fcc, initVelocities, rattle } from "../../src/batch/mod.ts";
import { DynamicsStage, fuse, NPT, NVE, SizeAwareSampler } from "../../src/dynamics/mod.ts";
import { lennardJones, type Wanted } from "../../src/models/mod.ts";
import { ThermoHook, TrajectoryHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";

const MODEL = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const STAGES = [
  "BEFORE_STEP",
  "BEFORE_PRE_UPDATE",
  "AFTER_PRE_UPDATE",
  "BEFORE_COMPUTE",
  "AFTER_COMPUTE",
  "AFTER_STEP",
] as const;

/** Returns what a hook reads at a stage in seven steps, by the number of steps done. */
async function readAt(
  stage: (typeof STAGES)[number],
  field: "energy" | "stress" | "conservedEnergy",
  { frequency, isNpt }: { readonly frequency: number; readonly isNpt: boolean },
): Promise<Map<number, number>> {
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
  initVelocities(batch, 40, { seed: 1 });
  const seen = new Map<number, number>();
  const hook = {
    stage: DynamicsStage[stage],
    frequency,
    reads: [field],
    call(
      ctx: {
        readonly stepCount: number;
        readonly read: Readonly<Record<string, ArrayLike<number>>>;
      },
    ) {
      seen.set(ctx.stepCount, ctx.read[field]![0]!);
    },
  };
  const options = { model: MODEL, dt: 4, hooks: [hook as never] };
  await using engine = isNpt
    ? new NPT({ ...options, temperature: 40, pressure: 0, thermostatTime: 100, barostatTime: 1000 })
    : new NVE(options);
  await engine.run(batch, 7);
  return seen;
}

Deno.test("a hook that is due now and then reads the same energies and stresses as one that is always due", async (t) => {
  for (const isNpt of [false, true]) {
    for (const field of ["energy", "stress", "conservedEnergy"] as const) {
      await t.step(`${field} in ${isNpt ? "NPT" : "NVE"}`, async () => {
        for (const stage of STAGES) {
          const always = await readAt(stage, field, { frequency: 1, isNpt });
          const rarely = await readAt(stage, field, { frequency: 3, isNpt });
          assertEquals(always.size, 7, stage);
          assertEquals(rarely.size, 3, stage);
          for (const [step, value] of rarely) {
            assertEquals(value, always.get(step), `${stage} ${step}`);
          }
        }
      });
    }
  }
});

/** A hook that is due before a step, and what it has read there by the number of steps done. */
function early(options: { frequency: number; after?: number }) {
  const seen = new Map<number, number>();
  const call = (ctx: { stepCount: number; read: { energy: ArrayLike<number> } }) => {
    seen.set(ctx.stepCount, ctx.read.energy[0]!);
  };
  const hook = { name: "early", stage: DynamicsStage.BEFORE_STEP, reads: ["energy"], ...options };
  return { seen, hook: { ...hook, call } as never };
}

function warm(): Batch {
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}

/** The energies before steps 0 to 29, and the positions after them. */
async function expected() {
  const { seen, hook } = early({ frequency: 1 }), batch = warm();
  await using engine = new NVE({ model: MODEL, dt: 4, hooks: [hook] });
  await engine.run(batch, 30);
  return { energies: seen, positions: batch.get("positions") };
}

Deno.test("a hook that is added or enabled during a run reads the energies of the step before at once", async () => {
  const { energies, positions } = await expected();
  for (const way of ["add", "enable"]) {
    const { seen, hook } = early({ frequency: 1 }), batch = warm();
    await using engine = new NVE({ model: MODEL, dt: 4 });
    const handle = way === "enable" ? engine.hooks.add(hook, { enabled: false }) : undefined;
    engine.hooks.add({
      stage: DynamicsStage.AFTER_STEP,
      frequency: 20,
      phase: 19,
      call: () => void (handle === undefined ? engine.hooks.add(hook) : handle.enable()),
    });
    await engine.run(batch, 30);
    assertEquals([...seen], [...energies].slice(20), way);
    assertEquals(batch.get("positions"), positions, "the same bits");
  }
});

Deno.test("hooks before the model read energies in streams and fused runs, too", async () => {
  const { energies } = await expected();
  const run = async (frequency: number) => {
    const { seen, hook } = early({ frequency });
    const stage = (nSteps: number) => new NVE({ model: MODEL, dt: 4, nSteps });
    await using both = fuse(stage(17), stage(13), { hooks: [hook] });
    await both.run(warm());
    return seen;
  };
  const streamed = async (frequency: number) => {
    const { seen, hook } = early({ frequency });
    await using engine = new NVE({ model: MODEL, dt: 4, hooks: [hook] });
    const sampler = new SizeAwareSampler([warm(), warm()].map((one) => one.system(0)), {
      maxSystems: 1,
    });
    await engine.stream(sampler, { sinks: [new MemorySink()], maxSteps: 17, refillFrequency: 1 });
    return seen;
  };
  for (const way of [run, streamed]) {
    const always = await way(1), rarely = await way(5);
    assertEquals(rarely.size >= 3, true);
    for (const [step, energy] of rarely) assertEquals(energy, always.get(step), `step ${step}`);
  }
  assertEquals(await run(1), energies);
});

/** Returns whether all steps of a run with a hook compute energies. */
async function computesAlways(hook: object): Promise<boolean> {
  const wanted: boolean[] = [];
  const open = (...args: Parameters<typeof MODEL.open>) => {
    const model = MODEL.open(...args);
    return {
      ...model,
      calls(results: Wanted) {
        wanted.push(results.energy);
        return model.calls!(results);
      },
    };
  };
  const model = Object.create(MODEL, { open: { value: open } });
  await using engine = new NVE({ model, dt: 4, hooks: [hook as never] });
  await engine.run(warm(), 5);
  assertEquals(wanted.includes(true), true);
  return !wanted.includes(false);
}

Deno.test("steps compute no energies for hooks that are rarely due before them", async () => {
  const hooks = [
    new TrajectoryHook({ sink: new MemorySink(), every: 200 }),
    new ThermoHook({ output: () => {}, every: 200 }),
    early({ frequency: 200 }).hook,
  ];
  for (const hook of hooks) assertEquals(await computesAlways(hook), false);
  const writer = { stage: DynamicsStage.AFTER_COMPUTE, frequency: 200, writes: ["forces"] };
  assertEquals(await computesAlways({ ...writer, call() {} }), true);
});
