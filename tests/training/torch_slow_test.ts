/**
 * Training beside PyTorch's: tests/data/training_torch.jsonl, which training_torch.py writes and explains.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { DeviceName } from "../../src/backend/devices.ts";
import {
  adam,
  adamW,
  crossEntropy,
  energyForces,
  oneCycle,
  type OptimizerOptions,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainingBatch,
} from "../../src/training/mod.ts";
import { lacksGpu, testOnGpu } from "../backend/gpu.ts";
import { largest } from "../onnx/assert_within.ts";
import { decode } from "../onnx/reference_feeds.ts";
import { readModel, readReference } from "../onnx/shared_models.ts";
import {
  cnn,
  cnnBatch,
  decoded,
  type Kept,
  lineOf,
  lines,
  mlp,
  mlpBatches,
  type TorchRun,
} from "./torch_networks.ts";
import { lacks } from "../machine.ts";

const STEPS = 50;

/** Tolerances against PyTorch, relative to the loss, and to the largest number of a parameter. */
interface Within {
  readonly losses: number;
  readonly parameters: number;
}

const SINGLE: Within = { losses: 1e-4, parameters: 1e-3 };
/** Tolerances if both compute in float64; parameters are compared in float32. */
const DOUBLE: Within = { losses: 1e-12, parameters: 2 ** -24 };

/** Tolerances after 50 steps. */
interface Run {
  readonly trainer: Trainer;
  readonly losses: number[];
  readonly norms: number[];
  readonly rates: number[];
}

async function run(
  parts: Omit<TrainerParts, "data" | "epochs">,
  batches: (step: number) => readonly TrainingBatch[],
): Promise<Run> {
  const losses: number[] = [], norms: number[] = [], rates: number[] = [];
  const data = Array.from({ length: STEPS }, (_, step) => batches(step)).flat();
  const trainer = new Trainer({ ...parts, data });
  const accumulate = parts.accumulate ?? 1;
  trainer.addHook({
    onAfterLoss: ({ stepCount, loss }) =>
      void (losses[stepCount] = (losses[stepCount] ?? 0) + loss / accumulate),
    onGradientClip: ({ gradNorm }) => void norms.push(gradNorm),
    onStepEnd: ({ lr }) => void rates.push(lr),
  });
  await trainer.train();
  assertEquals(trainer.stepCount, STEPS);
  return { trainer, losses, norms, rates };
}

/** Throws unless losses and parameters are PyTorch's. */
async function assertTorch(
  { trainer, losses }: Run,
  torch: TorchRun,
  { within, every }: { readonly within: Within; readonly every: number },
): Promise<void> {
  assertRelative("loss", losses, decoded(torch.losses), within.losses);
  await assertKept(trainer, torch.final, { within: within.parameters, every });
}

async function assertKept(
  trainer: Trainer,
  kept: Readonly<Record<string, Kept>>,
  { within, every, of = "parameters" }: {
    readonly within: number;
    readonly every: number;
    readonly of?: "parameters" | "ema";
  },
): Promise<void> {
  assertEquals(trainer.parameters.map(({ name }) => name).sort(), Object.keys(kept).sort());
  for (const [name, { values, squares }] of Object.entries(kept)) {
    const ours = await trainer.parameter(name, of);
    const some = Array.from(ours).filter((_, i) => i % every === 0);
    const theirs = decoded(values, some.length), size = largest(ours);
    assertEquals(some.length, theirs.length, name);
    const off = Math.max(...theirs.map((x, i) => Math.abs(some[i]! - x))) / size;
    assert(off <= within, `${of} ${name} is ${off} of ${size} away, at most ${within}`);
    const sum = ours.reduce((sum, x) => sum + x * x, 0);
    assertRelative(`squares of ${name}`, [sum], [squares], 2 * within + 1e-6);
  }
}

function assertRelative(
  what: string,
  ours: ArrayLike<number>,
  theirs: ArrayLike<number>,
  within: number,
): void {
  assertEquals(ours.length, theirs.length, what);
  for (let i = 0; i < ours.length; i++) {
    const off = Math.abs(ours[i]! / theirs[i]! - 1);
    assert(
      off <= within,
      `${what} ${i} is ${ours[i]}, not ${theirs[i]}: ${off}, at most ${within}`,
    );
  }
}

/** The runs of the mlp. */
const MLP: Readonly<Record<string, Partial<TrainerParts> & Pick<TrainerParts, "optimizers">>> = {
  "mlp adam": { optimizers: adam({ lr: 1e-2 }) },
  "mlp sgd": {
    optimizers: sgd({ lr: 0.1, momentum: 0.9, nesterov: true, weightDecay: 1e-3 }),
  },
  "mlp adam accumulated": { optimizers: adam({ lr: 1e-2 }), accumulate: 2 },
  "mlp adamw": {
    optimizers: adamW({ lr: 1e-2, weightDecay: 0.05 }),
    clip: { norm: 0.5 },
    ema: { decay: 0.95 },
    schedule: oneCycle({ steps: STEPS }),
  },
};

async function runMlp(name: string, device: DeviceName): Promise<Run> {
  const parts = MLP[name]!, { accumulate = 1 } = parts;
  return await run({
    model: mlp(lineOf(name).parameters),
    loss: crossEntropy(),
    device,
    ...parts,
  }, (step) => mlpBatches(step, accumulate));
}

Deno.test("every run of the mlp that PyTorch has is run", () => {
  const theirs = lines.map((line) => line.case).filter((name) => name.startsWith("mlp"));
  assertEquals(Object.keys(MLP), theirs);
});

