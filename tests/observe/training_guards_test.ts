// Hooks that decide: the batches of a step, its validation, and values that it must not use.
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  AccumulateGradients,
  ClipGradients,
  Ema,
  NanGuard,
  type NanGuardOptions,
  NotFiniteError,
  Validation,
} from "../../src/observe/mod.ts";
import { sgd, tensorData, type TrainerParts } from "../../src/training/mod.ts";
import type { MetricsContext, NormContext } from "../../src/training/mod.ts";
import { doubles, line } from "./training_line.ts";
import { gpuTest } from "../onnx/gpu.ts";

Deno.test("averages are kept and validated while the hook is enabled; the default decay is 0.999", async () => {
  const options = { data: doubles([1]), validation: doubles([1]), optimizers: sgd({ lr: 0.25 }) };
  const losses = async (hook: object) => {
    await using trainer = line([hook], options);
    await trainer.train();
    const average = (await trainer.parameter("w", "ema"))[0]!;
    return [average, trainer.state.metrics["val/loss"]];
  };
  // w goes from 0 to 1 in the one step: (2 − 1)² for it, (2 − 0.5)² for the average
  assertEquals(await losses(new Ema({ decay: 0.5 })), [0.5, 2.25]);
  assertEquals(await losses(new Ema({ decay: 0.5, validate: false })), [0.5, 1]);
  assertAlmostEquals((await losses(new Ema()))[0]!, 0.001, 1e-8);
});

Deno.test("gradients of the given number of batches are accumulated while the hook is enabled", async () => {
  await using trainer = line([new AccumulateGradients({ steps: 2 })], { epochs: 2 });
  await trainer.train(1);
  assertEquals(trainer.stepCount, 2);
  trainer.disableHook("accumulate_gradients");
  await trainer.train(2);
  assertEquals(trainer.stepCount, 6);
});

Deno.test("gradients are clipped by norm, by value, by both, while the hook is enabled", async () => {
  const moved = async (options: { norm?: number; value?: number }) => {
    const hook = new ClipGradients(options);
    await using trainer = line([hook], { data: doubles([1]), optimizers: sgd({ lr: 1 }) });
    await trainer.train();
    return (await trainer.parameter("w"))[0]!;
  };
  assertAlmostEquals(await moved({ norm: 0.5 }), 0.5, 1e-6); // the gradient is −4
  assertAlmostEquals(await moved({ value: 0.25 }), 0.25, 1e-6);
  assertAlmostEquals(await moved({ norm: 0.5, value: 0.25 }), 0.25, 1e-6);
  assertEquals(await moved({ norm: 100 }), 4);
  await using trainer = line([new ClipGradients({ norm: 0.5 })], {
    data: doubles([1]),
    optimizers: sgd({ lr: 1 }),
  });
  trainer.disableHook("clip_gradients");
  await trainer.train();
  assertEquals((await trainer.parameter("w"))[0], 4);
});

Deno.test("hooks with settings only refuse wrong options", () => {
  assertThrows(() => new Ema({ decay: 1.5 }), RangeError, "decay must be from 0 to 1");
  assertThrows(() => new Ema({ validate: 1 as never }), TypeError, "validate must be");
  assertThrows(
    () => new AccumulateGradients({} as never),
    TypeError,
    "steps is required: the number",
  );
  assertThrows(() => new AccumulateGradients({ steps: 0 }), RangeError, "steps must be");
  assertThrows(() => new ClipGradients({}), TypeError, "norm or value is required");
  assertThrows(() => new ClipGradients({ norm: 0 }), RangeError, "norm must be above 0");
  assertThrows(() => new ClipGradients({ value: -1 }), RangeError, "value must be above 0");
  assertThrows(() => new ClipGradients({ norms: 1 } as never), TypeError, "did you mean");
  const names = [new Ema(), new AccumulateGradients({ steps: 1 }), new ClipGradients({ norm: 1 })];
  assertEquals(names.map(({ name }) => name), ["ema", "accumulate_gradients", "clip_gradients"]);
  assertEquals(new Ema({ name: "mine" }).name, "mine");
});

