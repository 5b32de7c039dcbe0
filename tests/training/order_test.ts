/** In which order a trainer reaches its stages, whatever happens. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { hook } from "../../src/hook.ts";
import type { Outcome } from "../../src/hooks/protocol/outcome.ts";
import {
  type DataSource,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainingContext,
  TrainingStage,
} from "../../src/training/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { parts, samples } from "./networks.ts";

/** The fields of a context that these tests record. */
interface Seen {
  readonly epoch: number;
  readonly phase: string;
  readonly batchIdx?: number;
  readonly optimizerIdx?: number;
  readonly outcome?: Outcome;
}

/** Looks on at every stage. */
class Tracer {
  readonly name = "tracer";
  readonly frequency = 1;
  readonly seen: string[] = [];
  readonly #tell: (ctx: Seen, stage: string) => string;

  constructor(tell: (ctx: Seen, stage: string) => string = (_ctx, stage) => stage) {
    this.#tell = tell;
  }

  runsOnStage(stage: TrainingStage): boolean {
    return !DECIDING.includes(stage);
  }

  call(ctx: unknown, stage: TrainingStage): void {
    this.seen.push(this.#tell(ctx as Seen, stage.replace("training/", "")));
  }
}

const DECIDING: readonly TrainingStage[] = [
  TrainingStage.ACTIVATIONS,
  TrainingStage.COMPUTE_LOSS,
  TrainingStage.LOSS,
  TrainingStage.GRADIENTS,
  TrainingStage.MAY_UPDATE,
  TrainingStage.OPTIMIZER_STEP,
];

const ENDED = (ctx: Seen, stage: string) =>
  stage.endsWith("_END") && stage !== "STEP_END" ? `${stage} ${ctx.outcome!.status}` : stage;

const FORWARD = ["BEFORE_FORWARD", "AFTER_FORWARD"];
const BACKWARD = ["AFTER_LOSS", "BEFORE_BACKWARD", "AFTER_BACKWARD"];
const OPTIMIZER = ["BEFORE_OPTIMIZER_STEP", "AFTER_OPTIMIZER_STEP"];
const BEGIN = ["BATCH_BEGIN", ...FORWARD, ...BACKWARD];
const BATCH = [...BEGIN, ...OPTIMIZER, "STEP_END", "BATCH_END"];
const VALIDATED = ["VALIDATION_BATCH_BEGIN", ...FORWARD, "VALIDATION_BATCH_END"];
const VALIDATION = ["VALIDATION_BEGIN", ...VALIDATED, ...VALIDATED, "VALIDATION_END", "EVAL_END"];

/** A trainer that is traced. */
function traced(
  more: Partial<TrainerParts> = {},
  tell?: (ctx: Seen, stage: string) => string,
): { trainer: Trainer; seen: string[] } {
  const tracer = new Tracer(tell);
  const trainer = new Trainer(parts(more));
  trainer.addHook(tracer);
  return { trainer, seen: tracer.seen };
}

const eight = samples(8, { batchSize: 4, shuffle: false }, 20);

Deno.test("a run of two epochs, with validation, reaches every stage once, in the order that is promised", async () => {
  const { trainer, seen } = traced({ validation: eight });
  assertEquals(await trainer.train(2), { status: "completed" });
  const epoch = ["EPOCH_BEGIN", ...BATCH, ...BATCH, ...BATCH, ...VALIDATION, "EPOCH_END"];
  assertEquals(seen, ["TRAIN_BEGIN", ...epoch, ...epoch, "TRAIN_END"]);
  assertEquals([trainer.stepCount, trainer.state.currentEpoch, trainer.state.status], [
    6,
    2,
    "completed",
  ]);
});

Deno.test("with two batches a step the update comes with the second, and with what is left at the end", async () => {
  const { trainer, seen } = traced({ accumulate: 2, clip: { norm: 1 } });
  await trainer.train();
  const update = ["GRADIENT_CLIP", ...OPTIMIZER, "STEP_END", "BATCH_END"];
  assertEquals(seen, [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    ...BEGIN,
    "BATCH_END",
    ...BEGIN,
    ...update,
    ...BEGIN,
    ...update,
    "EPOCH_END",
    "TRAIN_END",
  ]);
  assertEquals(trainer.stepCount, 2);
});

Deno.test("each optimizer steps between its two stages, which tell which it is", async () => {
  const { trainer, seen } = traced(
    {
      optimizers: [
        sgd({ name: "first", lr: 0.1, parameters: ["w1", "b1"] }),
        sgd({ name: "second", lr: 0.1 }),
      ],
      steps: 1,
    },
    ({ optimizerIdx }, stage) =>
      stage.includes("OPTIMIZER_STEP") ? `${stage} ${optimizerIdx}` : stage,
  );
  await trainer.train();
  const at = seen.indexOf("AFTER_BACKWARD");
  assertEquals(seen.slice(at + 1, at + 6), [
    "BEFORE_OPTIMIZER_STEP 0",
    "AFTER_OPTIMIZER_STEP 0",
    "BEFORE_OPTIMIZER_STEP 1",
    "AFTER_OPTIMIZER_STEP 1",
    "STEP_END",
  ]);
});

Deno.test("stages that decide are reached at their places", async () => {
  const { trainer, seen } = traced({ clip: { value: 1 }, steps: 1 });
  const note = (stage: string) => seen.push(`(${stage})`);
  trainer.addHook(hook({
    name: "decides",
    settings: { points: ["tanh"] },
    on: {
      training: {
        ACTIVATIONS: (ctx) => (note("ACTIVATIONS"), ctx.value),
        LOSS: (ctx) => (note("LOSS"), ctx.value),
        GRADIENTS: (ctx) => (note("GRADIENTS"), ctx.value),
        MAY_UPDATE: () => (note("MAY_UPDATE"), true),
        OPTIMIZER_STEP: () => void note("OPTIMIZER_STEP"),
        COMPUTE_LOSS: () => (note("COMPUTE_LOSS"), { loss: 0, slopes: new Map() }),
      },
    },
  }));
  await trainer.train();
  assertEquals(seen, [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    "BATCH_BEGIN",
    "BEFORE_FORWARD",
    "(ACTIVATIONS)",
    "AFTER_FORWARD",
    "(COMPUTE_LOSS)",
    "(LOSS)",
    ...BACKWARD,
    "(GRADIENTS)",
    "GRADIENT_CLIP",
    "(MAY_UPDATE)",
    "BEFORE_OPTIMIZER_STEP",
    "(OPTIMIZER_STEP)",
    "AFTER_OPTIMIZER_STEP",
    "STEP_END",
    "BATCH_END",
    "EPOCH_END",
    "TRAIN_END",
  ]);
});

Deno.test("a hook that decides in a batch and throws: EXCEPTION, then what has begun ends as failed", async () => {
  const { trainer, seen } = traced({}, ENDED);
  trainer.addHook({ onAfterLoss: () => fail("too much") }, { name: "fails", onError: "throw" });
  const error = await assertRejects(() => trainer.train(), Error, "too much");
  assertEquals(seen, [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    "BATCH_BEGIN",
    ...FORWARD,
    "AFTER_LOSS",
    "EXCEPTION",
    "BATCH_END failed",
    "EPOCH_END failed",
    "TRAIN_END failed",
  ]);
  assertEquals(trainer.outcome, { status: "failed", error });
  assertEquals([trainer.state.status, trainer.state.currentBatchIdx], ["error", 0]);
});

Deno.test("an error in validation ends its batch and itself before the epoch, and the phase is train again", async () => {
  let isBad = true;
  const { trainer, seen } = traced(
    { validation: eight },
    (ctx, stage) => `${ENDED(ctx, stage)} ${ctx.phase}`,
  );
  trainer.addHook({ onBeforeForward: ({ phase }) => isBad && phase === "validation" && fail() }, {
    name: "fails",
    onError: "throw",
  });
  await assertRejects(() => trainer.train(), Error, "on purpose");
  assertEquals(seen.slice(-8), [
    "VALIDATION_BEGIN validation",
    "VALIDATION_BATCH_BEGIN validation",
    "BEFORE_FORWARD validation",
    "EXCEPTION validation",
    "VALIDATION_BATCH_END failed validation",
    "VALIDATION_END failed validation",
    "EPOCH_END failed train",
    "TRAIN_END failed train",
  ]);
  isBad = false;
  assertEquals(await trainer.train(), { status: "completed" });
});

for (const stage of ["onTrainBegin", "onEpochBegin", "onBatchEnd", "onEpochEnd", "onTrainEnd"]) {
  Deno.test(`an error at ${stage} leaves no stage without its end, and ends none twice`, async () => {
    const { trainer, seen } = traced({ validation: eight });
    trainer.addHook({ [stage]: () => fail() } as never, { name: "fails", onError: "throw" });
    await assertRejects(() => trainer.train(), Error, "on purpose");
    assertEquals(count(seen, "EXCEPTION"), 1);
    assertPaired(seen);
  });
}

Deno.test("data that throw in mid-epoch end epoch and run, and no batch", async () => {
  const { trainer, seen } = traced({ data: breaking(1) }, ENDED);
  await assertRejects(() => trainer.train(), Error, "on purpose");
  assertEquals(seen, [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    ...BATCH.slice(0, -1),
    "BATCH_END completed",
    "EXCEPTION",
    "EPOCH_END failed",
    "TRAIN_END failed",
  ]);
  assertEquals(trainer.state.currentBatchIdx, 0); // the step was not done to its end
});

Deno.test("validation data that throw are closed, and validation ends as failed", async () => {
  const { trainer, seen } = traced({ validation: breaking(1) }, ENDED);
  await assertRejects(() => trainer.train(), Error, "on purpose");
  assertEquals(seen.slice(-9), [
    "VALIDATION_BEGIN",
    "VALIDATION_BATCH_BEGIN",
    ...FORWARD,
    "VALIDATION_BATCH_END completed",
    "EXCEPTION",
    "VALIDATION_END failed",
    "EPOCH_END failed",
    "TRAIN_END failed",
  ]);
});

Deno.test("validation by hand that fails ends too", async () => {
  const { trainer, seen } = traced({ validation: breaking(1) }, ENDED);
  await assertRejects(() => trainer.validate(), Error, "on purpose");
  assertEquals(seen, [
    "VALIDATION_BEGIN",
    "VALIDATION_BATCH_BEGIN",
    ...FORWARD,
    "VALIDATION_BATCH_END completed",
    "VALIDATION_END failed",
  ]);
  assertEquals(trainer.state.metrics, {});
});

Deno.test("a model that cannot be opened: EXCEPTION, and no end of what has not begun", async () => {
  const { trainer, seen } = traced({ model: "/nowhere/model.onnx" });
  await assertRejects(() => trainer.train(), Error);
  assertEquals(seen, ["EXCEPTION"]);
  await trainer.close();
});

Deno.test("a stop in mid-epoch ends epoch and run as stopped; the next call goes on there", async () => {
  const { trainer, seen } = traced(
    {},
    (ctx, stage) =>
      stage === "BATCH_BEGIN" ? `batch ${ctx.epoch} ${ctx.batchIdx}` : ENDED(ctx, stage),
  );
  const stopper = trainer.addHook({ onStepEnd: ({ stop }) => stop("enough") }, { name: "stops" });
  assertEquals(await trainer.train(2), { status: "stopped", reason: "enough", step: 1 });
  const kept = /^(batch|EPOCH|TRAIN)/;
  assertEquals(seen.filter((one) => kept.test(one)), [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    "batch 0 0",
    "EPOCH_END stopped",
    "TRAIN_END stopped",
  ]);
  stopper.remove();
  seen.length = 0;
  assertEquals(await trainer.train(2), { status: "completed" });
  assertEquals(seen.filter((one) => kept.test(one)), [
    "TRAIN_BEGIN",
    "EPOCH_BEGIN",
    "batch 0 1",
    "batch 0 2",
    "EPOCH_END completed",
    "EPOCH_BEGIN",
    "batch 1 0",
    "batch 1 1",
    "batch 1 2",
    "EPOCH_END completed",
    "TRAIN_END completed",
  ]);
  seen.length = 0;
  assertEquals(await trainer.train(2), { status: "completed" }); // nothing is left
  assertEquals(seen, ["TRAIN_BEGIN", "TRAIN_END completed"]);
});

Deno.test("when all steps are done in mid-epoch the run is completed, and the epoch is not", async () => {
  const { trainer, seen } = traced({ steps: 2 }, ENDED);
  assertEquals(await trainer.train(), { status: "completed" });
  assertEquals(seen.slice(-2), ["EPOCH_END stopped", "TRAIN_END completed"]);
});

Deno.test("a run from a checkpoint in mid-epoch begins with the batch that is next", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/run.hooke`;
    const first = new Trainer(parts({ steps: 2 }));
    await first.train();
    await first.saveCheckpoint(path);
    const { trainer, seen } = traced(
      {},
      (ctx, stage) => stage === "BATCH_BEGIN" ? `batch ${ctx.batchIdx}` : stage,
    );
    await trainer.loadCheckpoint(path);
    await trainer.train();
    const last = ["batch 2", ...BATCH.slice(1)];
    assertEquals(seen, [
      "CHECKPOINT_LOAD",
      "TRAIN_BEGIN",
      "EPOCH_BEGIN",
      ...last,
      "EPOCH_END",
      "TRAIN_END",
    ]);
  });
});

Deno.test("a step that a gate vetoes ends as skipped, with no optimizer", async () => {
  const { trainer, seen } = traced(
    { steps: 1 },
    (ctx, stage) =>
      stage === "STEP_END" ? `skipped ${(ctx as { skipped?: boolean }).skipped}` : stage,
  );
  trainer.addHook(hook({ name: "no", on: { training: { MAY_UPDATE: () => false } } }));
  await trainer.train();
  assertEquals(seen.slice(2, 10), [...BEGIN, "skipped true", "BATCH_END"]);
});

Deno.test("batches say which of the loaders they are from, and what it is called", async () => {
  const seen: unknown[] = [];
  const { trainer } = traced({
    data: { near: eight, far: samples(4, { batchSize: 4 }, 30) },
    loaderOrder: "roundRobin",
    validation: { other: eight },
  });
  trainer.addHook({
    onBatchBegin: ({ loaderIdx, loaderName, batchIdx }) =>
      void seen.push([loaderIdx, loaderName, batchIdx]),
    onValidationBatchEnd: ({ loaderIdx, loaderName, batchIdx }) =>
      void seen.push([loaderIdx, loaderName, batchIdx]),
  });
  await trainer.train();
  assertEquals(seen, [[0, "near", 0], [1, "far", 1], [0, "near", 2], [0, "other", 0], [
    0,
    "other",
    1,
  ]]);
});

Deno.test("the end of an epoch has the metrics of training and of validation", async () => {
  const { trainer } = traced({ validation: eight });
  const losses: number[] = [], ends: Record<string, Readonly<Record<string, number>>> = {};
  trainer.addHook({
    onBatchEnd: ({ loss, metrics }) => {
      losses.push(loss);
      assertEquals(metrics, { loss });
    },
    onValidationEnd: ({ metrics }) => void (ends.validation = metrics),
    onEvalEnd: ({ metrics }) => void (ends.eval = metrics),
    onEpochEnd: ({ metrics }) => void (ends.epoch = metrics),
  });
  await trainer.train();
  const mean = losses.reduce((a, b) => a + b) / 3;
  const val = ends.validation!["val/loss"]!;
  assertEquals(ends.validation, { "val/loss": val });
  assertEquals(ends.eval, { "val/loss": val, "eval/loss": val });
  assertEquals(ends.epoch, { "train/loss": ends.epoch!["train/loss"]!, "val/loss": val });
  assert(Math.abs(ends.epoch!["train/loss"]! - mean) < 1e-12);
  assertEquals({ ...trainer.state.metrics }, { ...ends.epoch });
  assertEquals(await trainer.validate(), { "val/loss": val });
});

Deno.test("the norm at GRADIENT_CLIP is that before clipping, of what the pipe has left, and stays until STEP_END", async () => {
  const { trainer } = traced({ clip: { norm: 1e-3 }, accumulate: 2, steps: 1 });
  const norms: number[] = [];
  trainer.addHook(hook({
    name: "norms",
    reads: ["gradNorm"],
    on: {
      training: {
        AFTER_BACKWARD: (ctx) => void norms.push(ctx.read.gradNorm),
        GRADIENT_CLIP: (ctx) => void norms.push(ctx.gradNorm, length(ctx.gradients)),
        STEP_END: (ctx) => void norms.push(ctx.gradNorm),
      },
    },
  }));
  trainer.addHook(hook({
    name: "doubles",
    on: {
      training: {
        GRADIENTS: ({ value }) =>
          new Map([...value].map(([name, numbers]) => [name, numbers.map((x) => 2 * x)])),
      },
    },
  }));
  await trainer.train();
  const [first, both, before, clipped, end] = norms as [number, number, number, number, number];
  assert(first !== both && Math.abs(before / both - 2) < 1e-6, `${norms}`);
  assert(Math.abs(clipped - 1e-3) < 1e-8 && end === before, `${norms}`);
});

Deno.test("a checkpoint that a hook asks for is on disk at CHECKPOINT_SAVE, after the step is done", async () => {
  await withFolder(async (folder) => {
    const { trainer, seen } = traced({});
    const sizes: number[] = [];
    trainer.addHook({
      onBatchBegin: ({ trainer, batchIdx }) =>
        batchIdx > 0 && trainer.checkpointSoon(`${folder}/${batchIdx}`),
      onCheckpointSave: ({ path }) => void sizes.push(Deno.statSync(path).size),
    });
    await trainer.train();
    assertEquals(sizes.map((size) => size > 100), [true, true]);
    const batch = BATCH.join();
    assertEquals(seen.join().split("CHECKPOINT_SAVE").map((part) => part.split(batch).length - 1), [
      2,
      1,
      0,
    ]);
    assertEquals(seen.slice(-3), ["EPOCH_END", "CHECKPOINT_SAVE", "TRAIN_END"]);
  });
});

Deno.test("validation that has several reasons at once is done once", async () => {
  const { trainer, seen } = traced({ validation: eight, validateEvery: { epochs: 1, steps: 3 } });
  trainer.addHook({
    onStepEnd: ({ trainer, stepCount }) => stepCount === 3 && trainer.validateSoon(),
  });
  await trainer.train();
  assertEquals(count(seen, "VALIDATION_BEGIN"), 1);
});

/** Batches from something that must be closed again; `open` tells how many are. */
function opened(): { readonly source: DataSource; readonly open: () => number } {
  const { batches, ...rest } = samples(12, { batchSize: 4 });
  let open = 0;
  const source: DataSource = {
    ...rest,
    *batches(epoch: number, from: number) {
      open++;
      try {
        yield* batches(epoch, from) as Iterable<never>;
      } finally {
        open--;
      }
    },
  };
  return { source, open: () => open };
}

Deno.test("data are closed when a run is over, stopped, or has failed, in training and in validation", async () => {
  const data = opened(), validation = opened();
  const { trainer } = traced({ data: data.source, validation: validation.source });
  await trainer.train();
  const bad = trainer.addHook({ onBeforeForward: () => fail() }, { name: "a", onError: "throw" });
  await assertRejects(() => trainer.train(2));
  bad.remove();
  const worse = trainer.addHook({ onValidationBatchBegin: () => fail() }, { onError: "throw" });
  await assertRejects(() => trainer.train(2));
  await assertRejects(() => trainer.validate());
  worse.remove();
  trainer.addHook({ onBatchEnd: ({ stop }) => stop("enough") });
  await trainer.train(3);
  assertEquals([data.open(), validation.open()], [0, 0]);
});

Deno.test("tensors are computed only where a hook that reads them is due", async () => {
  const early = { name: "early", onAfterForward: () => {} };
  const late = hook({
    name: "late",
    after: 2,
    reads: ["activations:nothing"],
    on: { training: { AFTER_FORWARD: ({ read }) => void read["activations:nothing"].size } },
  });
  const { trainer } = traced({});
  trainer.addHook(early);
  trainer.addHook(late);
  await assertRejects(() => trainer.train(), RangeError, "nothing");
  assertEquals(trainer.stepCount, 2); // the two before were done
});

Deno.test("tensors are not computed for a hook whose own condition says no, which is asked once a visit", async () => {
  const asked: string[] = [];
  const { trainer } = traced({ validation: eight, epochs: 1 });
  const fields = ["activations:nothing"] as const;
  trainer.addHook({
    name: "training only",
    stage: TrainingStage.AFTER_FORWARD,
    frequency: 2,
    reads: fields,
    when: ({ phase, batchIdx }: TrainingContext & { readonly batchIdx?: number }) => {
      asked.push(`${phase} ${batchIdx}`);
      return phase === "train";
    },
    call: ({ read }: TrainingContext<typeof fields[number]>) => void read[fields[0]],
  });
  await trainer.validate();
  assertEquals(asked, ["validation 0"]);
  await assertRejects(() => trainer.train(), RangeError, "nothing");
});

function fail(message = "on purpose"): never {
  throw new Error(message);
}

/** A number of batches, then an error. */
function breaking(after: number): DataSource {
  const { batches, ...rest } = samples(12, { batchSize: 4 });
  return {
    ...rest,
    *batches(epoch: number, from: number) {
      let i = 0;
      for (const batch of batches(epoch, from) as Iterable<never>) {
        if (i++ === after) fail();
        yield batch;
      }
    },
  };
}

function count(seen: readonly string[], stage: string): number {
  return seen.filter((each) => each === stage).length;
}

/** Everything that begins ends, once, in reverse order. */
function assertPaired(seen: readonly string[]): void {
  const open: string[] = [];
  for (const stage of seen) {
    if (stage.endsWith("_BEGIN")) open.push(stage.replace("_BEGIN", ""));
    else if (stage.endsWith("_END") && !/^(STEP|EVAL)/.test(stage)) {
      assertEquals(open.pop(), stage.replace("_END", ""), seen.join());
    }
  }
  assertEquals(open, [], seen.join());
}

function length(gradients: ReadonlyMap<string, ArrayLike<number>>): number {
  return Math.hypot(...[...gradients.values()].flatMap((numbers) => Array.from(numbers)));
}
