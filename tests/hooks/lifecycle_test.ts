import { assertEquals, assertThrows } from "@std/assert";
import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
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
    "Cannot register hook hook as no stage has a method onConverge",
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
