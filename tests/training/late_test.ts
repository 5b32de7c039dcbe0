/** On a GPU: observers receive their own step, in order, and the trainer does not wait for the device. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { hook } from "../../mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { WebGpuBackend } from "../../src/backend/mod.ts";
import {
  adam,
  meanSquaredError,
  tensorData,
  Trainer,
  type TrainerParts,
  TrainingStage,
} from "../../src/training/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { slow } from "../suite.ts";
import { madeNumbers } from "./made_numbers.ts";

const SAMPLES = 24;

function parts(device: "wasm" | "webgpu"): TrainerParts {
  const builder = new GraphBuilder("net");
  const x = builder.input("x", "f32", ["B", 3]);
  const w1 = builder.parameter("w1", madeNumbers(1, 12, 1), [3, 4]);
  const w2 = builder.parameter("w2", madeNumbers(2, 4, 1), [4, 1]);
  const hidden = builder.op("Tanh", [builder.op("MatMul", [x, w1], "f32")], "f32");
  builder.output("y", builder.op("MatMul", [hidden, w2], "f32"), ["B", 1]);
  return {
    device,
    model: builder.build(),
    loss: meanSquaredError(),
    optimizers: adam({ lr: 0.05 }),
    data: tensorData({
      x: { data: madeNumbers(3, 3 * SAMPLES, 1), dims: [SAMPLES, 3] },
      target: { data: madeNumbers(4, SAMPLES, 1), dims: [SAMPLES, 1] },
    }, { batchSize: 4, seed: 5 }),
    epochs: 3,
  };
}

/** Values that a hook at a stage received: step, loss, norm. */
type Row = readonly [stage: string, step: number, loss: number, norm: number];

/** A run with hooks at the stages that know of the loss. */
async function told(device: "wasm" | "webgpu"): Promise<Row[]> {
  const rows: Row[] = [];
  await using trainer = new Trainer(parts(device));
  trainer.hooks.add({
    onStepEnd: (ctx) => void rows.push(["step", ctx.stepCount, ctx.loss, ctx.gradNorm]),
  });
  trainer.hooks.add({
    frequency: 3,
    onAfterLoss: (ctx) => void rows.push(["loss", ctx.stepCount, ctx.loss, NaN]),
  });
  trainer.hooks.add(hook({
    name: "declared",
    frequency: 2,
    reads: ["loss", "gradNorm", "gradients:w2"],
    on: {
      training: {
        STEP_END: ({ stepCount, read: { loss, gradNorm, ...read } }) => {
          const norm = Math.hypot(...read["gradients:w2"].get("w2")!);
          rows.push(["read", stepCount, loss, gradNorm], ["part", stepCount, loss, norm]);
        },
      },
    },
  }));
  await trainer.train();
  return rows;
}

slow(testOnGpu)(
  "hooks on a GPU receive the same values as on wasm, in the same order",
  async () => {
    const [there, here] = [await told("webgpu"), await told("wasm")];
    assertEquals(
      there.map(([stage, step]) => `${stage} ${step}`),
      here.map(([stage, step]) => `${stage} ${step}`),
    );
    for (const [i, [, , loss, norm]] of there.entries()) {
      assertAlmostEquals(loss, here[i]![2], 1e-5);
      if (!Number.isNaN(norm)) assertAlmostEquals(norm, here[i]![3], 1e-5);
    }
  },
);

slow(testOnGpu)(
  "observers do not make the trainer wait for the device; hooks that decide do",
  async () => {
    const { viewOrRead: see } = WebGpuBackend.prototype;
    let waits = 0;
    WebGpuBackend.prototype.viewOrRead = function (buffers) {
      waits++;
      return see.call(this, buffers) as never;
    };
    const waitsWith = async (hooks: readonly object[]) => {
      await using trainer = new Trainer(parts("webgpu"));
      for (const hook of hooks) trainer.hooks.add(hook as never);
      waits = 0;
      await trainer.train();
      return waits;
    };
    const stage = TrainingStage.STEP_END;
    try {
      const none = await waitsWith([]);
      assertEquals(
        await waitsWith([{ stage, frequency: 1, reads: ["gradients"], call() {} }]),
        none,
      );
      const steps = 3 * SAMPLES / 4;
      const sync = await waitsWith([{ stage, frequency: 1, sync: true, call() {} }]);
      assertEquals(sync >= none + steps, true);
    } finally {
      WebGpuBackend.prototype.viewOrRead = see;
    }
  },
);
