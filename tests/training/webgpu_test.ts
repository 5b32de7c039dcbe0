/** Training on a GPU: losses that come late, what hooks read, and the same numbers as on wasm. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { readCheckpoint } from "../../src/checkpoint/mod.ts";
import { hook } from "../../src/hook.ts";
import type { HookWarning } from "../../src/hooks/protocol/outcome.ts";
import {
  adamW,
  cosine,
  lion,
  type LossLike,
  type NamedNumbers,
  type SavedTrainer,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainingHooks,
} from "../../src/training/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { assertWithin } from "../onnx/assert_within.ts";
import { fast, slow } from "../suite.ts";
import { parametersOf, parts, samples } from "./networks.ts";

/** Everything in one run: two optimizers, two batches a step, a clip, an average, validation. */
function full(device: "wasm" | "webgpu", more: Partial<TrainerParts> = {}): TrainerParts {
  return parts({
    device,
    accumulate: 2,
    clip: { norm: 0.2, value: 0.1 },
    epochs: 2,
    ema: { decay: 0.9, validate: true },
    optimizers: [
      adamW({ lr: 0.01, eps: 1e-4, parameters: "w*", schedule: cosine({ steps: 6 }) }),
      sgd({ lr: 0.1, momentum: 0.9 }),
    ],
    validation: samples(8, { batchSize: 4 }, 20),
    ...more,
  });
}

/** Results of a run. */
async function run(options: TrainerParts, hooks: TrainingHooks = []) {
  const warnings: HookWarning[] = [];
  await using trainer = new Trainer({
    ...options,
    hooks: hooks as never,
    onWarning: (warning) => void warnings.push(warning),
  });
  await trainer.train();
  assertEquals(warnings.map(({ error }) => error), []);
  return {
    parameters: await parametersOf(trainer),
    average: [...await trainer.parameter("w1", "ema")],
    metrics: { ...trainer.state.metrics },
    latest: trainer.state.latestLoss,
    saved: await trainer.save(),
  };
}

type Run = Awaited<ReturnType<typeof run>>;

function assertSame(ours: Run, theirs: Run, within = 2e-6): void {
  assertEquals(Object.keys(ours.parameters), Object.keys(theirs.parameters));
  for (const [name, numbers] of Object.entries(theirs.parameters)) {
    assertWithin(name, ours.parameters[name]!, numbers, within);
  }
  assertWithin("average", ours.average, theirs.average, within);
  assertWithin("latest", [ours.latest], [theirs.latest], within);
  assertEquals(Object.keys(ours.metrics), Object.keys(theirs.metrics));
  assertWithin("metrics", Object.values(ours.metrics), Object.values(theirs.metrics), within);
  assertEquals([...ours.saved.counts], [...theirs.saved.counts]);
}

fast(testOnGpu)("a run with everything in it comes to what it does on wasm", async () => {
  assertSame(await run(full("webgpu")), await run(full("wasm")));
});

slow(testOnGpu)("a custom loss and optimizer do, too", async () => {
  const own = hook({
    name: "own",
    on: {
      training: {
        COMPUTE_LOSS: ({ outputs, batch }) => {
          const y = outputs.get("y")!.data, wanted = batch.feeds.wanted!.data as Float32Array;
          const off = Array.from(y, (value, i) => value - wanted[i]!);
          return { loss: off.reduce((sum, d) => sum + d * d, 0), slopes: new Map([["y", off]]) };
        },
        OPTIMIZER_STEP: ({ parameters }) => {
          for (const numbers of parameters.values()) {
            numbers.forEach((x, i) => numbers[i] = 0.9 * x);
          }
        },
      },
    },
  });
  assertSame(await run(full("webgpu"), [own]), await run(full("wasm"), [own]));
});

fast(testOnGpu)("pipes and gates do, too", async () => {
  const scales = (value: NamedNumbers) =>
    new Map([...value].map(([name, numbers]) => [name, numbers.map((x) => 3 * x)]));
  const decides = hook({
    name: "decides",
    reads: ["gradients"],
    on: {
      training: {
        LOSS: ({ value }) => 0.5 * value,
        GRADIENTS: ({ value, stepCount }) =>
          new Map([...scales(value)].filter(([name]) => name !== "b1" || stepCount !== 2)),
        MAY_UPDATE: ({ batchIdx, gradNorm }) => batchIdx !== 1 && gradNorm > 0,
      },
    },
  });
  assertSame(await run(full("webgpu"), [decides]), await run(full("wasm"), [decides]));
});

