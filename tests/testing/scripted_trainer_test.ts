// A trainer by a script: the stages of a real one, and hooks tested with it.
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { GraphBuilder } from "@hooke/hooke/onnx";
import { scriptedTrainer, type TestTrainer } from "@hooke/hooke/testing";
import {
  meanSquaredError,
  sgd,
  tensorData,
  Trainer,
  type TrainingBase,
  type TrainingContext,
  TrainingStage,
} from "@hooke/hooke/training";

/** Writes down each observe stage with what most contexts have. */
class Recorder {
  readonly frequency = 1;
  readonly rows: string[] = [];
  runsOnStage(_stage: string): boolean {
    return true;
  }
  call(ctx: TrainingBase & { readonly batchIdx?: number }, stage: string): void {
    const { epoch, phase, batchIdx, stepCount, state } = ctx;
    this.rows.push(`${stage} ${epoch} ${phase} ${batchIdx} ${stepCount} ${state.status}`);
  }
}

/** y = w x, three samples in batches of one. */
function line(accumulate: number, recorder: Recorder): Trainer {
  const builder = new GraphBuilder("line");
  const x = builder.input("x", "f32", ["B", 1]);
  const w = builder.parameter("w", [0], [1, 1]);
  builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
  const data = (n: number) =>
    tensorData({
      x: { data: new Float32Array(n).fill(1), dims: [n, 1] },
      wanted: { data: new Float32Array(n).fill(1), dims: [n, 1] },
    }, { batchSize: 1 });
  return new Trainer({
    model: builder.build(),
    loss: meanSquaredError({ target: "wanted" }),
    data: data(3),
    validation: data(1),
    optimizers: sgd({ lr: 0.1 }),
    clip: { norm: 1 },
    epochs: 2,
    accumulate,
    hooks: [recorder as never],
  });
}

function script(accumulate: number, recorder: Recorder): TestTrainer {
  const epoch = { losses: [3, 2, 1], validation: { "val/loss": 1 } };
  const trainer = scriptedTrainer({ epochs: [epoch, epoch], clip: { norm: 1 }, accumulate });
  trainer.hooks.add(recorder as never);
  return trainer;
}

for (const accumulate of [1, 2]) {
  Deno.test(`stages, counters and states are those of a Trainer, step by step, ${accumulate} batches a step`, async () => {
    const [real, scripted] = [new Recorder(), new Recorder()];
    await using trainer = line(accumulate, real);
    await trainer.train();
    await script(accumulate, scripted).train();
    assert(real.rows.length > 60);
    assertEquals(scripted.rows, real.rows);
  });
}

Deno.test("what hooks ask for comes when it does with a Trainer: after an epoch, and after the run", async () => {
  const folder = await Deno.makeTempDir(), [real, scripted] = [new Recorder(), new Recorder()];
  const asks = {
    name: "asks",
    onEpochEnd: ({ trainer }: TrainingBase) => trainer.validateSoon(),
    onTrainEnd: ({ trainer }: TrainingBase) => trainer.checkpointSoon(`${folder}/end.hooke`),
  };
  await using trainer = line(1, real);
  trainer.addHook(asks);
  await trainer.train();
  const other = script(1, scripted);
  other.hooks.add(asks);
  await other.train();
  assertEquals(scripted.rows, real.rows);
  assertEquals(real.rows.filter((row) => row.includes("VALIDATION_END")).length, 4);
  assertEquals(real.rows.at(-1)!.split(" ")[0], "training/CHECKPOINT_SAVE");
});

