/**
 * Types that the compiler infers for hooks in object literals, and for classes that name their fields once. The
 * assertions are types: `deno check` checks them, and an unused `@ts-expect-error` is an error. Each test also runs.
 */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  Batch,
  type ContextOf,
  DynamicsStage,
  type HookOf,
  lennardJones,
  Loop,
  NVE,
  type StageOf,
  stages,
} from "@hooke/hooke";
import type { BaseContext, ReadonlyNumbers, ReadonlyRows, Workflow } from "@hooke/hooke/hooks";
import { WrapPeriodicHook } from "@hooke/hooke/observe";
import { scriptedTrainer } from "@hooke/hooke/testing";
import { getTrainer } from "@hooke/hooke/config";
import { Trainer } from "@hooke/hooke/training";
import { parts } from "../training/networks.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
/** Compiles only when the types are equal. */
function same<_T extends true>(): void {}

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const dimer = () => Batch.from([{ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.9, 0, 0] }]);

Deno.test("methods of an object get the fields that stand beside them, in a list of hooks and in add", async () => {
  const seen: [string, number][] = [];
  const trainer = new Trainer({
    ...parts({ steps: 1 }),
    hooks: [{
      reads: ["gradients"],
      onAfterBackward: ({ read }) => {
        same<Equal<typeof read.gradients, ReadonlyMap<string, ReadonlyNumbers>>>();
        const norm: number = read.gradients.get("w1")!.norm();
        assert(norm > 0);
        // @ts-expect-error gradients have no rows of atoms
        void (() => read.gradients.get("w1")!.atom(0));
        seen.push(["list", read.gradients.get("w1")!.length]);
      },
    }],
  });
  trainer.hooks.add({
    reads: ["gradients"],
    onAfterBackward: ({ read }) => void seen.push(["add", read.gradients.get("w1")!.length]),
  });
  trainer.addHook({
    reads: ["gradients"],
    onAfterBackward: ({ read }) => void seen.push(["addHook", read.gradients.get("w1")!.length]),
  });
  await trainer.train();
  await trainer.close();
  assertEquals(seen.map(([how]) => how), ["list", "add", "addHook"]);
  assert(seen.every(([, length]) => length > 0));
});

Deno.test("call gets the context of the stage beside it, with its reads and writes", async () => {
  const seen: unknown[] = [];
  await using md = new NVE({
    model,
    dt: 1,
    hooks: [
      { onBeforeStep: (ctx) => void seen.push(ctx.stepCount) }, // only functions: nothing to infer from
      {
        stage: "dynamics/AFTER_STEP",
        frequency: 1,
        reads: ["energy", "fmax"],
        call(ctx, stage) {
          same<Equal<typeof stage, "dynamics/AFTER_STEP">>();
          same<Equal<keyof typeof ctx.read, "energy" | "fmax">>();
          same<Equal<typeof ctx.read.energy, ReadonlyRows>>();
          same<Equal<ReturnType<typeof ctx.read.energy.mean>, number>>();
          seen.push(stage, ctx.read.energy.length, ctx.batch.size);
        },
      },
      {
        stage: DynamicsStage.AFTER_COMPUTE,
        frequency: 1,
        reads: ["fmax"],
        writes: ["forces"],
        call(ctx) {
          same<Equal<keyof typeof ctx.read, "fmax">>();
          same<Equal<keyof typeof ctx.write, "forces">>();
          seen.push(ctx.write.forces.length);
        },
      },
    ],
  });
  md.hooks.add({
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    phase: 0,
    reads: ["positions"],
    call: ({ read }) => void seen.push(read.positions.length),
  });
  await md.run(dimer(), 1);
  assertEquals(seen, [6, 0, 6, "dynamics/AFTER_STEP", 1, 1, 6]); // forces are computed before step 0
});

