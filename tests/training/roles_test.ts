/** Observers do not change results of training. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hook } from "../../src/hook.ts";
import type { HookWarning } from "../../src/hooks/protocol/outcome.ts";
import {
  adamW,
  cosine,
  type SavedTrainer,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainingHooks,
  TrainingStage,
} from "../../src/training/mod.ts";
import { parts, samples } from "./networks.ts";

/** A run with everything that there is in it. */
function full(more: Partial<TrainerParts> = {}): TrainerParts {
  return parts({
    optimizers: [
      adamW({ lr: 0.01, parameters: "w*", schedule: cosine({ steps: 6 }) }),
      sgd({ lr: 0.1, momentum: 0.9 }),
    ],
    accumulate: 2,
    clip: { norm: 0.3 },
    ema: { decay: 0.9, validate: true },
    epochs: 3,
    validation: samples(8, { batchSize: 4 }, 20),
    ...more,
  });
}

/** Results of a run: its state, and the loss of every batch. */
interface Outcome {
  readonly state: Omit<SavedTrainer, "loop">;
  readonly losses: readonly number[];
}

async function outcomeOf(
  hooks: TrainingHooks,
  more: Partial<TrainerParts> = {},
  prepare: (trainer: Trainer) => void = () => {},
): Promise<Outcome> {
  const losses: number[] = [];
  const trainer = new Trainer({ ...full(more), hooks: hooks as never });
  // The loss as the last to be called finds it.
  trainer.addHook({ onBatchEnd: ({ loss }) => void losses.push(loss) }, { order: "last" });
  prepare(trainer);
  await trainer.train();
  const { loop: _, ...state } = await trainer.save();
  await trainer.close();
  return { state, losses };
}

const alone = await outcomeOf([]);

const OBSERVED = Object.values(TrainingStage).filter((stage): stage is TrainingStage =>
  typeof stage === "string" && stage.startsWith("training/")
);

/** Reads all fields at all stages, and goes over every number of them. */
function readsAll(seen: Map<string, number>): TrainingHooks[number] {
  return hook({
    name: "reads all",
    reads: [
      "loss",
      "gradNorm",
      "lr",
      "optimizers",
      "parameters",
      "gradients",
      "optimizerState",
      "parameters:w*",
      "gradients:b?",
      "optimizerState:*/first",
    ],
    on: {
      training: {
        "*": (ctx, stage) => {
          const { read } = ctx;
          const found = [read.loss, read.gradNorm, read.lr, read.optimizers[1]!.groups[0]!.lr];
          for (
            const numbers of [
              read.parameters,
              read.gradients,
              read.optimizerState,
              read["parameters:w*"],
              read["gradients:b?"],
              read["optimizerState:*/first"],
            ]
          ) {
            assert(numbers.size > 0);
            for (const one of numbers.values()) found.push(sumOf(one));
          }
          assert(ctx.optimizers.length === 2 && ctx.state.modelParams === 26);
          assert(ctx.lrSchedulers[0]!.factor(0) === 1);
          seen.set(stage, (seen.get(stage) ?? 0) + found.length);
        },
      },
    },
  });
}

/** Looks at all tensors of the model wherever there are some. */
function looksInside(seen: Map<string, number>): TrainingHooks[number] {
  const look = (
    ctx: {
      readonly read: {
        readonly "activations:*": ReadonlyMap<string, { readonly dims: readonly number[] }>;
        readonly "statistics:*": ReadonlyMap<string, { readonly max: number }>;
      };
    },
    stage: string,
  ) => {
    assertEquals(ctx.read["activations:*"].get("tanh")!.dims, [4, 4]);
    assert(ctx.read["statistics:*"].get("tanh")!.max <= 1);
    seen.set(stage, (seen.get(stage) ?? 0) + ctx.read["activations:*"].size);
  };
  return hook({
    name: "looks inside",
    reads: ["activations:*", "statistics:*"],
    on: {
      training: {
        AFTER_FORWARD: look,
        AFTER_LOSS: look,
        BEFORE_BACKWARD: look,
        AFTER_BACKWARD: look,
        GRADIENT_CLIP: look,
        BEFORE_OPTIMIZER_STEP: look,
        AFTER_OPTIMIZER_STEP: look,
        STEP_END: look,
        BATCH_END: look,
        VALIDATION_BATCH_END: look,
      },
    },
  });
}

