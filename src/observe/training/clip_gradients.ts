import type { ClipSettings } from "../../training/context.ts";
import { complaint } from "../../base/show.ts";
import { checkNumber } from "../any/hook_options.ts";
import { checkTraining, type HookName } from "./training_options.ts";

/** Options of {@linkcode ClipGradients}. At least one of `norm` and `value` is required. */
export interface ClipGradientsOptions extends HookName, ClipSettings {}

/**
 * Clips gradients while the hook is enabled. First all gradients are scaled by the same factor so that their norm is
 * at most `norm`. Then the absolute value of each number is limited to `value`.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { ClipGradients } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1), dims: [1, 1] },
 *     wanted: { data: Float32Array.of(2), dims: [1, 1] },
 *   }, { batchSize: 1 }),
 *   optimizers: sgd({ lr: 0.5 }),
 *   hooks: [new ClipGradients({ norm: 0.5 })],
 * });
 * await trainer.train();
 * assertAlmostEquals((await trainer.parameter("w"))[0]!, 0.25, 1e-6);
 * ```
 */
export class ClipGradients {
  /** Name of the hook. */
  readonly name: string;
  /** Settings that the trainer takes from the hook. */
  readonly settings: { readonly clip: ClipSettings };

  /** Creates the hook. */
  constructor(options: ClipGradientsOptions) {
    const hook = "ClipGradients";
    checkTraining(hook, options, ["norm", "value", "name"]);
    for (const member of ["norm", "value"]) {
      checkNumber(hook, options, member, { requirement: "above 0", holds: (x) => x > 0 });
    }
    const { name = "clip_gradients", norm, value } = options;
    if (norm === undefined && value === undefined) {
      throw new TypeError(complaint(`make a ${hook}`, "norm or value is required", options));
    }
    this.name = name;
    this.settings = {
      clip: { ...(norm !== undefined && { norm }), ...(value !== undefined && { value }) },
    };
  }
}
