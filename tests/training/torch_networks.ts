/**
 * The networks and data of tests/data/training_torch.jsonl, as training_torch.py describes them.
 *
 * @module
 */

import { GraphBuilder, type Value } from "../../src/onnx/graph/graph_builder.ts";
import type { TrainingBatch } from "../../src/training/mod.ts";
import { madeNumbers } from "./made_numbers.ts";

/**
 * Numbers of a tensor at the end: some at a regular interval, and the sum of the squares of all.
 */
export interface Kept {
  readonly values: string | 0;
  readonly squares: number;
}

/** Results of a run of PyTorch. */
export interface TorchRun {
  readonly losses: string;
  readonly norms?: string;
  readonly rates?: string;
  readonly final: Readonly<Record<string, Kept>>;
  readonly ema?: Readonly<Record<string, Kept>>;
}

/** Recipe of a parameter. */
export interface Recipe {
  readonly name: string;
  readonly dims: readonly number[];
  readonly seed: number;
  readonly scale: number;
}

/** A line of the file. */
export interface TorchLine {
  readonly case: string;
  readonly name?: string;
  readonly parameters: readonly Recipe[];
  readonly every: number;
  readonly options: Readonly<Record<string, never>>;
  readonly float32: TorchRun;
  readonly float64: TorchRun;
}

const FILE = new URL("../data/training_torch.jsonl", import.meta.url);

/** All lines of the file. */
export const lines: readonly TorchLine[] = Deno.readTextFileSync(FILE).trimEnd().split("\n")
  .map((line) => JSON.parse(line));

/** The line of a case. */
export function lineOf(name: string): TorchLine {
  return lines.find((line) => line.case === name)!;
}

/** Doubles in base64; a number stands for that many zeros. */
export function decoded(base64: string | 0, count: number = 0): Float64Array {
  return base64 === 0
    ? new Float64Array(count)
    : new Float64Array(Uint8Array.fromBase64(base64).buffer);
}

/** 12 → 16, tanh → 16, ReLU → 5 classes. */
export function mlp(recipes: readonly Recipe[]): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("mlp"), p = parametersOf(builder, recipes);
  const x = builder.input("x", "f32", ["B", 12]);
  const first = builder.op("Tanh", [layer(builder, x, p.w1!, p.b1!)], "f32");
  const second = builder.op("Relu", [layer(builder, first, p.w2!, p.b2!)], "f32");
  builder.output("scores", layer(builder, second, p.w3!, p.b3!), ["B", 5]);
  return builder.build();
}

/** Two convolutions, the first one padded by 1 and pooled, a mean over the image, 3 classes. */
export function cnn(recipes: readonly Recipe[]): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("cnn"), p = parametersOf(builder, recipes);
  const x = builder.input("x", "f32", ["B", 1, 8, 8]);
  const padded = builder.op("Conv", [x, p.w1!, p.b1!], "f32", { pads: [1, 1, 1, 1] });
  const pooled = builder.op("MaxPool", [builder.op("Relu", [padded], "f32")], "f32", {
    kernel_shape: [2, 2],
    strides: [2, 2],
  });
  const second = builder.op("Relu", [builder.op("Conv", [pooled, p.w2!, p.b2!], "f32")], "f32");
  const axes = builder.constant("i64", [2, 3]);
  const mean = builder.op("ReduceMean", [second, axes], "f32", { keepdims: 0 });
  builder.output("scores", layer(builder, mean, p.w3!, p.b3!), ["B", 3]);
  return builder.build();
}

/** The batch of a step of the mlp, or its parts. */
export function mlpBatches(step: number, parts: number = 1): TrainingBatch[] {
  const x = madeNumbers(1000 + step, 32 * 12, 1), size = 32 / parts;
  const labels = BigInt64Array.from(
    { length: 32 },
    (_, row) => BigInt(Math.floor((x[row * 12]! + 1) * 5 / 2)),
  );
  return Array.from({ length: parts }, (_, i) => ({
    size,
    feeds: {
      x: { data: x.slice(i * size * 12, (i + 1) * size * 12), dims: [size, 12] },
      target: { data: labels.slice(i * size, (i + 1) * size), dims: [size] },
    },
  }));
}

/** The batch of a step of the cnn: images are fainter by 2 to the power of their label. */
export function cnnBatch(step: number): TrainingBatch {
  const labels = Array.from(madeNumbers(3000 + step, 16, 1), (x) => Math.floor((x + 1) * 3 / 2));
  const x = madeNumbers(2000 + step, 16 * 64, 1).map((v, i) => v * 2 ** -labels[i >> 6]!);
  return {
    size: 16,
    feeds: {
      x: { data: x, dims: [16, 1, 8, 8] },
      target: { data: BigInt64Array.from(labels, BigInt), dims: [16] },
    },
  };
}

function parametersOf(
  builder: GraphBuilder,
  recipes: readonly Recipe[],
): Readonly<Record<string, Value<"f32">>> {
  return Object.fromEntries(recipes.map(({ name, dims, seed, scale }) => {
    const count = dims.reduce((a, b) => a * b, 1);
    return [name, builder.parameter(name, madeNumbers(seed, count, scale), dims)];
  }));
}

/** y = x Wᵀ + b */
function layer(
  builder: GraphBuilder,
  x: Value<"f32">,
  w: Value<"f32">,
  b: Value<"f32">,
): Value<"f32"> {
  return builder.op("Gemm", [x, w, b], "f32", { transB: 1 });
}
