/** Errors of a trainer about invalid options, batches and hooks. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { NotFiniteError } from "../../src/observe/mod.ts";
import { hook } from "../../src/hook.ts";
import {
  accuracy,
  adam,
  crossEntropy,
  perplexity,
  sgd,
  Trainer,
  type TrainerParts,
} from "../../src/training/mod.ts";
import { lacksGpu, testOnGpu } from "../backend/gpu.ts";
import { parametersOf, parts, samples } from "./networks.ts";
import { lineOf, mlp, mlpBatches } from "./torch_networks.ts";

/** Options that are refused, and what is said to them. */
const BAD: readonly (readonly [options: object, error: ErrorConstructor, says: string])[] = [
  [{ batchSize: 3 }, TypeError, "its options must be among model, loss"],
  [{ model: undefined }, TypeError, "model is required"],
  [{ loss: undefined }, TypeError, "loss is required"],
  [{ optimizers: undefined }, TypeError, "optimizers is required"],
  [{ model: 3 }, TypeError, "model must be the bytes, the URL or the path of an .onnx file"],
  [{ model: Uint8Array.of(0, 1, 2) }, SyntaxError, "Cannot read trainer"],
  [{ loss: 3 }, TypeError, "loss must be a loss such as mse(), or a function"],
  [{ metrics: 3 }, TypeError, "metrics must be an object, name → metric"],
  [{ metrics: { right: 3 } }, TypeError, "metric right must be a metric or a loss"],
  [
    { optimizers: { lr: 1 } },
    TypeError,
    "optimizers must be results of adam(), sgd() or optimizer()",
  ],
  [{ optimizers: [] }, RangeError, "an optimizer is required"],
  [{ schedule: 0.1 }, TypeError, "schedule must be an object with a method factor"],
  [{ data: 3 }, TypeError, "data must be a source of batches"],
  [{ hooks: {} }, TypeError, "hooks must be an array of hooks"],
  [{ epochs: 0 }, RangeError, "epochs must be a positive integer"],
  [{ epochs: 1.5 }, RangeError, "epochs must be a positive integer"],
  [{ steps: -1 }, RangeError, "steps must be a non-negative integer"],
  [{ accumulate: 0 }, RangeError, "accumulate must be a positive integer"],
  [{ threads: 0 }, RangeError, "threads must be a positive integer"],
  [{ threads: Infinity }, RangeError, "threads must be a positive integer; got Infinity"],
  [{ workers: 0 }, RangeError, "workers must be a positive integer"],
  [{ workers: Infinity }, RangeError, "workers must be a positive integer; got Infinity"],
  [{ workers: 2, device: "reference" }, RangeError, 'device must be "wasm" if workers are given'],
  [{ device: "gpu" }, RangeError, "device must be one of auto, webgpu, wasm, reference"],
  [{ loaderOrder: "random" }, RangeError, "order must be"],
  [{ clip: 1 }, TypeError, "clip must be an object"],
  [{ clip: { norm: 0 } }, RangeError, "clip.norm must be above 0"],
  [{ clip: { value: NaN } }, RangeError, "clip.value must be above 0"],
  [{ clip: { norms: 1 } }, TypeError, "clip must be among norm, value"],
  [{ ema: 0.9 }, TypeError, "ema must be an object"],
  [{ ema: {} }, RangeError, "ema.decay must be from 0 to 1"],
  [{ ema: { decay: 2 } }, RangeError, "ema.decay must be from 0 to 1"],
  [{ ema: { decay: 1, valid: true } }, TypeError, "ema must be among decay, validate"],
  [{ validateEvery: 3 }, TypeError, "validateEvery must be an object"],
  [{ validateEvery: { epoch: 1 } }, TypeError, "did you mean epochs?"],
  [{ validateEvery: { steps: 0 } }, RangeError, "validateEvery.steps must be a positive integer"],
  [{ parameters: 3 }, TypeError, "parameters and freeze must be names"],
  [{ parameters: "w9" }, RangeError, 'got "w9"; did you mean w1?'],
  [{ freeze: ["w1", "bias"] }, RangeError, "freeze must name trainable tensors of it"],
  [{ freeze: "*" }, RangeError, "Name the tensors to train"],
  [
    { optimizers: adam({ lr: 1, parameters: "q*" }) },
    RangeError,
    'it must have at least one parameter of w1, b1, w2, b2; got none for parameters: "q*"',
  ],
  [
    { optimizers: sgd({ lr: 1, parameters: "w1" }) },
    RangeError,
    'Cannot train "b1": exactly one optimizer',
  ],
  [{ optimizers: [sgd({ lr: 1 }), adam({ lr: 1 })] }, RangeError, "got sgd, adam"],
  [
    { optimizers: [sgd({ lr: 1 }), sgd({ lr: 1 })] },
    RangeError,
    "names of optimizers must be unique",
  ],
  [
    { optimizers: adam({ lr: 1, groups: [{ parameters: "q" }] }) },
    RangeError,
    "each of its groups must match at least one of",
  ],
];