/** The mean square of one parameter. */
const squares: LossLike = ({ graph, output }) => {
  const w = output("w1");
  return graph.op("ReduceMean", [graph.mul(w, w)], "f32", { keepdims: 0 });
};

fast(testOnGpu)("activations, terms and patches of hooks do, too", async () => {
  const changes = hook({
    name: "changes",
    settings: {
      points: ["tanh"],
      patches: [{ point: "add", kind: "scale", by: 0.5 }],
      terms: [squares],
    },
    on: {
      training: {
        ACTIVATIONS: ({ value }) =>
          new Map([...value].map(([name, { dims, data }]) => [
            name,
            { dims, data: Float32Array.from(data, (x, i) => i % 3 === 0 ? 0 : x) },
          ])),
      },
    },
  });
  assertSame(await run(full("webgpu"), [changes]), await run(full("wasm"), [changes]));
});

slow(testOnGpu)(
  "terms that come and go between steps are those that they are on wasm",
  async () => {
    const [batch] = await Array.fromAsync(samples(4, { batchSize: 4 }).batches(0, 0));
    const after = async (device: "wasm" | "webgpu") => {
      const term = { name: "term", settings: { terms: [squares, squares] } };
      await using trainer = new Trainer({ ...parts({ device }), hooks: [term] });
      const found: number[] = [];
      for (const isOn of [false, true, false, true]) {
        if (isOn) trainer.enableHook("term");
        else trainer.disableHook("term");
        found.push((await trainer.step(batch!)).loss);
      }
      return [...found, ...Object.values(await parametersOf(trainer)).flat()];
    };
    assertWithin("losses", await after("webgpu"), await after("wasm"), 2e-6);
  },
);

/** Notes the loss of each batch at some stages. */
function losses(stage: "AFTER_LOSS" | "BATCH_END" | "STEP_END", into: number[], frequency = 1) {
  const note = ({ loss }: { readonly loss: number }) => void into.push(loss);
  return hook({ name: stage, frequency, on: { training: { [stage]: note } as never } });
}

slow(testOnGpu)(
  "every hook finds the loss of its own batch, be it fetched for it or not",
  async () => {
    const expected: number[] = [];
    await run(full("wasm", { epochs: 4 }), [losses("AFTER_LOSS", expected)]);
    for (const stage of ["AFTER_LOSS", "BATCH_END"] as const) {
      const seen: number[] = [], third: number[] = [];
      await run(full("webgpu", { epochs: 4 }), [losses(stage, seen)]);
      assertWithin(stage, seen, expected, 2e-6);
      await run(full("webgpu", { epochs: 4 }), [losses(stage, third, 3)]);
      assertWithin(stage, third, expected.filter((_, i) => i % 3 === 0), 2e-6);
    }
    const ofSteps: number[] = [];
    await run(full("webgpu", { epochs: 4 }), [losses("STEP_END", ofSteps)]);
    assertWithin("STEP_END", ofSteps, expected.filter((_, i) => i % 3 > 0), 2e-6);
  },
);

fast(testOnGpu)("losses that arrive late are in the metrics of their epoch, in order", async () => {
  const epochs = (device: "wasm" | "webgpu") => {
    const means: number[] = [];
    const notes = {
      onEpochEnd: ({ metrics, state }: {
        readonly metrics: Readonly<Record<string, number>>;
        readonly state: { readonly latestLoss: number };
      }) => void means.push(metrics["train/loss"]!, state.latestLoss),
    };
    return { means, done: run(full(device, { epochs: 3 }), [notes]) };
  };
  const ours = epochs("webgpu");
  await ours.done;
  const theirs = epochs("wasm");
  await theirs.done;
  assertWithin("epochs", ours.means, theirs.means, 2e-6);
});

/** Reads fields at a stage, and notes a few numbers of them for each step. */
function reads(into: Map<number, number[]>, isSync: boolean) {
  return hook({
    name: "reads",
    sync: isSync,
    reads: ["loss", "gradNorm", "lr", "parameters:w1", "gradients", "optimizerState:b2/*"],
    on: {
      training: {
        STEP_END: ({ stepCount, read }) =>
          void into.set(stepCount, [
            read.loss,
            read.gradNorm,
            read.lr,
            ...read["parameters:w1"].get("w1")!,
            ...read.gradients.get("b2")!,
            ...[...read["optimizerState:b2/*"]].sort().flatMap(([, numbers]) => [...numbers]),
          ]),
      },
    },
  });
}

