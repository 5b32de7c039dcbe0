/**
 * Settings that hooks ask of a trainer while they are enabled: tensors, terms, clipping, averages.
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { hook } from "../../src/hook.ts";
import { GraphBuilder } from "../../src/onnx/graph/graph_builder.ts";
import {
  type Activation,
  type ActivationPatch,
  adam,
  type LossLike,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainerSettings,
  type TrainingHooks,
} from "../../src/training/mod.ts";
import { assertWithin, largest } from "../onnx/assert_within.ts";
import { madeNumbers } from "./made_numbers.ts";
import { network, parametersOf, parts, samples } from "./networks.ts";

const VALIDATION = samples(8, { batchSize: 4, shuffle: false }, 20);

async function trained(
  hooks: TrainingHooks,
  more: Partial<TrainerParts> = {},
): Promise<{ losses: number[]; parameters: Record<string, number[]>; validated: number }> {
  const losses: number[] = [];
  const trainer = new Trainer({ ...parts({ epochs: 2, ...more }), hooks: hooks as never });
  trainer.addHook({ onAfterLoss: ({ loss }) => void losses.push(loss) });
  await trainer.train();
  const validated = (await trainer.validate(VALIDATION))["val/loss"]!;
  const parameters = await parametersOf(trainer);
  await trainer.close();
  return { losses, parameters, validated };
}

type Trained = Awaited<ReturnType<typeof trained>>;

function assertSame(ours: Trained, theirs: Trained, within: number): void {
  assertWithin("losses", ours.losses, theirs.losses, within);
  assertWithin("validated", [ours.validated], [theirs.validated], within);
  assertEquals(Object.keys(ours.parameters), Object.keys(theirs.parameters));
  for (const [name, numbers] of Object.entries(theirs.parameters)) {
    assertWithin(name, ours.parameters[name]!, numbers, within);
  }
}

const asks = (settings: TrainerSettings, name = "asks") => ({ name, settings });

/** The network with something done to what its hidden layer gives. */
function networkWith(
  change: (builder: GraphBuilder, hidden: ReturnType<GraphBuilder["add"]>) => string,
): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("network");
  const x = builder.input("x", "f32", ["B", 3]);
  const [w1, b1, w2, b2] = [
    builder.parameter("w1", madeNumbers(1, 12, 0.5), [3, 4]),
    builder.parameter("b1", madeNumbers(2, 4, 0.5), [4]),
    builder.parameter("w2", madeNumbers(3, 8, 0.5), [4, 2]),
    builder.parameter("b2", madeNumbers(4, 2, 0.5), [2]),
  ];
  const before = builder.add(builder.op("MatMul", [x, w1], "f32"), b1);
  const hidden = builder.value(
    change(builder, builder.op("Tanh", [before], "f32")),
    "f32",
  );
  builder.output("y", builder.add(builder.op("MatMul", [hidden, w2], "f32"), b2), ["B", 2]);
  return builder.build();
}

const BIAS = { data: Float32Array.of(0.1, -0.2, 0.3, 0.4), dims: [4] };
const OTHER = { data: madeNumbers(77, 16, 1), dims: [4, 4] };

/** The effect of a patch, and the same graph written by hand. */
const PATCHES: Readonly<
  Record<string, [patch: ActivationPatch, model: Uint8Array<ArrayBuffer>]>
> = {
  zero: [
    { point: "tanh", kind: "zero" },
    networkWith((builder, hidden) => builder.mul(hidden, 0).name),
  ],
  scale: [
    { point: "tanh", kind: "scale", by: 0.5 },
    networkWith((builder, hidden) => builder.mul(hidden, 0.5).name),
  ],
  add: [
    { point: "tanh", kind: "add", by: BIAS },
    networkWith((builder, hidden) =>
      builder.add(hidden, builder.constant("f32", BIAS.data, BIAS.dims)).name
    ),
  ],
  replace: [
    { point: "tanh", kind: "replace", by: OTHER },
    networkWith((builder, hidden) =>
      builder.add(builder.mul(hidden, 0), builder.constant("f32", OTHER.data, OTHER.dims)).name
    ),
  ],
};

for (const [kind, [patch, model]] of Object.entries(PATCHES)) {
  Deno.test(`a patch of kind ${kind} trains and validates like a graph that has it written in`, async () => {
    const ours = await trained([asks({ patches: [patch] })]);
    const parameters = ["w1", "b1", "w2", "b2"]; // the added tensor is not a parameter
    assertSame(ours, await trained([], { model, parameters }), 1e-6);
    const plain = await trained([]);
    assert(largest(ours.losses.map((loss, i) => loss - plain.losses[i]!)) > 1e-3);
  });
}