/** The ends of validations, as epoch and steps done before, in two epochs of four steps. */
async function validations(hook: object, options: Partial<TrainerParts> = {}) {
  const seen: [number, number, number][] = [];
  const noting = {
    name: "noting",
    onValidationEnd: ({ epoch, state, metrics }: MetricsContext) =>
      void seen.push([epoch, state.step, metrics["val/loss"]!]),
  };
  await using trainer = line([hook, noting], {
    epochs: 2,
    validation: doubles([1]),
    validateEvery: { epochs: 0 },
    optimizers: sgd({ lr: 1e-12 }),
    ...options,
  });
  await trainer.train();
  return seen.map(([epoch, step]) => [epoch, step]);
}

Deno.test("validation after every few epochs or steps", async () => {
  assertEquals(await validations(new Validation()), [[0, 4], [1, 8]]);
  const own = { validateEvery: { epochs: 1 } }; // the same by the trainer's option
  assertEquals(await validations({ onTrainBegin() {} }, own), [[0, 4], [1, 8]]);
  assertEquals(await validations(new Validation({ every: 2 })), [[1, 8]]);
  const third = new Validation({ every: 3, unit: "step" });
  assertEquals((await validations(third)).length, 2);
  assertEquals((await validations(new Validation({ unit: "step", after: 5 }))).length, 3);
  const late = new Validation({ unit: "step", enableAfterEpoch: 1 });
  assertEquals((await validations(late)).length, 4);
});

Deno.test("validation with other data than the trainer's", async () => {
  const losses: number[] = [];
  const noting = {
    name: "noting",
    onValidationEnd: ({ metrics }: MetricsContext) => void losses.push(metrics["val/loss"]!),
  };
  const options = { data: doubles([1]), optimizers: sgd({ lr: 1e-12 }) };
  await using trainer = line([new Validation({ data: doubles([3]) }), noting], {
    ...options,
    validation: doubles([2]),
  });
  await trainer.train();
  assertEquals(losses, [16, 36]); // (2 · 2)² at the end of the epoch, then (2 · 3)²
  await using alone = line([new Validation({ data: { extra: doubles([3]) } }), noting], options);
  await alone.train();
  assertEquals(losses, [16, 36, 36]);
});

Deno.test("a validation hook refuses wrong options", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new Validation(options), error, text);
  refused({ every: 0 }, RangeError, "every must be a positive integer");
  refused({ unit: "batch" }, TypeError, 'unit must be "epoch" or "step"');
  refused({ data: 3 }, TypeError, "data must be batches");
  refused(
    { frequency: 2 },
    TypeError,
    'frequency must be left out, because the option "every" replaces it',
  );
  refused({ evry: 2 }, TypeError, "did you mean");
  assertEquals(new Validation().name, "validation");
});

/** x = 1, 2, 3, 4, one of which is NaN. */
function broken(at: number, value = NaN): ReturnType<typeof tensorData> {
  const xs = Float32Array.of(1, 2, 3, 4), wanted = xs.map((x) => 2 * x);
  wanted[at] = value;
  return tensorData({ x: { data: xs, dims: [4, 1] }, wanted: { data: wanted, dims: [4, 1] } }, {
    batchSize: 1,
    shuffle: false,
  });
}

/** Damages the gradient of one step, but not the loss. */
function breaking(step: number): object {
  return {
    name: "breaking",
    stage: "training/GRADIENTS",
    frequency: 1,
    call: (ctx: { stepCount: number; value: Map<string, Float32Array> }) =>
      new Map([...ctx.value].map(([name, numbers]) => [
        name,
        ctx.stepCount === step ? numbers.map(() => Infinity) : numbers,
      ])),
  };
}

Deno.test("a loss that is not finite ends the run, and the error names the tensors of the batch", async () => {
  await using trainer = line([new NanGuard()], { data: broken(2) });
  const error = await assertRejects(() => trainer.train(), NotFiniteError);
  assertEquals(
    error.message,
    "line diverged in step 2, batch 2 of epoch 1: these values are not finite: loss (1 number), wanted of the batch (1 number). " +
      "Look for NaN and infinity in the data; then try a smaller learning rate, clip: { norm: 1 }, or a NanGuard",
  );
  assertEquals([error.epoch, error.batch, error.step], [0, 2, 2]);
  assert((await trainer.parameter("w")).every(Number.isFinite));
});

Deno.test("a gradient that is not finite is named, for any loss; not with checkGradients off", async () => {
  await using trainer = line([breaking(1), new NanGuard()]);
  const error = await assertRejects(() => trainer.train(), NotFiniteError);
  assertEquals(error.tensors, [{ tensor: "gradient of w", count: 1 }]);
  assertEquals(error.step, 1);
  await using blind = line([breaking(1), new NanGuard({ checkGradients: false })]);
  await assertRejects(() => blind.train(), NotFiniteError, "loss (1 number)"); // a step later
  assertEquals(blind.stepCount, 2);
});

