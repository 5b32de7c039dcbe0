/** Hooks that decide: gradients, the loss, and updates. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { NotFiniteError } from "../../src/observe/mod.ts";
import { hook } from "../../src/hook.ts";
import {
  adam,
  type ComputedLoss,
  exponential,
  type NamedNumbers,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainingHooks,
} from "../../src/training/mod.ts";
import { assertWithin } from "../onnx/assert_within.ts";
import { parametersOf, parts, samples } from "./networks.ts";

type Parameters = Record<string, number[]>;

async function trained(
  hooks: TrainingHooks,
  more: Partial<TrainerParts> = {},
): Promise<{ trainer: Trainer; parameters: Parameters }> {
  const trainer = new Trainer({ ...parts(more), hooks: hooks as never });
  await trainer.train();
  return { trainer, parameters: await parametersOf(trainer) };
}

async function parametersAfter(
  hooks: TrainingHooks,
  more: Partial<TrainerParts> = {},
): Promise<Parameters> {
  return (await trained(hooks, more)).parameters;
}

function assertNear(ours: Parameters, theirs: Parameters, within = 1e-6): void {
  assertEquals(Object.keys(ours), Object.keys(theirs));
  for (const name in ours) assertWithin(name, ours[name]!, theirs[name]!, within);
}

/** A pipe over the gradients. */
function gradients(change: (value: NamedNumbers) => NamedNumbers) {
  return hook({ name: "changes", on: { training: { GRADIENTS: ({ value }) => change(value) } } });
}

const scaled = (by: number) => (value: NamedNumbers) =>
  new Map([...value].map(([name, numbers]) => [name, numbers.map((x) => by * x)]));

Deno.test("gradients that a pipe leaves as they are change no bit, be they copies or not", async () => {
  const alone = await parametersAfter([]);
  assertEquals(await parametersAfter([gradients((value) => value)]), alone);
  assertEquals(await parametersAfter([gradients(scaled(1))]), alone);
});

Deno.test("doubled gradients are a doubled learning rate, for SGD", async () => {
  const twice = { optimizers: sgd({ lr: 0.1 }) }, once = { optimizers: sgd({ lr: 0.05 }) };
  assertEquals(
    await parametersAfter([gradients(scaled(2))], once),
    await parametersAfter([], twice),
  );
});

Deno.test("gradients that a pipe changes in place count", async () => {
  const once = { optimizers: sgd({ lr: 0.05 }) };
  const inPlace = gradients((value) => {
    for (const numbers of value.values()) numbers.forEach((x, i) => numbers[i] = 2 * x);
    return value;
  });
  assertEquals(
    await parametersAfter([inPlace], once),
    await parametersAfter([gradients(scaled(2))], once),
  );
});

Deno.test("a pipe may give a parameter the gradient of another", async () => {
  const swap = (copy: (numbers: Float32Array) => Float32Array) =>
    gradients((value) => {
      const [w, b] = [value.get("w1")!, value.get("b1")!];
      return new Map([...value, ["b1", copy(w.subarray(4, 8))], ["b2", copy(b.subarray(0, 2))]]);
    });
  const views = await parametersAfter([swap((numbers) => numbers)]);
  assertEquals(views, await parametersAfter([swap((numbers) => numbers.slice())]));
});

Deno.test("a parameter whose gradient is left out keeps its value, its moments and its count for the step", async () => {
  const steps = { optimizers: adam({ lr: 0.01 }), clip: { norm: 0.1 } };
  const drops = hook({
    name: "drops",
    on: {
      training: {
        GRADIENTS: ({ value, stepCount }) =>
          stepCount === 1 ? new Map([...value].filter(([name]) => name !== "w1")) : value,
      },
    },
  });
  const trainer = new Trainer({ ...parts(steps), hooks: [drops] });
  const states: Awaited<ReturnType<Trainer["save"]>>[] = [];
  for await (const batch of samples(12, { batchSize: 4 }).batches(0, 0)) {
    await trainer.step(batch);
    states.push(await trainer.save());
  }
  const of = (
    state: number,
    array: string,
    from: number,
    to: number,
  ) => [...states[state]!.arrays[array]!.subarray(from, to)];
  assertEquals(states.map(({ counts }) => [...counts]), [[1, 1, 1, 1], [1, 2, 2, 2], [2, 3, 3, 3]]);
  for (const array of ["parameters", "first", "second"]) {
    assertEquals(of(1, array, 0, 12), of(0, array, 0, 12), array);
    assert(of(2, array, 0, 12).some((x, i) => x !== of(1, array, 0, 12)[i]), array);
    assert(of(1, array, 12, 26).every((x, i) => x !== of(0, array, 12, 26)[i]), array);
  }
});