/** Document 001's hook: halves every rate once more than ten batches had a high loss. */
class MyCustomHook {
  readonly stages = [TrainingStage.TRAIN_BEGIN, TrainingStage.BATCH_END] as const;
  readonly frequency = 1;
  readonly reads = ["loss"] as const;
  readonly writes = ["optimizers"] as const;
  startTime: number | undefined;
  highLossCount = 0;
  readonly #threshold: number;
  constructor(threshold: number = 10) {
    this.#threshold = threshold;
  }
  call(ctx: TrainingContext<"loss", "optimizers">, stage: TrainingStage): void {
    if (stage === TrainingStage.TRAIN_BEGIN) {
      this.startTime = performance.now();
      return;
    }
    if (ctx.read.loss <= this.#threshold) return;
    this.highLossCount++;
    if (this.highLossCount <= 10) return;
    for (const { groups } of ctx.write.optimizers) for (const group of groups) group.lr *= 0.5;
  }
}

Deno.test("document 001's hook halves learning rates after ten high losses", async () => {
  const hook = new MyCustomHook(5);
  const trainer = scriptedTrainer({
    epochs: [{ losses: [15] }, { losses: Array(10).fill(15) }],
    lr: 1e-3,
  });
  trainer.hooks.add(hook);
  const seen: number[] = [];
  trainer.hooks.add({
    onTrainBegin: () => assert(hook.startTime !== undefined),
    onEpochEnd: () => void seen.push(hook.highLossCount),
  });
  await trainer.train();
  assertEquals(seen, [1, 11]);
  assert(trainer.optimizers[0]!.groups[0]!.lr < 0.001);
  assertEquals(trainer.optimizers[0]!.groups[0]!.lr, 0.0005);
});

Deno.test("losses that are not high leave the rates", async () => {
  const trainer = scriptedTrainer({ epochs: [{ losses: Array(20).fill(4) }], lr: 1e-3 });
  trainer.hooks.add(new MyCustomHook(5));
  await trainer.train();
  assertEquals(trainer.optimizers[0]!.groups[0]!.lr, 0.001);
});

Deno.test("parameters go down gradients that hooks have changed, scaled, clipped or vetoed", async () => {
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1, 1, 1], gradients: [{ w: [3, 4] }, { w: [0, 8] }, { w: [9, 9] }] }],
    lr: 0.1,
    parameters: { w: [0, 0] },
    clip: { norm: 10 },
  });
  const norms: number[] = [];
  trainer.hooks.add({
    onGradients: ({ value }) => new Map([...value].map(([name, g]) => [name, g.map((x) => 2 * x)])),
    onGradientClip: ({ gradNorm }) => void norms.push(gradNorm),
    onMayUpdate: ({ stepCount }) => stepCount < 2,
  });
  await trainer.train();
  assertEquals(norms.slice(0, 2), [10, 16]); // before they were clipped
  // First (6, 8), then (0, 16) made 10 long, then none.
  assertAlmostEquals(trainer.values.get("w")![0]!, -0.6, 1e-6);
  assertAlmostEquals(trainer.values.get("w")![1]!, -0.8 - 1, 1e-6);
});

Deno.test("a pipe on the loss weighs gradients; batches of a step share it", async () => {
  const trainer = scriptedTrainer({
    epochs: [{ losses: [2, 4], gradients: [{ w: [1] }, { w: [3] }] }],
    lr: 1,
    accumulate: 2,
  });
  trainer.hooks.add({ onLoss: ({ value }) => value / 2 });
  await trainer.train();
  assertEquals(trainer.values.get("w")![0], -1); // ½ (1 + 3) / 2
  assertEquals(trainer.stepCount, 1);
});

Deno.test("groups have rates of their own, and follow a schedule", async () => {
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1, 1] }],
    parameters: { w: [0], b: [0] },
    gradients: { w: [1], b: [1] },
    lr: 1,
    optimizers: [[{}, { parameters: ["b"], lr: 0.1 }]],
    schedule: { factor: (step) => step === 0 ? 1 : 0.5 },
  });
  const rates: number[] = [];
  trainer.hooks.add({ onStepEnd: ({ lr }) => void rates.push(lr) });
  await trainer.train();
  assertEquals(rates, [1, 0.5]);
  assertEquals([trainer.values.get("w")![0], trainer.values.get("b")![0]!.toFixed(4)], [
    -1.5,
    "-0.1500",
  ]);
  assertEquals(trainer.parameters.map(({ name, optimizer }) => [name, optimizer]), [["w", 0], [
    "b",
    0,
  ]]);
});

Deno.test("hooks read what they declare: tensors, their statistics, gradients by pattern", async () => {
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1] }],
    parameters: { "a.w": [1], "b.w": [2] },
    gradients: { "a.w": [5] },
    activations: { h: { dims: [2], data: Float32Array.of(1, 3) } },
  });
  class Look {
    readonly stage = TrainingStage.STEP_END;
    readonly frequency = 1;
    readonly reads = ["statistics:*", "gradients:a*", "parameters", "lr"] as const;
    found: unknown;
    call({ read }: TrainingContext<"statistics:*" | "gradients:a*" | "parameters" | "lr">) {
      this.found = [
        read["statistics:*"].get("h"),
        [...read["gradients:a*"]].map(([name, g]) => [name, g[0]]),
        [...read.parameters.keys()],
        read.lr,
      ];
    }
  }
  const look = new Look();
  trainer.hooks.add(look);
  await trainer.train();
  assertEquals(look.found, [
    { mean: 2, std: 1, min: 1, max: 3 },
    [["a.w", 5]],
    ["a.w", "b.w"],
    1e-3,
  ]);
});

