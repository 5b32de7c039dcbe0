/** Statements of document 002, a page on hooks of pre-training, that no other test shows. */
import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import { hook, Loop, TrainingStage } from "../../mod.ts";
import type { ReadonlyNumbers } from "../../src/hooks/mod.ts";
import {
  adam,
  crossEntropy,
  exponential,
  perplexity,
  sgd,
  type StepContext,
  tensorData,
  type TrainingContext,
} from "../../src/training/mod.ts";
import { JsonLog, postScalars } from "../../src/observe/mod.ts";
import { scriptedTrainer } from "../../src/testing/mod.ts";
import { line } from "../observe/training_line.ts";
import { madeNumbers } from "./made_numbers.ts";
import { parametersOf, smallData, smallTrainer } from "./small_trainer.ts";

/** Batches of labels among four, with four tokens each. */
function labeled() {
  const labels = Array.from(madeNumbers(3, 8, 2), (x) => BigInt(Math.floor(x) + 2));
  return tensorData({
    x: { data: madeNumbers(4, 24, 1), dims: [8, 3] },
    target: { data: BigInt64Array.from(labels), dims: [8] },
  }, { batchSize: 4, seed: 1, tokens: () => 100 });
}

Deno.test("document 002: five events, each when it says, as often, with what it hands over", async () => {
  const events: unknown[][] = [], path = `${await Deno.makeTempDir()}/small.hooke`;
  await using trainer = smallTrainer([], {
    loss: crossEntropy({ output: "hidden" }),
    metrics: { perplexity: perplexity({ output: "hidden" }) },
    data: labeled(),
    validation: labeled(),
    epochs: 1,
  });
  trainer.hooks.add({
    onTrainBegin: ({ trainer }) => void events.push(["train begin", trainer.parameters.length]),
    onStepEnd(ctx) {
      events.push(["step end", ctx.stepCount, ctx.tokensSeen]);
      if (ctx.stepCount === 1) ctx.trainer.checkpointSoon(path);
    },
    onEvalEnd({ metrics, stepCount }) {
      assertAlmostEquals(metrics["eval/perplexity"]!, Math.exp(metrics["eval/loss"]!), 1e-5);
      events.push(["eval end", stepCount]);
    },
    onCheckpointSave({ stepCount, path }) {
      events.push(["checkpoint save", stepCount, path, Deno.statSync(path).isFile]);
    },
    onTrainEnd: ({ state }) => void events.push(["train end", state.step, state.tokensSeen]),
  });
  await trainer.train();
  assertEquals(events, [
    ["train begin", 2],
    ["step end", 1, 100],
    ["checkpoint save", 1, path, true],
    ["step end", 2, 200],
    ["eval end", 2],
    ["train end", 2, 200],
  ]);
});

Deno.test("document 002: a hook has only the methods that it needs", async () => {
  const steps: number[] = [];
  class MyHook {
    onStepEnd({ stepCount }: { readonly stepCount: number }): void {
      steps.push(stepCount);
    }
  }
  await using trainer = smallTrainer([new MyHook()]);
  assertEquals(trainer.hooks.list()[0]!.stages, ["training/STEP_END"]);
  await trainer.train();
  assertEquals(steps, [1, 2, 3, 4]);
});

