import { wholeFrom } from "../../base/check_number.ts";
import { checkGiven, checkNumber } from "../any/hook_options.ts";
import { checkTraining, type HookName } from "./training_options.ts";

/** What an {@linkcode AccumulateGradients} is told. */
export interface AccumulateGradientsOptions extends HookName {
  /** How many batches are one step. */
  readonly steps: number;
}

/**
 * Makes one step of several batches while it is on: their gradients are those of one batch of all their samples.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
  /** What it is called. */
  readonly name: string;
  /** What it asks of its trainer. */
  readonly settings: { readonly accumulate: number };

  /** Asks for nothing yet. */
  constructor(options: AccumulateGradientsOptions) {
    const hook = "AccumulateGradients";
    checkTraining(hook, options, ["steps", "name"]);
    checkGiven(hook, options, "steps", "how many batches are one step");
    checkNumber(hook, options, "steps", wholeFrom(1));
    this.name = options.name ?? "accumulate_gradients";
    this.settings = { accumulate: options.steps };
  }
}