Deno.test("open, close, when and runsOnStage of an object know their arguments", async () => {
  const seen: unknown[] = [];
  const hook = {
    runsOnStage: (stage: DynamicsStage) => stage === "dynamics/AFTER_STEP",
    frequency: 1,
    call: () => {},
  };
  await using md = new NVE({
    model,
    dt: 1,
    hooks: [hook, {
      runsOnStage: (stage) => stage === "dynamics/AFTER_STEP",
      frequency: 1,
      reads: ["energy"],
      call: (ctx, stage) => void seen.push(stage, ctx.read.energy.length),
      when: (ctx) => ctx.stepCount === 1,
      open: (engine) => {
        same<Equal<typeof engine, Workflow>>();
        seen.push(engine.name);
      },
      close: (outcome) => void seen.push(outcome.status),
    }],
  });
  await md.run(dimer(), 2);
  await md.close();
  assertEquals(seen, ["NVE", "dynamics/AFTER_STEP", 1, "completed"]);
});

Deno.test("an object for several stages gets what each of them has", () => {
  const md = new NVE({ model, dt: 1 });
  md.hooks.add({
    stages: ["dynamics/BEFORE_STEP", "dynamics/AFTER_STEP"],
    frequency: 1,
    reads: ["energy"],
    call(ctx, stage) {
      same<Equal<typeof stage, "dynamics/BEFORE_STEP" | "dynamics/AFTER_STEP">>();
      void ctx.read.energy[0];
      // @ts-expect-error only at ON_CONVERGE
      void ctx.convergedMask;
    },
  });
  md.hooks.add({
    stages: ["dynamics/AFTER_STEP", "dynamics/ON_CONVERGE"],
    frequency: 1,
    call: (ctx) => void ctx.batch.size,
  });
});

Deno.test("methods of an object reach its own members", async () => {
  let total = 0;
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1, 2] }],
    lr: 1,
    hooks: [{
      sum: 0,
      onBatchEnd({ loss }) {
        total = this.sum += loss;
      },
    }],
  });
  await trainer.train();
  assertEquals(total, 3);
});

Deno.test("lists of objects with nothing but functions are inferred, whatever these return", () => {
  const one = [
    new NVE({ model, dt: 1, hooks: [{ onAfterStep: ({ stepCount }) => stepCount }] }),
    new NVE({ model, dt: 1, hooks: [{ onAfterStep: (ctx) => ctx.stepCount }] }),
    new NVE({
      model,
      dt: 1,
      hooks: [{
        onAfterStep(ctx) {
          return ctx.stepCount;
        },
      }],
    }),
    new Trainer({ ...parts(), hooks: [{ onEpochEnd: ({ metrics }) => metrics }] }),
    new Trainer({ ...parts(), hooks: [{ onMayUpdate: (ctx) => !ctx.skipping }] }),
    new Trainer({ ...parts(), hooks: [{ onEpochEnd: async ({ metrics }) => await metrics }] }),
  ];
  assertEquals(one.map(({ hooks }) => hooks.list().length), [1, 1, 1, 1, 1, 1]);
  const two = new NVE({
    model,
    dt: 1,
    hooks: [
      { onBeforeStep: (ctx) => ctx.stepCount },
      { reads: ["energy"], onAfterStep: (ctx) => ctx.read.energy },
    ],
  });
  assertEquals(two.hooks.list().length, 2);
});

Deno.test("pipes and gates that are written in place must return what their stage needs", () => {
  const trainer = new Trainer(parts());
  trainer.hooks.add({ onMayUpdate: (ctx) => !ctx.skipping });
  trainer.hooks.add({ stage: "training/LOSS", frequency: 1, call: (ctx) => ctx.value * 2 });
  // @ts-expect-error a pipe returns the next value
  trainer.hooks.add({ stage: "training/LOSS", frequency: 1, call: (ctx) => `${ctx.value}` });
  // @ts-expect-error a gate returns a boolean
  trainer.hooks.add({ onMayUpdate: (ctx) => `${ctx.skipping}` });
});

Deno.test("what is written in place is checked as before", () => {
  const md = new NVE({ model, dt: 1 });
  // @ts-expect-error undeclared
  md.hooks.add({ onAfterStep: ({ read }) => void read.energy });
  // @ts-expect-error undeclared, among declared ones
  md.hooks.add({ reads: ["fmax"], onAfterStep: ({ read }) => void read.energy });
  // @ts-expect-error undeclared, in a list
  new NVE({ model, dt: 1, hooks: [{ reads: ["fmax"], onAfterStep: ({ read }) => read.energy }] });
  // @ts-expect-error written to
  md.hooks.add({ reads: ["fmax"], onAfterStep: ({ read }) => void (read.fmax[0] = 1) });
  // @ts-expect-error no such method
  assertThrows(() => md.hooks.add({ onAfterStpe: () => {} }), TypeError, "onAfterStep");
  assertThrows(
    // @ts-expect-error no such stage, beside one that there is
    () => md.hooks.add({ stages: ["dynamics/AFTER_STEP", "dynamics/NO"], frequency: 1, call() {} }),
    TypeError,
  );
});

