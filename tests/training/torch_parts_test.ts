/**
 * Optimizers alone, losses and metrics beside PyTorch's: tests/data/training_torch.jsonl, which training_torch.py writes
 * and explains.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { hook } from "../../src/hook.ts";
import { GraphBuilder } from "../../src/onnx/graph/graph_builder.ts";
import {
  accuracy,
  adam,
  adamW,
  crossEntropy,
  huber,
  lion,
  type Loss,
  meanAbsoluteError,
  meanSquaredError,
  type MetricsByName,
  type Optimizer,
  perplexity,
  sgd,
  Trainer,
  type TrainingBatch,
} from "../../src/training/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { assertWithin, largest } from "../onnx/assert_within.ts";
import { madeNumbers } from "./made_numbers.ts";
import { decoded, lines } from "./torch_networks.ts";

/** Options as PyTorch calls them. */
interface TorchOptions {
  readonly lr: number;
  readonly betas?: readonly [number, number];
  readonly eps?: number;
  readonly momentum?: number;
  readonly dampening?: number;
  readonly nesterov?: boolean;
  readonly weight_decay?: number;
}

/** An optimizer on its own: 20 steps of 7 numbers. */
interface Alone {
  readonly case: string;
  readonly name: string;
  readonly optimizer: "SGD" | "Adam" | "AdamW" | "Lion";
  readonly options: TorchOptions;
  readonly float32: string;
  readonly float64: string;
}

/** A loss or a metric of one batch. */
interface Judged {
  readonly case: string;
  readonly name: string;
  readonly dims: readonly number[];
  readonly prediction: string;
  readonly targetDims?: readonly number[];
  readonly target: string | readonly number[];
  readonly value: number;
  readonly gradient: string;
}

const ofCase = <T>(name: string) =>
  (lines as unknown as readonly { readonly case: string }[]).filter((line) =>
    line.case === name
  ) as unknown as T[];

function optimizerOf({ optimizer, options }: Alone): Optimizer {
  const { lr, betas: [beta1, beta2] = [0.9, 0.999], eps = 1e-8, weight_decay = 0 } = options;
  const { momentum = 0, dampening = 0, nesterov = false } = options;
  const rates = { lr, weightDecay: weight_decay };
  switch (optimizer) {
    case "SGD":
      return sgd({ ...rates, momentum, dampening, nesterov });
    case "Adam":
      return adam({ ...rates, beta1, beta2, eps });
    case "AdamW":
      return adamW({ ...rates, beta1, beta2, eps });
    case "Lion":
      return lion({ ...rates, beta1, beta2 });
  }
}

/** Σ w g, of which the gradient by w is what comes with each batch. */
function product(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("product");
  const w = builder.parameter("w", madeNumbers(21, 7, 1), [7]);
  builder.output("y", builder.mul(w, builder.input("g", "f32", [7])), [7]);
  return builder.build();
}

/** Parameters after each step of an optimizer. */
async function trajectory(
  optimizers: Optimizer,
  device: "wasm" | "reference" | "webgpu",
): Promise<number[]> {
  await using trainer = new Trainer({
    model: product(),
    optimizers,
    device,
    loss: ({ graph, output }) => graph.op("ReduceSum", [output()], "f32", { keepdims: 0 }),
    data: Array.from({ length: 20 }, (_, step) => ({
      g: { data: madeNumbers(100 + step, 7, 1), dims: [7] },
    })),
  });
  const found: number[] = [];
  trainer.addHook(hook({
    name: "parameters",
    reads: ["parameters"],
    on: { training: { STEP_END: (ctx) => void found.push(...ctx.read.parameters.get("w")!) } },
  }));
  await trainer.train();
  return found;
}

for (const line of ofCase<Alone>("optimizer")) {
  const title = `${line.optimizer}, ${line.name}`;
  Deno.test(`${title}: 20 steps are PyTorch's, in float32 and in float64`, async () => {
    const single = await trajectory(optimizerOf(line), "wasm");
    assertWithin(title, single, decoded(line.float32), 1e-6);
    const double = await trajectory(optimizerOf(line), "reference");
    assertWithin(title, double, decoded(line.float64), 1e-13);
  });

  testOnGpu(`${title}: 20 steps are PyTorch's on WebGPU`, async () => {
    const single = await trajectory(optimizerOf(line), "webgpu");
    assertWithin(title, single, decoded(line.float32), 2e-6);
  });
}