for (const isSync of [true, false]) {
  testOnGpu(
    `declared fields arrive, of their own step (${isSync ? "waited for" : "late"})`,
    async () => {
      const ours = new Map<number, number[]>(), theirs = new Map<number, number[]>();
      await run(full("webgpu"), [reads(ours, isSync)]);
      await run(full("wasm"), [reads(theirs, true)]);
      assertEquals([...ours.keys()], [...theirs.keys()]);
      for (const [step, numbers] of theirs) {
        assertWithin(`step ${step}`, ours.get(step)!, numbers, 2e-6);
      }
    },
  );
}

slow(testOnGpu)(
  "the norm that a hook declares is there at any stage from AFTER_BACKWARD on",
  async () => {
    for (const stage of ["AFTER_BACKWARD", "GRADIENT_CLIP", "BATCH_END", "EPOCH_END"] as const) {
      const norms = async (device: "wasm" | "webgpu") => {
        const found: number[] = [];
        const note = ({ read }: { readonly read: { readonly gradNorm: number } }) =>
          void found.push(read.gradNorm);
        const notes = hook({
          name: "notes",
          reads: ["gradNorm"],
          on: { training: { [stage]: note } as never },
        });
        await run(full(device, { accumulate: 1 }), [notes as never]);
        return found;
      };
      const theirs = await norms("wasm");
      assert(theirs.length > 0);
      assertWithin(stage, await norms("webgpu"), theirs, 2e-6);
    }
  },
);

fast(testOnGpu)(
  "the loss that a hook reads before that of its batch is known is that of the batch before",
  async () => {
    const before = async (device: "wasm" | "webgpu") => {
      const found: number[] = [];
      const notes = hook({
        name: "notes",
        reads: ["loss"],
        on: { training: { BATCH_BEGIN: ({ read }) => void found.push(read.loss) } },
      });
      await run(full(device), [notes]);
      return found.slice(1);
    };
    assertWithin("loss", await before("webgpu"), await before("wasm"), 2e-6);
  },
);

/** Stages of several steps, and the steps, as hooks receive them, and the saved state of a hook that counts. */
async function order(device: "wasm" | "webgpu", folder: string): Promise<unknown[]> {
  const seen: string[] = [], note = (what: string) => () => void seen.push(what);
  let count = 0, saved: unknown;
  const counts = {
    name: "counts",
    save: () => count,
    load: () => {},
    onStepEnd: () => void count++,
  };
  await using trainer = new Trainer({
    ...full(device, { accumulate: 1, epochs: 3 }),
    hooks: [counts],
  });
  trainer.addHook({
    onEpochBegin: note("epoch"),
    onEpochEnd: note("epoch end"),
    onStepEnd: note("step"),
    onValidationBegin: note("validation"),
    onTrainEnd: note("end"),
    onBatchBegin: ({ trainer, stepCount }) =>
      stepCount === 4 && trainer.checkpointSoon(`${folder}/${device}`),
    onCheckpointSave: async ({ path, stepCount }) => {
      const { data } = await readCheckpoint(path);
      saved = [stepCount, (data as SavedTrainer).loop.hooks.counts!.state];
    },
  });
  await trainer.train(3);
  return [seen.join(), saved];
}