Deno.test("what is left out counts neither for the norm nor for clipping", async () => {
  const norms: number[] = [];
  const notes = hook({
    name: "notes",
    on: { training: { GRADIENT_CLIP: ({ gradNorm }) => void norms.push(gradNorm) } },
  });
  const zeros = gradients((value) => new Map([...value, ["w1", new Float32Array(12)]]));
  const drops = gradients((value) => new Map([...value].filter(([name]) => name !== "w1")));
  const one = { clip: { norm: 0.01 }, steps: 1, optimizers: sgd({ lr: 1 }) };
  const dropped = await parametersAfter([drops, notes], one);
  assertEquals(dropped, await parametersAfter([zeros, notes], one));
  assertEquals(norms[0], norms[1]);
});

Deno.test("gradients of no parameter, or of another length, are refused", async () => {
  for (
    const strange of [
      new Map([["w9", new Float32Array(3)]]),
      new Map([["w1", new Float32Array(3)]]),
    ]
  ) {
    await assertRejects(
      () => trained([gradients(() => strange)]),
      RangeError,
      "that a hook returned",
    );
  }
});

Deno.test("a doubled loss doubles gradients, and is what all that follow find", async () => {
  const seen: number[] = [];
  const doubles = hook({
    name: "doubles",
    on: {
      training: {
        LOSS: ({ value }) => (seen.push(value), 2 * value),
        AFTER_LOSS: ({ loss, state }) => void seen.push(loss, state.latestLoss),
        BATCH_END: ({ metrics }) => void seen.push(metrics.loss!),
        EPOCH_END: ({ metrics }) => void seen.push(metrics["train/loss"]!),
      },
    },
  });
  const twice = await parametersAfter([], { optimizers: sgd({ lr: 0.1 }), steps: 3 });
  const ours = await parametersAfter([doubles], { optimizers: sgd({ lr: 0.05 }) });
  assertNear(ours, twice, 1e-7);
  const [given, after, latest, end] = seen as [number, number, number, number];
  assertEquals([after, latest, end], [2 * given, 2 * given, 2 * given]);
  const mean = [seen[0]!, seen[4]!, seen[8]!].reduce((a, b) => a + b) / 3;
  assertWithin("mean", [seen[12]!], [2 * mean], 1e-12);
});

Deno.test("each batch of a step is weighed on its own", async () => {
  const half = { optimizers: sgd({ lr: 0.1 }), accumulate: 2, steps: 1 };
  let count = 0;
  const first = hook({
    name: "first",
    on: { training: { LOSS: ({ value }) => count++ === 0 ? value : 0 } },
  });
  const ours = await parametersAfter([first], half);
  assertNear(ours, await parametersAfter([], { optimizers: sgd({ lr: 0.05 }), steps: 1 }), 1e-7);
});

Deno.test("a loss that is no number cannot be weighed, but may be let through", async () => {
  const bad = {
    data: [{
      x: { data: new Float32Array(12).fill(NaN), dims: [4, 3] },
      wanted: { data: new Float32Array(8), dims: [4, 2] },
    }],
  };
  const through = hook({ name: "through", on: { training: { LOSS: ({ value }) => value } } });
  await assertRejects(() => trained([through], bad), NotFiniteError, "parameter w1 (12 numbers)");
  const zero = hook({ name: "zero", on: { training: { LOSS: () => 0 } } });
  await assertRejects(() => trained([zero], bad), RangeError, "Cannot weight the loss");
  const word = hook({ name: "word", on: { training: { LOSS: (() => "much") as never } } });
  await assertRejects(() => trained([word]), RangeError, "the hook must return a number");
});