/** A prediction that is trained itself; classes along the axis of `scores` come last. */
function itself({ dims, prediction }: Judged): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("itself");
  const p = builder.parameter("p", decoded(prediction), dims);
  const perm = dims.length === 3 ? [0, 2, 1] : [0, 1];
  const shape = perm.map((axis) => dims[axis]!);
  // Something must come with each batch.
  const zero = builder.input("zero", "f32", []);
  builder.output("y", builder.op("Transpose", [builder.add(p, zero)], "f32", { perm }), shape);
  return builder.build();
}

/** The only step: its loss, metrics, and gradient by the prediction. */
async function judge(
  line: Judged,
  loss: Loss,
  metrics: MetricsByName = {},
): Promise<{ readonly gradient: number[]; readonly metrics: Readonly<Record<string, number>> }> {
  const isFloat = line.targetDims !== undefined && line.targetDims.length === line.dims.length &&
    line.dims.length === 2;
  const numbers = typeof line.target === "string" ? decoded(line.target) : line.target;
  const data = isFloat
    ? Float32Array.from(numbers)
    : BigInt64Array.from(numbers, (label) => BigInt(label));
  const batch: TrainingBatch = {
    size: numbers.length,
    feeds: {
      zero: { data: new Float32Array(1), dims: [] },
      target: { data, dims: line.targetDims ?? [numbers.length] },
    },
  };
  await using trainer = new Trainer({
    model: itself(line),
    loss,
    metrics,
    optimizers: sgd({ lr: 0 }),
  });
  let gradient: number[] = [];
  trainer.addHook({
    onAfterBackward: ({ gradients }) => void (gradient = Array.from(gradients.get("p")!)),
  });
  const { metrics: measured } = await trainer.step(batch);
  return { gradient, metrics: measured };
}

const LOSSES: Readonly<Record<string, Loss>> = {
  "mean square": meanSquaredError(),
  "mean absolute": meanAbsoluteError(),
  "huber": huber({ delta: 0.7 }),
  "cross entropy": crossEntropy(),
  "cross entropy, far apart": crossEntropy(),
  "cross entropy, some ignored": crossEntropy(),
  "cross entropy, smoothed": crossEntropy({ smoothing: 0.1 }),
  "cross entropy, smoothed, some ignored": crossEntropy({ smoothing: 0.1 }),
  "cross entropy, along an axis": crossEntropy(),
};

Deno.test("every loss that PyTorch has numbers of is compared", () => {
  assertEquals(ofCase<Judged>("loss").map(({ name }) => name), Object.keys(LOSSES));
});

for (const line of ofCase<Judged>("loss")) {
  Deno.test(`${line.name}: value and gradient are PyTorch's`, async () => {
    const { metrics, gradient } = await judge(line, LOSSES[line.name]!);
    assertWithin("value", [metrics.loss!], [line.value], 1e-6 * Math.abs(line.value));
    const theirs = decoded(line.gradient);
    assertWithin("gradient", gradient, theirs, 1e-6 * largest(theirs));
  });
}

for (const line of ofCase<Judged>("metric")) {
  Deno.test(`${line.name} is PyTorch's`, async () => {
    const { metrics } = await judge(line, crossEntropy(), { accuracy: accuracy() });
    assertWithin("accuracy", [metrics.accuracy!], [line.value], 1e-7);
  });
}

Deno.test("perplexity is e to the cross entropy, over the labels that count", async () => {
  for (const name of ["cross entropy", "cross entropy, some ignored"]) {
    const line = ofCase<Judged>("loss").find((line) => line.name === name)!;
    const { metrics } = await judge(line, meanSquares(), { perplexity: perplexity() });
    assertWithin(name, [metrics.perplexity!], [Math.exp(line.value)], 1e-5);
  }
});

/** A loss that has nothing to do with labels. */
function meanSquares(): Loss {
  return {
    name: "squares",
    terms: ({ graph, output }) => [{
      mean: graph.op("ReduceMean", [graph.mul(output(), output())], "f32", { keepdims: 0 }),
    }],
  };
}