Deno.test("options that cannot be are refused when the trainer is made, by name", () => {
  for (const [bad, error, says] of BAD) {
    assertThrows(() => new Trainer({ ...parts(), ...bad } as TrainerParts), error, says);
  }
  assertThrows(() => new Trainer(3 as never), TypeError, "its options must be an object");
});

Deno.test("what is asked of a trainer with nothing to do it with is refused", async () => {
  const trainer = new Trainer(parts({ data: undefined } as never));
  await assertRejects(() => trainer.train(), TypeError, "data is required");
  await assertRejects(() => trainer.validate(), TypeError, "data is required");
  await assertRejects(() => trainer.step(), TypeError, "a batch is required");
  await assertRejects(() => trainer.train(-1), RangeError, "epochs must be a non-negative integer");
  await assertRejects(() => trainer.parameter("w9"), RangeError, "it must be one of w1, b1");
  await assertRejects(
    () => trainer.parameter("w1", "ema"),
    RangeError,
    "the trainer keeps no averages. Pass ema",
  );
  await assertRejects(
    () => trainer.export("ema"),
    RangeError,
    "the trainer keeps no averages. Pass ema",
  );
  await assertRejects(
    () => new Trainer(parts({ data: [] })).train(),
    RangeError,
    "epoch 0 must have at least one batch; got none",
  );
  const empty = new Trainer(parts({ validation: [] }));
  await assertRejects(
    () => empty.train(),
    RangeError,
    "Cannot validate: the data must have at least one batch",
  );
});

const x = { data: new Float32Array(12), dims: [4, 3] };
const wanted = { data: new Float32Array(8), dims: [4, 2] };

/** Batches that are refused. */
const BATCHES: readonly (readonly [batch: unknown, error: ErrorConstructor, says: string])[] = [
  [{ x }, TypeError, 'each batch must have "wanted" [B, 2]; got x'],
  [{ y: x, wanted }, TypeError, 'each batch must have "x"'],
  [{ x: { data: new Float32Array(8), dims: [4, 2] }, wanted }, RangeError, "the shape [B, 3]"],
  [{ x: { data: new Float32Array(11), dims: [4, 3] }, wanted }, RangeError, "4 * 3 values"],
  [{ x, wanted: { data: new Float32Array(4), dims: [4, 1] } }, RangeError, "the shape [B, 2]"],
  [{ x: [1, 2], wanted }, TypeError, "must be { feeds, size }, or an object of tensors"],
  [null, TypeError, "batch 0 must be { feeds, size }, or an object of tensors; got null"],
];

Deno.test("a batch that is not what the model needs fails its step, and nothing has changed", async () => {
  await using trainer = new Trainer(parts());
  const before = await trainer.save();
  for (const [batch, error, says] of BATCHES) {
    await assertRejects(() => trainer.step(batch as never), error, says);
  }
  const after = await trainer.save();
  assertEquals([after.arrays.parameters, after.counts], [before.arrays.parameters, before.counts]);
  assertEquals(after.progress, before.progress);
});

/** A step of the classifier with labels that are all the same. */
async function labeled(
  label: bigint,
  device: "wasm" | "webgpu" | "reference" = "wasm",
  more: Partial<TrainerParts> = {},
): Promise<number> {
  const [{ feeds }] = mlpBatches(0) as [ReturnType<typeof mlpBatches>[number]];
  await using trainer = new Trainer({
    model: mlp(lineOf("mlp adam").parameters),
    loss: crossEntropy(),
    device,
    metrics: { accuracy: accuracy(), perplexity: perplexity() },
    optimizers: sgd({ lr: 1 }),
    ...more,
  });
  const target = { data: new BigInt64Array(32).fill(label), dims: [32] };
  return (await trainer.step({ ...feeds, target })).loss;
}

Deno.test("labels that are no class are refused, below 0 too; those to be ignored are not", async () => {
  for (const label of [-1n, 5n, 99n]) {
    for (const device of ["wasm", "reference"] as const) {
      const says = `each must be a class from 0 to 4, or -100; got ${label}`;
      await assertRejects(() => labeled(label, device), RangeError, says);
    }
  }
  assert(await labeled(4n) > 0);
  assertEquals(await labeled(-100n), 0);
  assert(await labeled(-1n, "wasm", { loss: crossEntropy({ ignore: -1 }), metrics: {} }) === 0);
});