Deno.test("a vetoed step leaves parameters, moments, counts and averages, and says that it was skipped", async () => {
  const veto = hook({
    name: "veto",
    on: { training: { MAY_UPDATE: ({ batchIdx }) => batchIdx !== 1 } },
  });
  const trainer = new Trainer({ ...parts({ ema: { decay: 0.5 } }), hooks: [veto] });
  const batches = await Array.fromAsync(samples(12, { batchSize: 4 }).batches(0, 0));
  assertEquals((await trainer.step(batches[0]!)).skipped, false);
  const before = await trainer.save();
  assertEquals((await trainer.step(batches[1]!)).skipped, true);
  const after = await trainer.save();
  assertEquals([after.arrays, after.counts], [before.arrays, before.counts]);
  assertEquals([trainer.stepCount, trainer.state.samplesSeen], [1, 8]);
  await trainer.step(batches[2]!);
  assert((await trainer.save()).arrays.ema![0] !== after.arrays.ema![0]);
});

Deno.test("a vetoed step moves neither the schedule nor stepCount, and validates nothing", async () => {
  const rates: unknown[] = [], validated: number[] = [];
  let vetoes = 4;
  const trainer = new Trainer({
    ...parts({
      optimizers: sgd({ lr: 0.05, schedule: exponential({ gamma: 0.5 }) }),
      epochs: 4,
      validation: samples(4, { batchSize: 4 }),
      validateEvery: { epochs: 0, steps: 1 },
    }),
    hooks: [
      hook({ name: "veto", on: { training: { MAY_UPDATE: () => vetoes-- <= 0 } } }),
      {
        name: "rates",
        onStepEnd: (ctx) => void rates.push([ctx.stepCount, ctx.lr, ctx.skipped]),
        onEvalEnd: ({ stepCount }) => void validated.push(stepCount),
      },
    ],
  });
  await trainer.train(2);
  assertEquals(rates, [
    ...Array.from({ length: 4 }, () => [0, 0.05, true]),
    [1, 0.05, false],
    [2, 0.025, false],
  ]);
  assertEquals([trainer.stepCount, trainer.state.step, trainer.state.samplesSeen], [2, 2, 24]);
  assertEquals(validated, [1, 2]);
});

/** The mean squared error, and its slope by y. */
const own = hook({
  name: "own loss",
  on: {
    training: {
      COMPUTE_LOSS: ({ outputs, batch }): ComputedLoss => {
        const y = outputs.get("y")!.data, wanted = batch.feeds.wanted!.data as Float32Array;
        const off = Array.from(y, (value, i) => value - wanted[i]!);
        return {
          loss: off.reduce((sum, d) => sum + d * d, 0) / off.length,
          slopes: new Map([["y", off.map((d) => 2 * d / off.length)]]),
        };
      },
    },
  },
});

for (const accumulate of [1, 2]) {
  Deno.test(`a custom loss equals the built-in one if it computes the same, ${accumulate} batches a step`, async () => {
    const uneven = {
      data: samples(14, { batchSize: 4, seed: 3 }),
      accumulate,
      epochs: 2,
      optimizers: sgd({ lr: 0.1 }),
    };
    const [ours, theirs] = [await trained([own], uneven), await trained([], uneven)];
    assertNear(ours.parameters, theirs.parameters);
    assertWithin("loss", [ours.trainer.state.avgLoss], [theirs.trainer.state.avgLoss], 1e-6);
    assertEquals(ours.trainer.stepCount, theirs.trainer.stepCount);
  });
}

Deno.test("a custom loss that skips a batch leaves it to the trainer", async () => {
  const wanted = hook({
    name: "wanted",
    when: () => false,
    on: { training: { COMPUTE_LOSS: () => ({ loss: 0, slopes: new Map() }) } },
  });
  assertEquals(await parametersAfter([wanted]), await parametersAfter([]));
});

Deno.test("slopes of no output, or of another length, are refused", async () => {
  for (const slopes of [new Map([["z", [0]]]), new Map([["y", [0]]])]) {
    const strange = hook({
      name: "strange",
      on: { training: { COMPUTE_LOSS: () => ({ loss: 0, slopes }) } },
    });
    await assertRejects(
      () => trained([strange]),
      RangeError,
      "slopes must have an array for each of the outputs",
    );
  }
});