slow(testOnGpu)(
  "what is of several steps comes after all of them, and so does what is saved of hooks",
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      const theirs = await order("wasm", folder);
      assertEquals(theirs[1], [5, 5]);
      assertEquals(await order("webgpu", folder), theirs);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

fast(testOnGpu)("rates that are read late are those of their step", async () => {
  const rates = async (device: "wasm" | "webgpu") => {
    const found: number[] = [];
    const notes = hook({
      name: "notes",
      reads: ["lr", "optimizers"],
      on: {
        training: {
          STEP_END: ({ read, lr }) =>
            void found.push(read.lr, read.optimizers[0]!.groups[0]!.lr, lr),
        },
      },
    });
    await run(full(device), [notes]);
    return found;
  };
  const theirs = await rates("wasm");
  assert(new Set(theirs).size > 2);
  assertEquals(await rates("webgpu"), theirs);
});

fast(testOnGpu)(
  "a tensor that is read where there is none yet says so, and stops nothing",
  async () => {
    for (const device of ["wasm", "webgpu"] as const) {
      const errors: unknown[] = [];
      const early = hook({
        name: "early",
        onError: "warn",
        reads: ["activations:tanh"],
        on: { training: { BATCH_BEGIN: ({ read }) => void read["activations:tanh"].size } },
      });
      await using trainer = new Trainer({
        ...full(device, { steps: 1 }),
        hooks: [early],
        onWarning: ({ error }) => void errors.push(error),
      });
      await trainer.train();
      assertEquals(errors.length, 2, device);
      const { message, cause } = errors[0] as Error;
      assert(
        `${message} ${cause}`.includes("from AFTER_FORWARD to the end of a batch"),
        `${cause}`,
      );
    }
  },
);

slow(testOnGpu)("activations and statistics are those of the batch", async () => {
  const looks = async (device: "wasm" | "webgpu") => {
    const found: number[] = [];
    const look = hook({
      name: "looks",
      reads: ["activations:tanh", "statistics:tanh"],
      frequency: 2,
      on: {
        training: {
          AFTER_FORWARD: ({ read }) => {
            const { mean, std, min, max } = read["statistics:tanh"].get("tanh")!;
            found.push(...read["activations:tanh"].get("tanh")!.data, mean, std, min, max);
          },
          BATCH_END: ({ read }) => void found.push(...read["activations:tanh"].get("tanh")!.data),
        },
      },
    });
    await run(full(device), [look]);
    return found;
  };
  const theirs = await looks("wasm");
  assert(theirs.length >= 20);
  assertWithin("tanh", await looks("webgpu"), theirs, 5e-6);
});

fast(testOnGpu)("parameters, gradients and rates that hooks write on a GPU are used", async () => {
  const changes = hook({
    name: "changes",
    writes: ["parameters:b*", "gradients:w1", "optimizers"],
    on: {
      training: {
        AFTER_BACKWARD: ({ write, stepCount }) => {
          write["gradients:w1"].get("w1")!.fill(0.01);
          if (stepCount === 1) write["parameters:b*"].get("b2")![0] = 0.5;
          write.optimizers[1]!.groups[0]!.lr = 0.05;
        },
      },
    },
  });
  assertSame(await run(full("webgpu"), [changes]), await run(full("wasm"), [changes]));
});

fast(testOnGpu)("what is on the GPU and was not declared says so", async () => {
  const errors: unknown[] = [];
  await using trainer = new Trainer({
    ...full("webgpu", { steps: 1 }),
    onWarning: ({ error }) => void errors.push(error),
  });
  trainer.hooks.add({ onAfterBackward: ({ gradients }) => void gradients.size }, {
    onError: "warn",
  });
  await trainer.train();
  assert(errors.length > 0 && `${(errors[0] as Error).cause}`.includes('reads: ["gradients"]'));
});

slow(testOnGpu)("a run that is stopped and resumed on a GPU goes on as on wasm", async () => {
  const lions = (device: "wasm" | "webgpu", steps?: number) =>
    full(device, {
      optimizers: lion({ lr: 0.001 }),
      clip: { norm: 0.1 },
      ...(steps !== undefined && { steps }),
    });
  const first = await run(lions("webgpu", 3));
  await using second = new Trainer(lions("webgpu"));
  await second.load(first.saved);
  await second.train();
  const whole = await run(lions("webgpu"));
  assertEquals((await second.save()).arrays, whole.saved.arrays);
});

fast(testOnGpu)("a batch that fails leaves a trainer that goes on", async () => {
  let isBad = true;
  await using trainer = new Trainer(full("webgpu"));
  trainer.addHook({
    onAfterLoss: ({ stepCount }) => {
      if (stepCount === 2 && isBad) throw new Error("on purpose");
    },
  }, { name: "fails", onError: "throw" });
  await assertRejects(() => trainer.train(), Error, "threw at training/AFTER_LOSS of step 2");
  isBad = false;
  assertEquals(await trainer.train(), { status: "completed" });
  assert(Object.values(await parametersOf(trainer)).flat().every(Number.isFinite));
});
