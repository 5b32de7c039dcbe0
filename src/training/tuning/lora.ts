/**
 * Low-rank adapters of weight matrices.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import { seedWords } from "../../batch/seed.ts";
import { decodeModel, encodeModel } from "../../onnx/codec/codec.ts";
import type { TensorProto } from "../../onnx/codec/messages.ts";
import { makeTensorProto, tensorValues } from "../../onnx/codec/tensor_proto.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import { GraphBuilder } from "../../onnx/graph/graph_builder.ts";
import { normalNumbers } from "../data/normal_numbers.ts";
import { chooseParameters, type Patterns } from "../graph/parameters.ts";

/** Options of {@linkcode withLora}. */
export interface LoraOptions {
  /**
   * Maximum rank of an adapter. The rank is smaller for a matrix with fewer rows or columns.
   *
   * @default 8
   */
  readonly rank?: number;
  /**
   * Numerator of the factor `alpha / rank` by which an adapter is multiplied.
   *
   * @default `rank`, so that the factor is 1
   */
  readonly alpha?: number;
  /**
   * Names, or patterns of names, of the matrices to which adapters are added.
   *
   * @default all weight matrices
   */
  readonly parameters?: Patterns;
  /**
   * Names, or patterns of names, of matrices that get no adapter.
   *
   * @default undefined
   */
  readonly freeze?: Patterns;
  /**
   * Seed of the initial random numbers of adapters: an integer from 0 to 2⁵³ − 1.
   *
   * @default 0
   */
  readonly seed?: number;
}

/** A model with adapters. */
export interface LoraModel {
  /** The bytes of the model with adapters. */
  readonly model: Uint8Array<ArrayBuffer>;
  /** Names of the tensors of the adapters, which are the parameters to train. */
  readonly parameters: readonly string[];
  /** Adds the trained adapters to the matrices. Returns the bytes of a model that has the original graph. */
  merge(trained: Uint8Array): Uint8Array<ArrayBuffer>;
}

/** An adapter, which replaces the matrix W by W + scale · A · B. */
interface Adapter {
  readonly matrix: string;
  readonly dims: readonly [rows: number, columns: number];
  readonly names: readonly [a: string, b: string];
  readonly rank: number;
  readonly scale: number;
}

const ACTION = "add adapters";

/**
 * Adds low-rank adapters to the weight matrices of a model. Each matrix W is replaced by W + alpha / rank · A · B (E.
 * Hu et al., arXiv:2106.09685). A, [rows, rank], and B, [rank, columns], are the parameters to train. Initially A has
 * normal random numbers of variance 1 / rows, and B is 0, so the results of the model are bitwise the same at first.
 *
 * @param bytes the model; weights from external files must be included
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if the rank, `alpha` or the seed is invalid, if a pattern matches nothing, or if a named
 * tensor is not a matrix
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanSquaredError, normalNumbers, sgd, Trainer, withLora } from "@hooke/hooke/training";
 *
 * const g = new GraphBuilder("net");
 * const w = g.parameter("w", normalNumbers(64, { seed: 1 }), [8, 8]);
 * g.output("y", g.op("MatMul", [g.input("x", "f32", ["B", 8]), w], "f32"));
 *
 * const { model, parameters, merge } = withLora(g.build(), { rank: 2 });
 * const optimizers = sgd({ lr: 0.1 });
 * await using trainer = new Trainer({ model, parameters, loss: meanSquaredError(), optimizers });
 * const x = { data: normalNumbers(8, { seed: 2 }), dims: [1, 8] };
 * await trainer.step({ x, target: x });
 * const tuned = merge(await trainer.export()); // the graph has w alone again
 * console.log(tuned.length);
 * ```
 */
export function withLora(bytes: Uint8Array, options: LoraOptions = {}): LoraModel {
  checkOptions(ACTION, options, ["rank", "alpha", "parameters", "freeze", "seed"]);
  const { rank = 8, alpha = rank, seed = 0 } = options;
  if (!Number.isSafeInteger(rank) || rank < 1) {
    throw new RangeError(complaint(ACTION, "rank must be a positive integer", rank));
  }
  if (!(alpha > 0 && alpha < Infinity)) {
    throw new RangeError(complaint(ACTION, "alpha must be above 0 and finite", alpha));
  }
  seedWords(seed, ACTION);
  const file = decodeModel(bytes);
  const graph = new Graph(file);
  const adapters = matricesOf(file, options).map((tensor, i) =>
    adapt(graph, tensor, { rank, alpha, seed: seed + i })
  );
  graph.sort();
  return {
    model: graph.encode(),
    parameters: adapters.flatMap(({ names }) => names),
    merge: (trained) => merged(bytes, trained, adapters),
  };
}