Deno.test("document 002: at the end of each step there are loss, norm, rate, parameters, optimizer state, and gradients", async () => {
  await using trainer = smallTrainer([], { optimizers: adam({ lr: 0.01 }) });
  let before: readonly number[] = [];
  const seen: { loss: number; gradNorm: number; lr: number; moved: boolean }[] = [];
  trainer.hooks.add(hook({
    name: "step",
    reads: ["parameters", "optimizerState:first/*", "gradients"],
    on: {
      training: {
        STEP_END(ctx) {
          const { loss, gradNorm, lr } = ctx;
          const now = [...ctx.read.parameters.get("first")!];
          seen.push({ loss, gradNorm, lr, moved: now.some((x, i) => x !== before[i]) });
          before = now;
          const all = [...ctx.read.gradients.values()].flatMap((numbers) => [...numbers]);
          assertAlmostEquals(Math.hypot(...all), gradNorm, 1e-6);
          const moments = ctx.read["optimizerState:first/*"];
          assertEquals([...moments.keys()], ["first/first", "first/second"]);
          if (ctx.stepCount > 0) return;
          const slopes = ctx.read.gradients.get("first")!;
          for (const [i, m] of [...moments.get("first/first")!].entries()) {
            assertAlmostEquals(m, 0.1 * slopes[i]!, 1e-7); // (1 − β₁) g
          }
        },
      },
    },
    onError: "throw",
  }));
  await trainer.train();
  assertEquals(seen.length, 4);
  for (const { loss, gradNorm, lr, moved } of seen) {
    assert(loss > 0 && gradNorm > 0 && lr === 0.01 && moved);
  }
});

Deno.test("document 002: metrics of a step are complete before its hooks are called", async () => {
  await using trainer = smallTrainer();
  trainer.hooks.add({
    onStepEnd: ({ loss, state }) => assertEquals(state.latestLoss, loss),
  }, { onError: "throw" });
  await trainer.train();
});

Deno.test("document 002: the end is reported once, after a shutdown and after a failure, too", async () => {
  const interrupt = new AbortController(), ends: string[] = [];
  const tell = {
    onTrainEnd: ({ outcome }: { outcome: { status: string } }) => void ends.push(outcome.status),
  };
  await using stopped = smallTrainer([tell], { signal: interrupt.signal });
  stopped.hooks.add({ onStepEnd: () => interrupt.abort("SIGINT") });
  await stopped.train();
  await using failed = smallTrainer([tell]);
  failed.hooks.add({
    onStepEnd() {
      throw new Error("no");
    },
  }, { onError: "throw" });
  await failed.train().catch(() => {});
  assertEquals(ends, ["stopped", "failed"]);
});

Deno.test("document 002: hooks are registered after construction, too", async () => {
  await using trainer = smallTrainer();
  let steps = 0;
  const first = trainer.hooks.add({ onStepEnd: () => void steps++ });
  trainer.hooks.add({ onStepEnd: () => void (steps += 100) });
  await trainer.train(1);
  first.remove();
  await trainer.train(2);
  assertEquals(steps, 2 * 101 + 2 * 100);
});

Deno.test("document 002: a schedule that is in no registry is an object with factor", async () => {
  const rates: number[] = [], factor = (step: number) => 1 / (1 + step);
  await using trainer = smallTrainer([], { optimizers: sgd({ lr: 0.1 }), schedule: { factor } });
  trainer.hooks.add({ onStepEnd: ({ lr }) => void rates.push(lr) });
  await trainer.train();
  for (const [i, rate] of rates.entries()) assertAlmostEquals(rate, 0.1 / (1 + i), 1e-12);
  assertEquals(rates.length, 4);
});

Deno.test("document 002: the loss function changes in mid-run", async () => {
  const squares = hook({
    name: "squares",
    on: {
      training: {
        COMPUTE_LOSS({ outputs, batch }) {
          const wanted = batch.feeds.wanted!.data, { data } = outputs.get("y")!;
          const away = Array.from(data, (y, i) => y - Number(wanted[i]));
          const loss = 100 * away.reduce((sum, x) => sum + x * x, 0) / away.length;
          return { loss, slopes: new Map([["y", away.map((x) => 200 * x / away.length)]]) };
        },
      },
    },
  });
  const losses: number[] = [];
  await using trainer = smallTrainer([], { optimizers: sgd({ lr: 0 }), data: smallData() });
  trainer.hooks.add({ onEpochEnd: ({ metrics }) => void losses.push(metrics["train/loss"]!) });
  await trainer.train(1);
  const before = await parametersOf(trainer);
  const handle = trainer.hooks.add(squares);
  await trainer.train(2);
  handle.disable();
  await trainer.train(3);
  assertAlmostEquals(losses[1]! / losses[0]!, 100, 1e-3);
  assertAlmostEquals(losses[2]!, losses[0]!, 1e-6);
  assertEquals(await parametersOf(trainer), before);
  assertNotEquals(losses[0], 0);
});

