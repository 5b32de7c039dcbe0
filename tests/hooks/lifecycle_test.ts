import { assertEquals, assertThrows } from "@std/assert";
import { type BaseContext, hook, Loop, stages, type Workflow } from "@hooke/hooke/hooks";
import { TrainingStage } from "@hooke/hooke";
import { work } from "./kit.ts";

const SchoolStage = stages<BaseContext>()("school", [
  "TRAIN_BEGIN",
  "EPOCH_BEGIN",
  "STEP_END",
  "ON_BREAK",
  "TRAIN_END",
], {
  aliases: { onTrainingEnd: "TRAIN_END" },
});

function school(): Loop<typeof SchoolStage> {
  return new Loop({
    kinds: SchoolStage,
    step(loop) {
      for (
        const name of ["TRAIN_BEGIN", "EPOCH_BEGIN", "STEP_END", "ON_BREAK", "TRAIN_END"] as const
      ) loop.fire(`school/${name}`);
    },
  });
}

Deno.test("an object with lifecycle methods, any subset, is a hook; each gets one argument and its own this", async () => {
  const loop = school();
  class Counts {
    readonly seen: string[] = [];
    readonly arities: number[] = [];
    onTrainBegin(): void {
      this.seen.push("begin");
    }
    // deno-lint-ignore no-explicit-any -- counts what it is really given
    onStepEnd(...args: any[]): void {
      this.seen.push("step");
      this.arities.push(args.length);
    }
    onBreak(ctx: BaseContext): void {
      this.seen.push(`break ${ctx.stepCount}`);
    }
  }
  const counts = new Counts();
  loop.hooks.add(counts);
  await loop.run(1);
  assertEquals(counts.seen, ["begin", "step", "break 0"]);
  assertEquals(counts.arities, [1]);
  assertEquals(loop.hooks.list()[0]!.overloads, {
    "school/TRAIN_BEGIN": "onTrainBegin",
    "school/STEP_END": "onStepEnd",
    "school/ON_BREAK": "onBreak",
  });
});

Deno.test("Start is understood for Begin, and a kind's own aliases", async () => {
  const seen: string[] = [], loop = school();
  loop.hooks.add({
    onTrainStart: () => void seen.push("start"),
    onEpochStart: () => void seen.push("epoch"),
  });
  loop.hooks.add({ onTrainingEnd: () => void seen.push("end") });
  await loop.run(1);
  assertEquals(seen, ["start", "epoch", "end"]);
});

Deno.test("an unknown on… method is an error naming the nearest", () => {
  const add = (hook: object) => () =>
    (school().hooks.add as (hook: object) => unknown).call(school().hooks, hook);
  assertThrows(add({ onStepEnd() {}, onEpochBegn() {} }), TypeError, "did you mean onEpochBegin?");
  assertThrows(
    add({ onConverge() {} }),
    TypeError,
    "Cannot register hook hook: no stage has a method onConverge",
  );
});

Deno.test("lifecycle objects may have a schedule, a policy, open and close", async () => {
  const seen: string[] = [], loop = work();
  loop.hooks.add({
    name: "mine",
    frequency: 2,
    onError: "throw" as const,
    open: () => void seen.push("open"),
    onAfter: (ctx: BaseContext) => void seen.push(`${ctx.stepCount}`),
    close: () => void seen.push("close"),
  });
  await loop.run(4);
  assertEquals(seen, ["open", "0", "2", "close"]);
  assertEquals(loop.hooks.list()[0]!.name, "mine");
});

Deno.test("every training stage has a lifecycle method by the rule", async () => {
  const loop = new Loop({
    kinds: TrainingStage,
    context: { epoch: 0 },
    step: (loop) => loop.fire("training/GRADIENT_CLIP"),
  });
  const seen: number[] = [];
  loop.hooks.add({ onGradientClip: (ctx) => void seen.push(ctx.epoch) });
  await loop.run(1);
  assertEquals(seen, [0]);
});

Deno.test("a member that could never be called is refused, and the name that was meant is suggested", () => {
  const stage = { stage: TrainingStage.STEP_END, frequency: 1, call() {} };
  const cases: readonly [object, string][] = [
    [{ ...stage, onEpochEnd() {} }, "it has both call and onEpochEnd"],
    [{ ...stage, onTypo() {} }, "it has both call and onTypo"],
    [
      { name: "table", on: { training: { STEP_END() {} } }, onEpochEnd() {} },
      "it has both on and onEpochEnd",
    ],
    [
      { name: "table", on: { training: { STEP_END() {} } }, call() {} },
      "it has both on and call, and call would never be called",
    ],
    [{ on_epoch_end() {} }, "no stage has a method on_epoch_end; did you mean onEpochEnd?"],
    [{ onStepEnd() {}, on_train_begn() {} }, "did you mean onTrainBegin?"],
  ];
  for (const [hook, message] of cases) {
    const loop = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step() {} });
    assertThrows(() => loop.hooks.add(hook as never), TypeError, message);
    assertEquals(loop.hooks.list(), []);
  }
});

