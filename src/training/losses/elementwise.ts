import type { GraphBuilder, Value } from "../../onnx/graph/graph_builder.ts";
import { checkKeys } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import { type Loss, type LossBuilder, meanOf, numbersOf } from "./loss.ts";

/** Names of the tensors that a loss compares. */
export interface LossOptions {
  /**
   * Name of an output of the model.
   *
   * @default the only float32 output of the model
   */
  readonly output?: string;
  /**
   * Name of the tensor in a batch with which the output is compared. It has the shape of the output.
   *
   * @default "target"
   */
  readonly target?: string;
}

/** Options of {@linkcode huber}. */
export interface HuberOptions extends LossOptions {
  /**
   * Difference at which the loss becomes linear, in the unit of the output.
   *
   * @default 1
   */
  readonly delta?: number;
}

/**
 * Returns the mean squared error over all numbers of the output.
 *
 * @throws {TypeError} if an option is unknown
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const line = new GraphBuilder("line"); // y = w x
 * const x = line.input("x", "f32", ["B", 1]), w = line.parameter("w", [0], [1, 1]);
 * line.output("y", line.op("MatMul", [x, w], "f32"), ["B", 1]);
 * await using trainer = new Trainer({
 *   model: line.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
 *     wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
 *   }, { batchSize: 2, seed: 1 }),
 *   optimizers: sgd({ lr: 0.05 }),
 *   epochs: 20,
 * });
 * await trainer.train();
 * assertAlmostEquals((await trainer.parameter("w"))[0]!, 2, 1e-4);
 * ```
 */
export function meanSquaredError(options: LossOptions = {}): Loss {
  return elementwise(
    "meanSquaredError",
    options,
    (graph, difference) => graph.mul(difference, difference),
  );
}

/**
 * Returns the mean absolute error over all numbers of the output.
 *
 * @throws {TypeError} if an option is unknown
 *
 * @example The loss of a single number
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanAbsoluteError, sgd, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("line"); // y = x · w
 * const w = g.parameter("w", [1], [1, 1]);
 * g.output("y", g.op("MatMul", [g.input("x", "f32", ["B", 1]), w], "f32"), ["B", 1]);
 * const one = (x: number) => ({ data: Float32Array.of(x), dims: [1, 1] });
 *
 * const loss = meanAbsoluteError();
 * await using trainer = new Trainer({ model: g.build(), loss, optimizers: sgd({ lr: 0.1 }) });
 * const step = await trainer.step({ x: one(3), target: one(1) });
 * assertEquals(step.loss, 2); // |3 − 1|
 * ```
 */
export function meanAbsoluteError(options: LossOptions = {}): Loss {
  return elementwise(
    "meanAbsoluteError",
    options,
    (graph, difference) => graph.op("Abs", [difference], "f32"),
  );
}

/**
 * Returns the Huber loss, which for a difference d is ½ d² if |d| is at most `delta`, and `delta` (|d| − ½ `delta`)
 * otherwise. It is the mean over all numbers of the output, like PyTorch's `huber_loss`.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if `delta` is not above 0
 *
 * @example Linear for differences above 0.5
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { huber, sgd, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("line"); // y = x · w
 * const w = g.parameter("w", [1], [1, 1]);
 * g.output("y", g.op("MatMul", [g.input("x", "f32", ["B", 1]), w], "f32"), ["B", 1]);
 * const one = (x: number) => ({ data: Float32Array.of(x), dims: [1, 1] });
 *
 * const loss = huber({ delta: 0.5 });
 * await using trainer = new Trainer({ model: g.build(), loss, optimizers: sgd({ lr: 0.1 }) });
 * const step = await trainer.step({ x: one(3), target: one(1) });
 * assertEquals(step.loss, 0.875); // 0.5 · (2 − 0.25)
 * ```
 */
export function huber({ delta = 1, ...options }: HuberOptions = {}): Loss {
  if (!(delta > 0 && delta < Infinity)) {
    throw new RangeError(complaint("make a huber loss", "delta must be above 0 and finite", delta));
  }
  return elementwise("huber", options, (graph, difference) => {
    const size = graph.op("Abs", [difference], "f32");
    const line = graph.sub(graph.mul(size, delta), delta * delta / 2);
    const parabola = graph.mul(graph.mul(difference, difference), 0.5);
    return graph.where(graph.less(size, delta), parabola, line);
  });
}

/** Returns a loss: the mean over all elements of `of(output − target)`. */
function elementwise(
  name: string,
  options: LossOptions,
  of: (graph: GraphBuilder, difference: Value<"f32">) => Value<"f32">,
): Loss {
  const { output, target = "target" } = options;
  checkKeys(`make a ${name} loss`, "its options", options, ["output", "target"]);
  const mean = ({ graph, ...builder }: LossBuilder) => {
    const given = builder.output(output);
    const wanted = builder.target(target, "f32", given);
    return meanOf(graph, of(graph, graph.sub(given, wanted)));
  };
  return { name, terms: (builder) => [{ mean: mean(builder), count: numbersOf(target) }] };
}