Deno.test("patches of several hooks are taken together, and with the hook goes its patch", async () => {
  const scale = (by: number, name: string) =>
    asks({ patches: [{ point: "tanh", kind: "scale", by }] }, name);
  const quarter = await trained([], {
    model: networkWith((builder, hidden) => builder.mul(hidden, 0.25).name),
  });
  assertSame(await trained([scale(0.5, "a"), scale(0.5, "b")]), quarter, 1e-6);
  const removes = {
    name: "removes",
    onTrainBegin: ({ trainer }: { trainer: unknown }) => (trainer as Trainer).removeHook("a"),
  };
  assertSame(await trained([scale(0.5, "a"), removes]), await trained([]), 0);
});

/** Changes the hidden layer. */
function pipes(change: (numbers: Activation) => Activation): TrainingHooks[number] {
  return hook({
    name: "pipes",
    settings: { points: ["tanh"] },
    on: {
      training: {
        ACTIVATIONS: ({ value }) =>
          new Map([...value].map(([name, activation]) => [name, change(activation)])),
      },
    },
  });
}

const zeroed = ({ dims, data }: Activation): Activation => ({
  dims,
  data: new Float32Array(data.length),
});

Deno.test("activations that a pipe leaves as they are train as without it", async () => {
  const plain = await trained([]);
  assertSame(await trained([pipes((activation) => activation)]), plain, 1e-6);
  const copied = pipes(({ dims, data }) => ({ dims, data: data.slice() }));
  assertSame(await trained([copied]), plain, 1e-6);
});

Deno.test("zeroing activations in a pipe is a patch with zeros: losses, validation, all that comes after", async () => {
  const after = { freeze: ["w1", "b1"] };
  const patched = await trained([asks({ patches: [{ point: "tanh", kind: "zero" }] })], after);
  assertSame(await trained([pipes(zeroed)], after), patched, 1e-6);
});

Deno.test("where averages are validated, it is their tensors that hooks change and look at", async () => {
  const ema = { decay: 0.8, validate: true };
  const seen: number[] = [];
  const looks = hook({
    name: "looks",
    reads: ["activations:tanh"],
    on: {
      training: {
        VALIDATION_BATCH_END: ({ read }) => {
          seen.push(...read["activations:tanh"].get("tanh")!.data);
        },
      },
    },
  });
  const trainer = new Trainer({ ...parts({ ema }), hooks: [looks] });
  await trainer.train();
  seen.length = 0;
  await trainer.validate(VALIDATION);
  const average = new Trainer({ ...parts({ model: await trainer.export("ema") }), hooks: [looks] });
  const ofAverages = seen.splice(0);
  await average.validate(VALIDATION);
  assertWithin("tanh", ofAverages, seen, 1e-6);
  trainer.addHook(pipes(zeroed) as never);
  average.addHook(asks({ patches: [{ point: "tanh", kind: "zero" }] }));
  const [ours, theirs] = [await trainer.validate(VALIDATION), await average.validate(VALIDATION)];
  assertWithin("zeroed", [ours["val/loss"]!], [theirs["val/loss"]!], 1e-6);
});

Deno.test("gradients flow through a changed tensor as if it were the one before", async () => {
  const add = pipes(({ dims, data }) => ({
    dims,
    data: Float32Array.from(data, (x, i) => x + BIAS.data[i % 4]!),
  }));
  const patched = await trained([asks({ patches: [{ point: "tanh", kind: "add", by: BIAS }] })]);
  assertSame(await trained([add]), patched, 1e-6);
});

Deno.test("activations of other names or lengths are refused", async () => {
  const short = pipes(({ dims }) => ({ dims, data: new Float32Array(3) }));
  await assertRejects(() => trained([short]), RangeError, "it must keep its 16 numbers");
  const strange = hook({
    name: "strange",
    settings: { points: ["tanh"] },
    on: {
      training: { ACTIVATIONS: ({ value }) => new Map([...value, ["no", value.get("tanh")!]]) },
    },
  });
  await assertRejects(() => trained([strange]), RangeError, "must return tensors among tanh");
});

/** λ/2 Σ p² over the weights. */
const squares = (lambda: number): LossLike => ({ graph, output }) => {
  const sums = ["w1", "b1", "w2", "b2"].map((name) => {
    const p = output(name);
    return graph.op("ReduceSum", [graph.mul(p, p)], "f32", { keepdims: 0 });
  });
  return graph.mul(sums.reduce((a, b) => graph.add(a, b)), lambda / 2);
};

Deno.test("weight decay as a term of the loss is that of the optimizer", async () => {
  const term = asks({ terms: [squares(0.1)] });
  const { parameters } = await trained([term], { optimizers: sgd({ lr: 0.1 }) });
  const decayed = await trained([], { optimizers: sgd({ lr: 0.1, weightDecay: 0.1 }) });
  for (const [name, numbers] of Object.entries(decayed.parameters)) {
    assertWithin(name, parameters[name]!, numbers, 1e-6);
  }
});