Deno.test("document 002: where there is no hook a stage is over at once: no promise, no context, the same value", () => {
  const asked: string[] = [];
  const loop = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
  Object.defineProperty(loop.context, "gradNorm", { get: () => asked.push("gradNorm") });
  const gradients = new Map([["w", new Float32Array(1)]]);
  assertEquals(loop.fire(TrainingStage.STEP_END), undefined);
  assertEquals(loop.gate(TrainingStage.MAY_UPDATE), true);
  assert(loop.pipe(TrainingStage.GRADIENTS, gradients) === gradients);
  assertEquals(asked, []);
  loop.hooks.add({ onStepEnd: ({ gradNorm }) => void gradNorm });
  loop.fire(TrainingStage.STEP_END);
  assertEquals(asked, ["gradNorm"]);
});

Deno.test("document 002: the optimizer and the schedule have stepped when a step ends", async () => {
  const seen: { w: number; lr: number }[] = [], rates: number[] = [];
  await using trainer = line([{
    reads: ["parameters"],
    onStepEnd: ({ read, lr }: StepContext & TrainingContext<"parameters">) =>
      void seen.push({ w: read.parameters.get("w")![0]!, lr }),
    onBatchStart: ({ optimizers }: TrainingContext) =>
      void rates.push(optimizers[0]!.groups[0]!.lr),
  }], { optimizers: sgd({ lr: 1 / 64 }), schedule: exponential({ gamma: 0.5 }) });
  await trainer.train(2);
  // y = w x: w grows by 2 · lr · x · (2 x − w x), from 0 at x = 1
  assertEquals(seen[0], { w: 4 / 64, lr: 1 / 64 });
  assertEquals(rates.slice(0, 2), [1 / 64, 1 / 128]);
});

Deno.test("document 002: parameters and optimizer state are live, and copies last", async () => {
  const copies: number[] = [], views: ReadonlyNumbers[] = [], maps = new Set<unknown>();
  await using trainer = line([{
    reads: ["parameters"],
    onStepEnd({ read }: TrainingContext<"parameters">) {
      copies.push(read.parameters.get("w")!.slice()[0]!);
      views.push(read.parameters.get("w")!);
      maps.add(read.parameters);
    },
  }]);
  await trainer.train();
  assertEquals([copies.length, maps.size], [4, 1]); // a view is made once, not at each step
  assert(copies[0]! < copies[3]!);
  assertEquals(views.map((view) => view[0]), copies.map(() => copies[3]));
});

Deno.test("document 002: what a hook logs at the end of a step has the step number of the metrics", async () => {
  const dir = await Deno.makeTempDir();
  const trainer = scriptedTrainer({
    epochs: [{ losses: [3, 5] }],
    lr: 1,
    hooks: [new JsonLog({ outputDir: dir, logEveryNBatches: 1 }), {
      onStepEnd(ctx) {
        postScalars(ctx, { step: ctx.stepCount, source: "mine", values: { loss: ctx.loss } });
      },
    }],
  });
  await trainer.train();
  const [file] = [...Deno.readDirSync(`${dir}/logs`)];
  const rows = Deno.readTextFileSync(`${dir}/logs/${file!.name}`).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  const logged = rows.filter(({ event }) => event === "scalars");
  const metrics = rows.filter(({ event }) => event === "batch");
  assertEquals(logged.map(({ step, values }) => [step, values.loss]), [[1, 3], [2, 5]]);
  assertEquals(metrics.map(({ step, loss }) => [step, loss]), [[1, 3], [2, 5]]);
});