Deno.test("hooks of one of several types can be added, and lists that are chosen", () => {
  const isWrapped = dimer().size > 0;
  const print = { onAfterStep: () => {} }, wrap = new WrapPeriodicHook();
  const md = new NVE({ model, dt: 1, hooks: isWrapped ? [wrap] : [] });
  md.hooks.add(isWrapped ? print : wrap, { name: "one" });
  assertEquals(md.hooks.list().map(({ name }) => name), ["WrapPeriodicHook", "one"]);
});

Deno.test("getTrainer and scripted trainers infer as Trainer does", () => {
  const { model, loss, data, optimizers } = parts();
  const trainer = getTrainer("simple", {
    model,
    loss,
    data: data!,
    optimizers: optimizers!,
    hooks: [{ reads: ["lr"], onStepEnd: ({ read }) => void read.lr.toFixed() }],
  });
  assertEquals(trainer.hooks.list().length, 1);
});

interface Oven extends BaseContext {
  readonly degrees: number;
}
const OvenStage = stages<Oven, Record<never, never>, { crust: Float64Array }>()("oven", [
  "AFTER_LOAF",
  "AFTER_BATCH",
]);
type OvenStage = StageOf<typeof OvenStage>;

Deno.test("objects for custom kinds are inferred, too", () => {
  const loop = new Loop({ kinds: OvenStage, context: { degrees: 220 }, step: () => {} });
  const seen: number[] = [];
  loop.hooks.add({ onAfterLoaf: (ctx) => void seen.push(ctx.degrees) });
  loop.hooks.add({
    stage: OvenStage.AFTER_BATCH,
    frequency: 1,
    call: (ctx) => void seen.push(ctx.degrees),
  });
  assertEquals(loop.hooks.list().length, 2);
});

class PrintFmax {
  readonly stage = DynamicsStage.AFTER_STEP;
  readonly frequency = 1;
  readonly reads = ["energy", "fmax"] as const;
  readonly seen: number[] = [];

  call({ read, stepCount }: ContextOf<PrintFmax>): void {
    same<Equal<keyof typeof read, "energy" | "fmax">>();
    const most: number = read.fmax.max() + read.energy.system(0).sum();
    this.seen.push(stepCount, Number.isFinite(most) ? read.fmax.length : NaN);
    // @ts-expect-error not declared
    void (() => read.forces);
  }
}

class Halve {
  readonly writes = ["optimizers"] as const;

  onEpochEnd({ write, metrics }: ContextOf<Halve, "training/EPOCH_END">): void {
    void metrics["train/loss"];
    for (const { groups } of write.optimizers) for (const group of groups) group.lr /= 2;
  }
}

class Both {
  readonly stages = ["dynamics/AFTER_STEP", "dynamics/ON_CONVERGE"] as const;
  readonly frequency = 1;

  call(ctx: ContextOf<Both>): void {
    void ctx.batch.size;
    if ("convergedMask" in ctx) void ctx.convergedMask[0];
  }
}

class Baked {
  readonly stage = OvenStage.AFTER_LOAF;
  readonly frequency = 1;
  readonly reads = ["crust"] as const;

  call(ctx: ContextOf<Baked, OvenStage, typeof OvenStage>): void {
    void `${ctx.degrees} ${ctx.read.crust[0]}`;
  }
}

/** A factory as a package exports it, with its type written. */
function printFmax(seen: number[]): HookOf<"dynamics/AFTER_STEP", "fmax"> {
  return {
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    reads: ["fmax"],
    call: ({ read }) => void seen.push(read.fmax.length),
  };
}

class Timer implements HookOf<"dynamics/BEFORE_STEP" | "dynamics/AFTER_STEP"> {
  readonly stages = ["dynamics/BEFORE_STEP", "dynamics/AFTER_STEP"] as const;
  readonly frequency = 1;
  readonly seen: string[] = [];

