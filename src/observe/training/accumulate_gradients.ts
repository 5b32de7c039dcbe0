import { wholeFrom } from "../../base/check_number.ts";
import { checkNumber, checkRequired } from "../any/hook_options.ts";
import { checkTraining, type HookName } from "./training_options.ts";

/** Options of {@linkcode AccumulateGradients}. */
export interface AccumulateGradientsOptions extends HookName {
  /** Number of batches per step. */
  readonly steps: number;
}

/**
 * Accumulates the gradients of several batches into one step while the hook is enabled. The gradients are the same as
 * for one batch with all of their samples.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { AccumulateGradients } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
 *     wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
 *   }, { batchSize: 1 }),
 *   optimizers: sgd({ lr: 0.01 }),
 *   hooks: [new AccumulateGradients({ steps: 2 })],
 * });
 * await trainer.train();
 * assertEquals(trainer.stepCount, 2);
 * ```
 */
export class AccumulateGradients {
  /** Name of the hook. */
  readonly name: string;
  /** Settings that the trainer takes from the hook. */
  readonly settings: { readonly accumulate: number };

  /** Creates the hook. */
  constructor(options: AccumulateGradientsOptions) {
    const hook = "AccumulateGradients";
    checkTraining(hook, options, ["steps", "name"]);
    checkRequired(hook, options, "steps", "the number of batches per step");
    checkNumber(hook, options, "steps", wholeFrom(1));
    this.name = options.name ?? "accumulate_gradients";
    this.settings = { accumulate: options.steps };
  }
}