Deno.test("metrics, stops, and checkpoints that hooks ask for", async () => {
  const epoch = (loss: number) => ({ losses: [loss], validation: { "val/loss": loss } });
  const trainer = scriptedTrainer({ epochs: [epoch(3), epoch(2), epoch(2)] });
  const saved: string[] = [], metrics: unknown[] = [];
  trainer.hooks.add({
    onValidationEnd: (ctx) => {
      if (ctx.metrics["val/loss"]! > 2) ctx.trainer.checkpointSoon(`epoch_${ctx.epoch}`);
      else ctx.stop("good enough");
    },
    onEpochEnd: (ctx) => void metrics.push(ctx.metrics),
    onCheckpointSave: ({ path }) => void saved.push(path),
  });
  const outcome = await trainer.train();
  assertEquals(outcome, { status: "stopped", reason: "good enough", step: 2 });
  assertEquals(metrics, [3, 2].map((loss) => ({ "train/loss": loss, "val/loss": loss })));
  assertEquals([saved, trainer.checkpoints], [["epoch_0"], ["epoch_0"]]);
  assertEquals([trainer.state.status, trainer.state.currentEpoch], ["stopped", 2]);
  await trainer.train(); // and goes on
  assertEquals(trainer.state.currentEpoch, 3);
});

Deno.test("a batch that fails tells hooks, and all that has begun ends", async () => {
  const cause = new Error("no more memory");
  const trainer = scriptedTrainer({ epochs: [{ losses: [1, cause] }] });
  const ends: string[] = [];
  trainer.hooks.add({
    onException: ({ error }) => void ends.push(String(error)),
    onBatchEnd: ({ outcome }) => void ends.push(`batch ${outcome.status}`),
    onEpochEnd: ({ outcome }) => void ends.push(`epoch ${outcome.status}`),
    onTrainEnd: ({ outcome }) => void ends.push(`train ${outcome.status}`),
  });
  assertEquals(await assertRejects(() => trainer.train()), cause);
  assertEquals(ends, [
    "batch completed",
    "Error: no more memory",
    "batch failed",
    "epoch failed",
    "train failed",
  ]);
  assertEquals(trainer.state.status, "error");
});

Deno.test("an error of a hook fails the run, unless it is caught", async () => {
  const hook = { name: "bad", onBatchEnd: () => fail("of the hook") };
  const plain = scriptedTrainer({ epochs: [{ losses: [1] }] });
  plain.hooks.add({ ...hook });
  await assertRejects(() => plain.train(), Error, "of the hook");
  const strict = scriptedTrainer({ epochs: [{ losses: [1] }] });
  strict.hooks.add(hook, { onError: "warn" });
  await assertRejects(
    () => strict.train(),
    Error,
    "hook bad has thrown at training/BATCH_END, step 1: Error: of the hook",
  );
  const told: string[] = [];
  const lenient = scriptedTrainer({
    epochs: [{ losses: [1] }],
    onWarning: ({ hook }) => void told.push(hook),
  });
  lenient.hooks.add({ ...hook }, { onError: "warn" });
  assertEquals(await lenient.train(), { status: "completed", hookErrors: 1 });
  assertEquals(told, ["bad"]);
});

function fail(why: string): never {
  throw new Error(why);
}

Deno.test("what hooks keep goes on after save and load", async () => {
  class Patience {
    readonly name = "patience";
    readonly stage = TrainingStage.EPOCH_END;
    readonly frequency = 1;
    count = 0;
    call() {
      this.count++;
    }
    save() {
      return this.count;
    }
    load(count: number) {
      this.count = count;
    }
  }
  const epochs = [{ losses: [1] }, { losses: [1] }];
  const [before, after] = [new Patience(), new Patience()];
  const first = scriptedTrainer({ epochs: epochs.slice(0, 1) });
  first.hooks.add(before);
  await first.train();
  const second = scriptedTrainer({ epochs });
  second.hooks.add(after);
  second.load(first.save());
  await second.train();
  assertEquals([before.count, after.count, second.stepCount], [1, 2, 2]);
});

Deno.test("a hook asks for a parameter or its gradient by its name", async () => {
  const trainer = scriptedTrainer({
    epochs: [{ losses: [1] }],
    parameters: { w: [2] },
    gradients: { w: [3] },
    lr: 1,
  });
  const seen: number[] = [];
  trainer.hooks.add({
    onAfterBackward: async (ctx) => {
      seen.push(...await ctx.trainer.parameter("w"));
    },
  });
  await trainer.train();
  assertEquals([seen, [...await trainer.parameter("w")]], [[2], [-1]]);
  assertEquals([...await trainer.parameter("w", "gradients")], [3]);
  await assertRejects(() => trainer.parameter("v"), RangeError, "it must be one of w");
});

Deno.test("scripts that say too little are refused", () => {
  assertThrows(() => scriptedTrainer({} as never), TypeError, "its script must have epochs");
  assertThrows(
    () => scriptedTrainer({ epochs: [{ losses: [] }] }),
    RangeError,
    "epoch 0 must have losses",
  );
  assertThrows(
    () => scriptedTrainer({ epochs: [{ losses: [1] }], optimizers: [[{ parameters: ["v"] }]] }),
    RangeError,
    "the parameters of a group must be unique, and among w; got v",
  );
});