  call(ctx: ContextOf<Timer>, stage: string): void {
    this.seen.push(`${stage} ${ctx.stepCount}`);
  }
}

Deno.test("HookOf is the type of constants, lists, results of factories and classes", async () => {
  const seen: number[] = [], timer = new Timer();
  const list: HookOf<"dynamics/AFTER_STEP", "fmax">[] = [printFmax(seen)];
  const tooHot = {
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    reads: ["temperature"],
    call: ({ read, stop }) => read.temperature.max() > 1e4 && stop("too hot"),
  } satisfies HookOf<"dynamics/AFTER_STEP", "temperature">;
  await using md = new NVE({ model, dt: 1, hooks: list });
  md.hooks.add(timer);
  md.hooks.add(tooHot);
  await md.run(dimer(), 1);
  assertEquals(seen, [1]);
  assertEquals(timer.seen, ["dynamics/BEFORE_STEP 0", "dynamics/AFTER_STEP 0"]);

  const halve: HookOf<"training/LOSS"> = {
    stage: "training/LOSS",
    frequency: 1,
    call: ({ value }) => value / 2,
  };
  const rate: HookOf<"training/EPOCH_END", never, "optimizers"> = {
    stage: "training/EPOCH_END",
    frequency: 1,
    writes: ["optimizers"],
    call: ({ write }) => void (write.optimizers[0]!.groups[0]!.lr = 0.5),
  };
  const trainer = scriptedTrainer({ epochs: [{ losses: [1] }], lr: 1, hooks: [halve, rate] });
  await trainer.train();
  assertEquals(trainer.optimizers[0]!.groups[0]!.lr, 0.5);
  // @ts-expect-error a hook of another engine
  assertThrows(() => md.hooks.add(halve), TypeError);
  // @ts-expect-error the reads are missing
  const missing: HookOf<"dynamics/AFTER_STEP", "energy"> = {
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call() {},
  };
  assertEquals(missing.frequency, 1);
  const baked: HookOf<"oven/AFTER_BATCH", never, never, typeof OvenStage> = {
    stage: "oven/AFTER_BATCH",
    frequency: 1,
    call: (ctx) => void ctx.degrees,
  };
  const loop = new Loop({ kinds: OvenStage, context: { degrees: 220 }, step: () => {} });
  loop.hooks.add(baked);
  assertEquals(loop.hooks.list().length, 1);
});

Deno.test("a class names its stage and its fields once, and ContextOf gives the context", async () => {
  const print = new PrintFmax();
  await using md = new NVE({ model, dt: 1, hooks: [print, new Both()] });
  await md.run(dimer(), 2);
  assertEquals(print.seen, [0, 1, 1, 1]);
  const trainer = scriptedTrainer({ epochs: [{ losses: [1] }], lr: 1, hooks: [new Halve()] });
  await trainer.train();
  assertEquals(trainer.optimizers[0]!.groups[0]!.lr, 0.5);
  const loop = new Loop({ kinds: OvenStage, context: { degrees: 220 }, step: () => {} });
  // @ts-expect-error a class of another kind
  assertThrows(() => loop.hooks.add(new PrintFmax()), TypeError);
  assertThrows(() => loop.hooks.add(new Baked()), TypeError, "crust"); // the loop has no state
});

Deno.test("the stage may be given at registration: contexts and checks are those of that stage", () => {
  const engine = new NVE({ model, dt: 2 });
  engine.hooks.add({
    frequency: 10,
    reads: ["fmax"],
    call: ({ read, stepCount }) => console.log(read.fmax[0], stepCount),
  }, { stage: DynamicsStage.AFTER_STEP });
  class Placed {
    readonly frequency = 1;
    call(ctx: ContextOf<Placed, "dynamics/ON_CONVERGE">): void {
      console.log(ctx.convergedMask);
    }
  }
  engine.hooks.add(new Placed(), { stage: DynamicsStage.ON_CONVERGE });
  // @ts-expect-error this stage has no mask
  engine.hooks.add(new Placed(), { stage: DynamicsStage.AFTER_STEP });
  // @ts-expect-error without a stage
  assertThrows(() => engine.hooks.add(new Placed()));
  // @ts-expect-error no such stage
  assertThrows(() => engine.hooks.add(new Placed(), { stage: "dynamics/AFTER_STP" }));
});