Deno.test("skip: the step is skipped, reported and counted, and training goes on", async () => {
  const said: string[] = [],
    guard = new NanGuard({ mode: "skip", write: (text) => said.push(text) });
  const steps: boolean[] = [];
  const noting = {
    name: "noting",
    onStepEnd: ({ skipped }: NormContext & { skipped: boolean }) => void steps.push(skipped),
  };
  await using trainer = line([guard, noting, breaking(2)], { data: broken(1, Infinity) });
  assertEquals((await trainer.train()).status, "completed");
  assertEquals(steps, [false, true, false, true]);
  assertEquals([guard.skipped, said.length], [2, 2]);
  assert(said[0]!.includes("in step 1") && said[1]!.includes("gradient of w"), said.join("\n"));
  assert((await trainer.parameter("w")).every(Number.isFinite));
  const next = new NanGuard({ mode: "skip" });
  next.load(guard.save());
  assertEquals(next.skipped, 2);
  assertThrows(() => next.load(3), TypeError, "its state must be a result of save()");
});

Deno.test("skip: one of several batches of a step is enough", async () => {
  const guard = new NanGuard({ mode: "skip", write: () => {}, checkGradients: false });
  await using trainer = line([guard], { data: broken(0), accumulate: 2 });
  await trainer.train();
  assertEquals([guard.skipped, trainer.stepCount], [1, 1]);
  assert((await trainer.parameter("w")).every(Number.isFinite));
});

Deno.test("break: it reports the error and stops, and the parameters are unchanged", async () => {
  const said: string[] = [];
  await using trainer = line([new NanGuard({ mode: "break", write: (text) => said.push(text) })], {
    data: broken(1),
  });
  const outcome = await trainer.train();
  assertEquals([outcome.status, said.length], ["stopped", 1]);
  assertEquals(outcome.status === "stopped" && outcome.reason, said[0]);
  assert((await trainer.parameter("w")).every(Number.isFinite));
});

Deno.test("logShapes writes the shapes of each batch", async () => {
  const said: string[] = [];
  const options: NanGuardOptions = { logShapes: true, write: (text) => void said.push(text) };
  await using trainer = line([new NanGuard(options)], { data: doubles([1, 2, 3], 2) });
  await trainer.train();
  assertEquals(said, [
    "epoch 1  batch 0  x [2, 1]  wanted [2, 1]",
    "epoch 1  batch 1  x [1, 1]  wanted [1, 1]",
  ]);
  said.length = 0;
  await using seldom = line([new NanGuard({ ...options, frequency: 2 })]);
  await seldom.train();
  assertEquals(said.length, 2);
});

Deno.test("a guard refuses wrong options", () => {
  const refused = (options: object, text: string) =>
    assertThrows(() => new NanGuard(options), TypeError, text);
  refused({ mode: "stop" }, 'mode must be "raise", "skip" or "break"');
  refused({ logShapes: 1 }, "logShapes must be true or false");
  refused({ checkGradients: 1 }, "checkGradients must be true or false");
  refused({ write: 1 }, "write must be a function");
  refused({ modes: 1 }, "did you mean");
  assertEquals(new NanGuard().name, "nan_guard");
});

gpuTest("on a GPU a gradient that is not finite is named, too", async () => {
  await using trainer = line([breaking(1), new NanGuard()], { device: "webgpu" });
  const error = await assertRejects(() => trainer.train(), NotFiniteError);
  assertEquals(error.tensors, [{ tensor: "gradient of w", count: 1 }]);
});

gpuTest(
  "on a GPU a loss that is not finite is found before it changes parameters",
  async () => {
    for (const [accumulate, at] of [[1, 1], [2, 0]] as const) {
      const said: string[] = [], write = (text: string) => void said.push(text);
      const guard = new NanGuard({ mode: "skip", checkGradients: false, write });
      await using trainer = line([guard], { device: "webgpu", data: broken(at), accumulate });
      await trainer.train();
      assertEquals([guard.skipped, said.length], [1, 1]);
      assert(said[0]!.includes("loss (1 number), wanted of the batch"), said[0]!);
      assert((await trainer.parameter("w")).every((x) => Number.isFinite(x) && x > 0));
    }
  },
);