/**
 * Returns the matrices to which adapters are added. Throws a RangeError if there are no such matrices, or if a named
 * tensor is not a matrix.
 */
function matricesOf(
  file: ReturnType<typeof decodeModel>,
  { parameters, freeze }: LoraOptions,
): TensorProto[] {
  const chosen = chooseParameters(file, { parameters, freeze });
  const matrices = chosen.filter(({ dims }) => dims.length === 2 && dims.every((n) => n > 0));
  const others = chosen.filter((tensor) => !matrices.includes(tensor)).map(({ name }) => name);
  if (
    matrices.length === 0 || parameters !== undefined && parameters !== "*" && others.length > 0
  ) {
    throw new RangeError(
      `Cannot ${ACTION}: parameters must name matrices, tensors with two axes; got ${
        others.join(", ")
      }`,
    );
  }
  return matrices;
}

/**
 * Adds an adapter to a graph. All uses of the matrix W are replaced by the sum W + scale · A · B, where A and B are
 * new parameters.
 */
function adapt(
  graph: Graph,
  { name, dims }: TensorProto,
  { rank: most, alpha, seed }: {
    readonly rank: number;
    readonly alpha: number;
    readonly seed: number;
  },
): Adapter {
  const builder = new GraphBuilder(graph);
  const [rows, columns] = dims.map(Number) as [number, number];
  const rank = Math.min(most, rows, columns), scale = alpha / most;
  const sum = graph.freshName(`${name}.adapted`);
  graph.replaceUses(name, sum);
  const numbers = normalNumbers(rows * rank, { seed, stdev: 1 / Math.sqrt(rows) });
  const a = builder.parameter(graph.freshName(`${name}.lora_A`), numbers, [rows, rank]);
  const b = builder.parameter(
    graph.freshName(`${name}.lora_B`),
    new Float32Array(rank * columns),
    [rank, columns],
  );
  const product = builder.mul(builder.op("MatMul", [a, b], "f32"), scale);
  graph.make("Add", [name, product.name], {}, sum);
  return { matrix: name, dims: [rows, columns], names: [a.name, b.name], rank, scale };
}

/**
 * Returns the bytes of the original model with the other tensors of the trained one. The adapters are added to their
 * matrices.
 */
function merged(
  original: Uint8Array,
  trained: Uint8Array,
  adapters: readonly Adapter[],
): Uint8Array<ArrayBuffer> {
  const file = decodeModel(original);
  const tensors = new Map(
    decodeModel(trained).graph!.initializer.map((tensor) => [tensor.name, tensor]),
  );
  const get = (name: string) => {
    const tensor = tensors.get(name);
    if (tensor !== undefined) return tensor;
    throw new RangeError(
      `Cannot merge adapters: the trained model lacks ${JSON.stringify(name)}`,
    );
  };
  const adapted = new Map(adapters.map((adapter) => [adapter.matrix, adapter]));
  const { initializer } = file.graph!;
  for (const [i, { name }] of initializer.entries()) {
    const adapter = adapted.get(name);
    initializer[i] = adapter === undefined ? get(name) : sumOf(adapter, get);
  }
  return encodeModel(file);
}

/** Returns W + scale · A · B, summed in double precision. */
function sumOf(
  { matrix, dims: [rows, columns], names: [nameOfA, nameOfB], rank, scale }: Adapter,
  get: (name: string) => TensorProto,
): TensorProto {
  const [w, a, b] = [matrix, nameOfA, nameOfB].map((name) =>
    tensorValues(get(name)) as Float32Array
  );
  const sum = Float32Array.from(w!, (value, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    let product = 0;
    for (let k = 0; k < rank; k++) product += a![row * rank + k]! * b![k * columns + column]!;
    return value + scale * product;
  });
  return makeTensorProto("f32", [rows, columns], sum, matrix);
}