Deno.test("onRegister is called once, after the hook was checked and before it is listed", () => {
  const loop = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step() {} }, {
    name: "own",
  });
  const seen: unknown[] = [];
  const hook = {
    stage: TrainingStage.STEP_END,
    frequency: 1,
    call() {},
    name: "mine",
    onRegister: ({ name, hooks }: Workflow) => void seen.push([name, hooks.list().length]),
  };
  assertThrows(() => loop.hooks.add({ ...hook, frequency: 0 }), RangeError, "frequency");
  assertThrows(() => loop.hooks.add(hook, { before: "mine" }), RangeError, "name other hooks");
  assertEquals(seen, []);
  loop.hooks.add(hook);
  assertEquals(seen, [["own", 0]]);
  loop.hooks.add({ onStepEnd() {}, onRegister: () => void seen.push("lifecycle") });
  assertEquals(seen.length, 2);
});

Deno.test("an onRegister that throws, or waits, leaves the registry as it was; one that adds hooks keeps them", () => {
  const loop = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step() {} });
  const throws = () => {
    throw new Error("no license");
  };
  assertThrows(() => loop.hooks.add({ onStepEnd() {}, onRegister: throws }), Error, "no license");
  const waits = (() => Promise.reject(new Error("late"))) as never;
  assertThrows(
    () => loop.hooks.add({ onStepEnd() {}, onRegister: waits }),
    TypeError,
    "onRegister must not return a promise",
  );
  assertEquals(loop.hooks.list(), []);
  loop.hooks.add({
    name: "first",
    onStepEnd() {},
    onRegister: () => void loop.hooks.add({ name: "second", onStepEnd() {} }),
  });
  assertEquals(loop.hooks.list().map(({ name }) => name).toSorted(), ["first", "second"]);
});

Deno.test("two names of one observe stage may both be there, and are called in their order", async () => {
  const seen: string[] = [];
  const loop = new Loop({
    kinds: TrainingStage,
    context: { epoch: 0 },
    step: (loop) => loop.fire(TrainingStage.TRAIN_END),
  });
  loop.hooks.add({
    async onTrainEnd() {
      await Promise.resolve();
      seen.push("onTrainEnd");
    },
    onTrainingEnd: () => void seen.push("onTrainingEnd"),
  });
  await loop.run(1);
  assertEquals(seen, ["onTrainEnd", "onTrainingEnd"]);
});

Deno.test("the stage of a hook may be given when it is added; the hook itself is not changed", async () => {
  const make = () =>
    new Loop({
      kinds: TrainingStage,
      context: { epoch: 0 },
      step: async (loop) => {
        await loop.fire(TrainingStage.BATCH_BEGIN);
        await loop.fire(TrainingStage.STEP_END);
      },
    });
  const seen: string[] = [];
  class Look {
    readonly frequency: number = 1;
    readonly #seen = seen;
    call(_ctx: unknown, stage: string): void {
      this.#seen.push(stage);
    }
  }
  const loop = make(), look = new Look();
  loop.hooks.add(look, { stage: TrainingStage.STEP_END, name: "look" });
  const call = look.call.bind(look), own = { stage: TrainingStage.BATCH_BEGIN, frequency: 1, call };
  loop.hooks.add(own, { stage: TrainingStage.STEP_END });
  assertEquals(loop.hooks.list().map(({ stages }) => stages), [
    ["training/STEP_END"],
    ["training/STEP_END"],
  ]);
  await loop.run(1);
  assertEquals(seen, ["training/STEP_END", "training/STEP_END"]);
  assertEquals([Object.keys(look), own.stage], [["frequency"], "training/BATCH_BEGIN"]);
  // What nvalchemi checks is checked here, and nothing is registered then.
  const wrong: readonly [hook: object, stage: unknown, message: string][] = [
    [new Look(), "training/STEP_ED", "unknown stage"],
    [new Look(), "STEP_END", "stage must be a stage"],
    [new Look(), 3, "stage must be a stage"],
    [new Look(), "dynamics/AFTER_STEP", "it handles no stage of this engine"],
    [new Look(), undefined, "stage must be a stage"],
    [{ onStepEnd() {} }, "training/STEP_END", "the hook chooses its stages by onStepEnd"],
    [
      hook({ name: "table", on: { training: { STEP_END() {} } } }),
      "training/STEP_END",
      "the hook chooses its stages by on",
    ],
    [
      { frequency: 1, call() {}, runsOnStage: () => true },
      "training/STEP_END",
      "the hook chooses its stages by runsOnStage",
    ],
    [
      { frequency: 1, call() {}, stages: ["training/STEP_END"] },
      "training/STEP_END",
      "the hook chooses its stages by stages",
    ],
  ];
  for (const [hook, stage, message] of wrong) {
    const other = make();
    assertThrows(() => other.hooks.add(hook as never, { stage } as never), TypeError, message);
    assertEquals(other.hooks.list(), []);
  }
});