testOnGpu("labels that are no class are refused on a GPU, which would take them", async () => {
  await assertRejects(() => labeled(-1n, "webgpu"), RangeError, "got -1");
  await assertRejects(() => labeled(5n, "webgpu"), RangeError, "got 5");
});

/** A hook that reads a field at BATCH_END. */
function reads(field: string) {
  return hook({
    name: "reads",
    reads: [field as "activations:x"],
    on: { training: { BATCH_END: ({ read }) => void read[field as "activations:x"].size } },
  });
}

Deno.test("a tensor of the model that there is none of fails the step at which it is due, with the nearest names", async () => {
  for (const field of ["activations:tahn", "statistics:tahn"]) {
    await assertRejects(
      () => new Trainer({ ...parts(), hooks: [reads(field)], onWarning: () => {} }).train(),
      RangeError,
      'no tensor matches "tahn"; the closest names are tanh',
    );
  }
});

Deno.test("reading an unknown parameter is an error with the nearest name", async (t) => {
  const refuse = async (device: "wasm" | "webgpu") => {
    const errors: string[] = [];
    await using trainer = new Trainer({
      ...parts({ device, steps: 1 }),
      hooks: [reads("gradients:w9"), reads("optimizerState:w1/frist")].map((one, i) => ({
        ...one,
        name: `${i}`,
        onError: "warn",
      })) as never,
      onWarning: ({ error }) => void errors.push(`${error} ${(error as Error).cause}`),
    });
    await trainer.train();
    assertEquals(errors.length, 2, device);
    assert(errors[0]!.includes("did you mean w1?"), errors[0]);
    assert(errors[1]!.includes("did you mean w1/first?"), errors[1]);
  };
  await t.step("wasm", () => refuse("wasm"));
  await t.step({ name: "webgpu", ignore: lacksGpu(), fn: () => refuse("webgpu") });
});

Deno.test("fields that there are none of are refused when the hook is registered", () => {
  const trainer = new Trainer(parts());
  for (const field of ["activation:tanh", "lrs", "gradients:"]) {
    assertThrows(() => trainer.addHook(reads(field)), TypeError, "its reads must name fields");
  }
});

Deno.test("rates that cannot be are refused, and are as they were", async () => {
  for (const [rate, value] of [["lr", -1], ["lr", NaN], ["momentum", 1], ["weightDecay", "x"]]) {
    const writes = hook({
      name: "writes",
      writes: ["optimizers"],
      on: {
        training: {
          BATCH_BEGIN: ({ write }) => {
            (write.optimizers[0]!.groups[0] as unknown as Record<string, unknown>)[rate!] = value;
          },
        },
      },
    });
    const trainer = new Trainer({ ...parts(), hooks: [writes] });
    const before = { ...trainer.state.optimizer[0]!.groups[0]! };
    await assertRejects(() => trainer.train(), RangeError, `Cannot set a rate of adam: ${rate}`);
    assertEquals({ ...trainer.state.optimizer[0]!.groups[0]! }, before);
  }
});

Deno.test("losses that are not finite are warned of once, and a training does not complete with NaN parameters", async () => {
  const bad = { x: { data: new Float32Array(12).fill(NaN), dims: [4, 3] }, wanted };
  const { loss, metrics } = await new Trainer(parts()).step(bad);
  assertEquals([loss, metrics.loss], [NaN, NaN]);
  const warnings: unknown[] = [];
  const onWarning = ({ error }: { readonly error: unknown }) => void warnings.push(error);
  const more = { clip: { norm: 1 }, ema: { decay: 0.5 }, onWarning };
  const trainer = new Trainer(parts({ data: [bad, bad], ...more }));
  const norms: number[] = [];
  trainer.addHook({ onStepEnd: ({ gradNorm }) => void norms.push(gradNorm) });
  const error = await assertRejects(() => trainer.train(), NotFiniteError);
  assertEquals(error.tensors.map(({ tensor }) => tensor), [
    "parameter w1",
    "parameter b1",
    "parameter w2",
    "parameter b2",
  ]);
  assertEquals([error.epoch, error.step], [0, 1]);
  assertEquals(warnings.length, 1);
  assert(warnings[0] instanceof NotFiniteError);
  assertEquals(warnings[0].tensors[1], { tensor: "x of the batch", count: 12 });
  for (const kind of ["parameters", "ema"] as const) {
    await assertRejects(
      () => trainer.export(kind),
      RangeError,
      ": its parameters contain NaN",
    );
  }
  assertEquals([trainer.state.latestLoss, trainer.state.avgLoss, norms[0]], [NaN, NaN, NaN]);
  assertEquals(trainer.state.metrics["train/loss"], NaN);
  assert((await parametersOf(trainer)).w2!.every(Number.isNaN));
});