Deno.test("hooks that are off change no bit", async () => {
  const seen = new Map<string, number>();
  const off = (trainer: Trainer) =>
    trainer.hooks.list().forEach(({ name }) => {
      if (name === "reads all" || name === "looks inside") trainer.disableHook(name);
    });
  assertEquals(await outcomeOf([readsAll(seen), looksInside(seen)], {}, off), alone);
  assertEquals(seen.size, 0);
});

Deno.test("hooks that read everything at every stage change no bit of any parameter, and no loss", async () => {
  const warnings: HookWarning[] = [], seen = new Map<string, number>();
  const told = { onWarning: (warning: HookWarning) => void warnings.push(warning) };
  assertEquals(await outcomeOf([readsAll(seen), looksInside(seen)], told), alone);
  assertEquals(warnings, []);
  const reached = OBSERVED.filter((stage) => seen.has(stage));
  assertEquals(
    reached.length,
    OBSERVED.length - 6 - 3,
    "but for what decides, checkpoints, errors",
  );
});

for (const onError of ["warn", "disable"] as const) {
  Deno.test(`observers that throw at every stage (${onError}) change no bit`, async () => {
    const warnings: HookWarning[] = [];
    const throws = hook({
      name: "throws",
      onError,
      on: { training: { "*": () => fail() } },
    });
    const told = { onWarning: (warning: HookWarning) => void warnings.push(warning) };
    assertEquals(await outcomeOf([throws], told), alone);
    assertEquals(warnings.length > 100, onError === "warn");
    assertEquals(warnings.length === 1, onError === "disable");
  });

  Deno.test(`asynchronous observers that reject (${onError}) change no bit`, async () => {
    const rejects = hook({
      name: "rejects",
      onError,
      on: { training: { "*": () => Promise.reject(new Error("later")) } },
    });
    assertEquals(await outcomeOf([rejects], { onWarning: () => {} }), alone);
  });
}

Deno.test("verify changes no result, and reports nothing if no observer writes", async () => {
  const warnings: HookWarning[] = [];
  const told = {
    verify: true,
    epochs: 1,
    onWarning: (warning: HookWarning) => void warnings.push(warning),
  };
  assertEquals(
    await outcomeOf([readsAll(new Map())], told),
    await outcomeOf([], { epochs: 1 }),
  );
  assertEquals(warnings, []);
});

/** Hooks that write what they are only to look at, past the compiler, and what they change. */
const WRITERS: Readonly<Record<string, TrainingHooks[number]>> = {
  parameters: hook({
    name: "writes",
    reads: ["parameters"],
    on: { training: { AFTER_LOSS: (ctx) => void (open(ctx.read.parameters, "w1")[0]! += 1) } },
  }),
  gradients: hook({
    name: "writes",
    reads: ["gradients"],
    on: { training: { AFTER_BACKWARD: (ctx) => void open(ctx.read.gradients, "w1").fill(0) } },
  }),
  optimizerState: hook({
    name: "writes",
    reads: ["optimizerState"],
    on: {
      training: {
        BATCH_END: (ctx) => void (open(ctx.read.optimizerState, "w1/first")[2]! += 1),
      },
    },
  }),
  "ctx.loss": hook({
    name: "writes",
    on: { training: { AFTER_LOSS: (ctx) => void ((ctx as { loss: number }).loss = 0) } },
  }),
  "ctx.optimizers": hook({
    name: "writes",
    on: {
      training: {
        STEP_END: (ctx) =>
          void ((ctx.optimizers[0]!.groups[0] as { weightDecay: number })
            .weightDecay = 0.5),
      },
    },
  }),
};

for (const [what, writes] of Object.entries(WRITERS)) {
  Deno.test(`verify says that a hook which only looks on has written ${what}`, async () => {
    const warnings: HookWarning[] = [];
    const told = {
      verify: true,
      epochs: 1,
      onWarning: (warning: HookWarning) => void warnings.push(warning),
    };
    await outcomeOf([writes], told);
    assert(warnings.length > 0, "no warning was given");
    assertEquals(warnings[0]!.hook, "writes");
    const { name, changed } = warnings[0]!.error as Error & { changed: readonly string[] };
    assertEquals(name, "ObserverMutationError");
    assertStringIncludes(changed.join(), what);
  });
}

/** Numbers that the compiler does not let hooks write. */
function open(numbers: ReadonlyMap<string, unknown>, name: string): Float32Array {
  return numbers.get(name) as Float32Array;
}

function sumOf(numbers: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i]!;
  return sum;
}

function fail(): never {
  throw new Error("on purpose");
}