Deno.test("terms count once over several batches of a step, and for the loss of each", async () => {
  const accumulated = { accumulate: 2, optimizers: sgd({ lr: 0.1 }) };
  const { parameters, losses } = await trained([asks({ terms: [squares(0.1)] })], accumulated);
  const decayed = await trained([], {
    accumulate: 2,
    optimizers: sgd({ lr: 0.1, weightDecay: 0.1 }),
  });
  for (const [name, numbers] of Object.entries(decayed.parameters)) {
    assertWithin(name, parameters[name]!, numbers, 1e-6);
  }
  const p = Object.values(await parametersOf(new Trainer(parts()))).flat();
  const more = 0.05 * p.reduce((sum, x) => sum + x * x, 0);
  assertWithin("first loss", [losses[0]!], [decayed.losses[0]! + more], 1e-6);
});

/** Settings that are on for some steps, and what the options of trainers would be. */
const TOGGLED: Readonly<Record<string, TrainerSettings>> = {
  "a clip": { clip: { norm: 0.01 } },
  "an accumulation": { accumulate: 3 },
  "an average": { ema: { decay: 0.5 } },
};

for (const [what, settings] of Object.entries(TOGGLED)) {
  Deno.test(`${what} that is asked for by a hook is there while the hook is on, as if by the options`, async () => {
    const switched = new Trainer({ ...parts({ epochs: 3 }), hooks: [asks(settings)] });
    const stops = { onStepEnd: (ctx: { stop(reason: string): void }) => ctx.stop("one") };
    switched.addHook(stops);
    let state = await switched.save();
    for (const isOn of [true, true, false, false, true]) {
      const plain = new Trainer({
        ...parts({ epochs: 3, ...(isOn && settings) }),
        onWarning: () => {},
      });
      plain.addHook(stops);
      await plain.load(state);
      await plain.train();
      if (isOn) switched.enableHook("asks");
      else switched.disableHook("asks");
      await switched.train();
      state = await switched.save();
      const { loop: _, ...ours } = state, { loop: __, ...theirs } = await plain.save();
      if (settings.ema === undefined) assertEquals(ours, theirs);
      else assertEquals(ours.arrays.parameters, theirs.arrays.parameters);
      await plain.close();
    }
    await switched.close();
  });
}

Deno.test("an average that a hook asks for begins when it is first on, and moves while it is on", async () => {
  const trainer = new Trainer({ ...parts(), hooks: [asks({ ema: { decay: 0.5 } })] });
  trainer.disableHook("asks");
  const [batch] = await Array.fromAsync(VALIDATION.batches(0, 0));
  await trainer.step(batch!);
  const begin = await trainer.parameter("w1");
  trainer.enableHook("asks");
  await trainer.step(batch!);
  const now = await trainer.parameter("w1"), mean = begin.map((x, i) => (x + now[i]!) / 2);
  assertWithin("average", await trainer.parameter("w1", "ema"), mean, 1e-7);
  trainer.disableHook("asks");
  await trainer.step(batch!);
  assertWithin("average", await trainer.parameter("w1", "ema"), mean, 1e-7);
});

Deno.test("the last hook that asks is followed, and it before the options", async () => {
  const clips = (norm: number, name: string) => asks({ clip: { norm } }, name);
  const ours = await trained([clips(1, "a"), clips(0.01, "b")], { clip: { norm: 2 } });
  assertSame(ours, await trained([], { clip: { norm: 0.01 } }), 0);
});

/** Settings that are refused when they are to be followed. */
const BAD: Readonly<Record<string, [settings: unknown, says: string]>> = {
  "a misspelt member": [{ cilp: { norm: 1 } }, "its settings must be among"],
  "a clip below 0": [{ clip: { norm: -1 } }, "clip.norm must be above 0"],
  "a patch of no kind": [{ patches: [{ point: "tanh", kind: "zeros" }] }, "a patch must be one of"],
  "a patch of no tensor": [{ patches: [{ point: "tahn", kind: "zero" }] }, "tahn"],
  "points of no tensor": [{ points: ["relu*"] }, "relu*"],
};

for (const [what, [settings, says]] of Object.entries(BAD)) {
  Deno.test(`settings with ${what} are refused, and the next run without them goes on`, async () => {
    const trainer = new Trainer(parts({ optimizers: adam({ lr: 0.01 }) }));
    trainer.addHook({ settings, onTrainBegin: () => {} } as never, { name: "bad" });
    const error = await assertRejects(() => trainer.train(), Error, says);
    assert(error instanceof TypeError || error instanceof RangeError, `${error}`);
    await assertRejects(() => trainer.train(), Error, says);
    trainer.removeHook("bad");
    assertEquals(await trainer.train(), { status: "completed" });
    assertEquals(await parametersOf(trainer), (await trained([], { epochs: 1 })).parameters);
  });
}

Deno.test("a model whose parts are patched is exported as it was", async () => {
  const trainer = new Trainer({
    ...parts({ optimizers: sgd({ lr: 0 }) }),
    hooks: [asks({ patches: [{ point: "tanh", kind: "zero" }] })],
  });
  await trainer.train();
  const plain = new Trainer(parts({ model: await trainer.export() }));
  assertEquals(
    await plain.validate(VALIDATION),
    await new Trainer(parts({ model: network() })).validate(VALIDATION),
  );
});