for (const name of Object.keys(MLP)) {
  const line = lineOf(name);
  Deno.test(`${name}: losses and parameters of 50 steps are PyTorch's, on wasm`, async () => {
    await withRun(await runMlp(name, "wasm"), async (ours) => {
      await assertTorch(ours, line.float32, { within: SINGLE, every: line.every });
      await assertMore(ours, line.float32, SINGLE);
    });
  });

  Deno.test(`${name}: on the reference, in float64, they are PyTorch's in float64`, async () => {
    await withRun(await runMlp(name, "reference"), async (ours) => {
      await assertTorch(ours, line.float64, { within: DOUBLE, every: line.every });
      await assertMore(ours, line.float64, DOUBLE);
    });
  });

  testOnGpu(`${name}: on WebGPU they are PyTorch's, and those of wasm`, async () => {
    const wasm = await runMlp(name, "wasm");
    await withRun(await runMlp(name, "webgpu"), async (ours) => {
      await assertTorch(ours, line.float32, { within: SINGLE, every: line.every });
      await assertMore(ours, line.float32, SINGLE);
      assertRelative("loss", ours.losses, wasm.losses, SINGLE.losses);
    });
    await wasm.trainer.close();
  });
}

/** The first samples of a step of the mlp, cut at some places. */
function cut(step: number, bounds: readonly number[]): TrainingBatch[] {
  const [{ feeds: { x, target } }] = mlpBatches(step) as [TrainingBatch];
  return bounds.map((to, i) => {
    const from = bounds[i - 1] ?? 0, size = to - from;
    return {
      size,
      feeds: {
        x: { data: (x!.data as Float32Array).slice(from * 12, to * 12), dims: [size, 12] },
        target: { data: (target!.data as BigInt64Array).slice(from, to), dims: [size] },
      },
    };
  });
}

Deno.test("batches of different sizes that are one step are one batch, in float64 to its digits", async () => {
  const parametersOf = async (bounds: readonly number[]) => {
    const data = Array.from({ length: 10 }, (_, step) => cut(step, bounds)).flat();
    await using trainer = new Trainer({
      model: mlp(lineOf("mlp sgd").parameters),
      loss: crossEntropy(),
      device: "reference",
      optimizers: sgd({ lr: 0.1 }),
      data,
      accumulate: bounds.length,
    });
    await trainer.train();
    return (await trainer.save()).arrays.parameters!;
  };
  const whole = await parametersOf([31]), parts = await parametersOf([5, 16, 31]);
  const off = largest(parts.map((x, i) => x - whole[i]!));
  assert(off < 1e-14, `${off}`);
});

/** Uses a run, and closes its trainer. */
async function withRun(run: Run, use: (run: Run) => Promise<void>): Promise<void> {
  try {
    await use(run);
  } finally {
    await run.trainer.close();
  }
}

/** Norms, rates and averages, where PyTorch has them. */
async function assertMore(
  { trainer, norms, rates }: Run,
  torch: TorchRun,
  { losses, parameters }: Within,
): Promise<void> {
  if (torch.norms !== undefined) assertRelative("norm", norms, decoded(torch.norms), 10 * losses);
  if (torch.rates !== undefined) assertRelative("rate", rates, decoded(torch.rates), 1e-12);
  if (torch.ema === undefined) return;
  await assertKept(trainer, torch.ema, { within: parameters, every: 1, of: "ema" });
}

/** The cnn on a device beside PyTorch's. */
async function assertCnn(device: DeviceName): Promise<void> {
  const line = lineOf("cnn adamw");
  const ours = await run({
    model: cnn(line.parameters),
    loss: crossEntropy(),
    device,
    optimizers: adamW({ lr: 1e-2, weightDecay: 0.05 }),
  }, (step) => [cnnBatch(step)]);
  await withRun(
    ours,
    (ours) => assertTorch(ours, line.float32, { within: SINGLE, every: line.every }),
  );
}

Deno.test("cnn adamw: losses and parameters of 50 steps are PyTorch's", () => assertCnn("wasm"));

testOnGpu("cnn adamw: on WebGPU they are PyTorch's", () => assertCnn("webgpu"));

/** Values in the line of the potential. */
interface PotentialLine {
  readonly parameters: readonly string[];
  readonly every: number;
  readonly ofForces: number;
  readonly options: OptimizerOptions;
  readonly targets: { readonly energy: string; readonly forces: string };
  readonly float32: TorchRun;
}

/** The potential on a device beside PyTorch's. */
async function assertPotential(device: DeviceName): Promise<void> {
  const line = lineOf("schnet adam") as unknown as PotentialLine;
  const inputs = Object.entries(readReference("schnet").inputs);
  const { energy, forces } = line.targets;
  const batch: TrainingBatch = {
    size: 5,
    feeds: {
      ...Object.fromEntries(
        inputs.map(([name, tensor]) => [name, { data: decode(tensor), dims: tensor.dims }]),
      ),
      energy_target: { data: Float32Array.from(decoded(energy)), dims: [5] },
      forces_target: { data: Float32Array.from(decoded(forces)), dims: [40, 3] },
    },
  };
  const ours = await run({
    model: readModel("schnet_e.onnx"),
    optimizers: adam(line.options),
    device,
    loss: energyForces({ energy: 1, forces: line.ofForces }),
    parameters: line.parameters,
  }, () => [batch]);
  await withRun(
    ours,
    (ours) => assertTorch(ours, line.float32, { within: SINGLE, every: line.every }),
  );
}

Deno.test({
  name:
    "schnet adam: a potential trained on energies and forces has PyTorch's losses and parameters",
  ignore: lacks("models"),
  fn: () => assertPotential("wasm"),
});

Deno.test({
  name: "schnet adam: on WebGPU it has them, too",
  ignore: lacks("models") || lacksGpu(),
  fn: () => assertPotential("webgpu"),
});