/** p − lr g, in place. */
function descends(lr: number) {
  return hook({
    name: "descends",
    on: {
      training: {
        OPTIMIZER_STEP: ({ parameters, gradients }) => {
          for (const [name, numbers] of parameters) {
            const slope = gradients.get(name)!;
            numbers.forEach((x, i) => numbers[i] = x - lr * slope[i]!);
          }
        },
      },
    },
  });
}

Deno.test("an optimizer of a hook's own is sgd where it does the same", async () => {
  const sgds = { optimizers: sgd({ lr: 0.05 }), epochs: 2 };
  const { trainer, parameters } = await trained([descends(0.05)], sgds);
  assertNear(parameters, await parametersAfter([], sgds), 1e-6);
  assertEquals([...(await trainer.save()).counts], [0, 0, 0, 0]);
});

Deno.test("it gets the parameters of the optimizer that it takes the place of, but for those left out", async () => {
  const names: string[][] = [];
  const notes = hook({
    name: "notes",
    on: {
      training: { OPTIMIZER_STEP: ({ parameters }) => void names.push([...parameters.keys()]) },
    },
  });
  const drops = gradients((value) => new Map([...value].filter(([name]) => name !== "w2")));
  const first = sgd({ name: "first", lr: 1, parameters: "w*" });
  await trained([notes, drops], { optimizers: [first, sgd({ lr: 1 })], steps: 1 });
  assertEquals(names, [["w1"], ["b1", "b2"]]);
});

Deno.test("two that claim the same stage are refused", () => {
  const again = hook({ name: "again", on: { training: { OPTIMIZER_STEP: () => {} } } });
  assertThrows(
    () => new Trainer({ ...parts(), hooks: [descends(1), again] }),
    Error,
    "OPTIMIZER_STEP",
  );
});

/** Stages at which the step under way is done. */
const AFTER_UPDATE = ["STEP_END", "BATCH_END"];

Deno.test("a stop that any hook asks for, at any stage, ends the run after the step under way", async () => {
  const stages = [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    "BATCH_BEGIN",
    "BEFORE_FORWARD",
    "AFTER_FORWARD",
    "AFTER_LOSS",
    "BEFORE_BACKWARD",
    "AFTER_BACKWARD",
    "GRADIENTS",
    "GRADIENT_CLIP",
    "MAY_UPDATE",
    "BEFORE_OPTIMIZER_STEP",
    "AFTER_OPTIMIZER_STEP",
    "STEP_END",
    "BATCH_END",
    "LOSS",
  ];
  for (const stage of stages) {
    const stops = hook({
      name: "stops",
      on: {
        training: {
          [stage]: (ctx: { stop(reason: string): void; value: unknown }) => {
            ctx.stop(stage);
            return stage === "MAY_UPDATE" ? true : ctx.value;
          },
        } as never,
      },
    });
    const { trainer } = await trained([stops], { clip: { norm: 1 } });
    assertEquals(trainer.outcome, {
      status: "stopped",
      reason: stage,
      step: AFTER_UPDATE.includes(stage) ? 1 : 0,
    });
    assertEquals(trainer.stepCount, stage === "TRAIN_BEGIN" ? 0 : 1, stage);
  }
});

Deno.test("hooks that others switch in mid-run are on, or off, from the next stage on", async () => {
  const seen: string[] = [];
  const trainer = new Trainer(parts());
  trainer.addHook({
    onBeforeForward: ({ stepCount }) => void seen.push(`before ${stepCount}`),
    onAfterForward: ({ stepCount }) => void seen.push(`after ${stepCount}`),
  }, { name: "switched" });
  trainer.addHook({
    onBeforeForward: ({ stepCount }) => {
      if (stepCount === 1) trainer.disableHook("switched");
    },
    onAfterLoss: ({ stepCount }) => {
      if (stepCount === 1) trainer.enableHook("switched");
    },
  });
  await trainer.train();
  assertEquals(seen, ["before 0", "after 0", "before 1", "before 2", "after 2"]);
});