Deno.test("a hook that vetoes a step without a number saves the parameters, and training goes on", async () => {
  const bad = { x: { data: new Float32Array(12).fill(NaN), dims: [4, 3] }, wanted };
  const good = await Array.fromAsync(samples(8, { batchSize: 4, shuffle: false }).batches(0, 0));
  const veto = hook({
    name: "veto",
    on: { training: { MAY_UPDATE: ({ gradNorm }) => Number.isFinite(gradNorm) } },
  });
  // Momentum and averages are made of what was before, whatever has been in the arrays meanwhile.
  const optimizers = sgd({ lr: 0.1, momentum: 0.9 });
  const more = { optimizers, ema: { decay: 0.5 } };
  const saved = new Trainer({
    ...parts({ ...more, data: [good[0]!, bad, good[1]!] }),
    hooks: [veto],
  });
  const plain = new Trainer(parts({ ...more, data: good }));
  await saved.train();
  await plain.train();
  assertEquals(await parametersOf(saved), await parametersOf(plain));
  assertEquals(await saved.parameter("w1", "ema"), await plain.parameter("w1", "ema"));
});

Deno.test("parameters that a hook has set after numbers went wrong are trained on", async (t) => {
  const train = async (device: "wasm" | "reference" | "webgpu") => {
    const bad = { x: { data: new Float32Array(12).fill(NaN), dims: [4, 3] }, wanted };
    const good = await Array.fromAsync(samples(4, { batchSize: 4 }).batches(0, 0));
    await using trainer = new Trainer(
      parts({ device, optimizers: sgd({ lr: 0.1 }), data: [bad, good[0]!] }),
    );
    trainer.addHook(hook({
      name: "sets",
      writes: ["parameters"],
      on: {
        training: {
          STEP_END: ({ write, stepCount }) => {
            if (stepCount > 1) return;
            for (const numbers of write.parameters.values()) numbers.fill(0.1);
          },
        },
      },
    }));
    await trainer.train();
    assert(Object.values(await parametersOf(trainer)).flat().every(Number.isFinite), device);
  };
  for (const device of ["wasm", "reference"] as const) await t.step(device, () => train(device));
  await t.step({ name: "webgpu", ignore: lacksGpu(), fn: () => train("webgpu") });
});

Deno.test("calls during a run are refused, and the run goes on", async () => {
  const trainer = new Trainer(parts());
  const refused: Error[] = [];
  trainer.addHook({
    onBatchEnd: async () => {
      const asked = [
        () => trainer.train(),
        () => trainer.step({ x, wanted }),
        () => trainer.close(),
      ];
      for (const ask of asked) await ask().catch((error) => refused.push(error));
    },
  });
  assertEquals(await trainer.train(), { status: "completed" });
  assertEquals(refused.length, 9);
  assert(refused.every(({ message }) => message.includes("is running. Await its run first")));
  assertEquals([trainer.stepCount, trainer.state.samplesSeen], [3, 12]);
});

Deno.test("a trainer is closed in any state, twice too, and is of no use afterwards", async () => {
  const fresh = new Trainer(parts());
  await fresh.close();
  await fresh.close();
  const closed = "it is closed. Make a new trainer";
  await assertRejects(() => fresh.train(), Error, `Cannot train trainer: ${closed}`);
  await assertRejects(() => fresh.step({ x, wanted }), Error, `Cannot step trainer: ${closed}`);
  await assertRejects(() => fresh.parameter("w1"), Error, closed);
  const absent = new Trainer(parts({ model: "/nowhere/model.onnx" }));
  await assertRejects(() => absent.open(), Error);
  assertThrows(() => absent.parameters, Error, "Await open() first");
  await absent.close();
  const stopped = new Trainer(parts());
  stopped.addHook({ onStepEnd: () => stopped.stop("now") });
  assertEquals((await stopped.train()).status, "stopped");
  await stopped.close();
});

Deno.test("an observer that throws when it is first called ends training, one that has worked does not", async () => {
  const fail = () => {
    throw new Error("misspelt");
  };
  for (const method of ["onTrainBegin", "onBatchEnd", "onStepEnd", "onEpochEnd"]) {
    await using trainer = new Trainer(parts());
    trainer.hooks.add({ [method]: fail } as never);
    await assertRejects(() => trainer.train(), Error, "misspelt", method);
    assertEquals(trainer.outcome!.status, "failed");
  }
  await using trainer = new Trainer(parts({ onWarning: () => {} }));
  let steps = 0;
  trainer.hooks.add({ onStepEnd: () => ++steps > 1 ? fail() : undefined });
  assertEquals(await trainer.train(), { status: "completed", hookErrors: 2 });
});
