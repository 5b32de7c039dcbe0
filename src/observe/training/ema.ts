import type { EmaSettings } from "../../training/context.ts";
import { checkNumber, checkType, isFlag } from "../any/hook_options.ts";
import { checkTraining, type HookName } from "./training_options.ts";

/** Options of {@linkcode Ema}. */
export interface EmaOptions extends HookName {
  /**
   * Weight of the old averages in each update, from 0 to 1.
   *
   * @default 0.999
   */
  readonly decay?: number;
  /**
   * Computes the metrics of validation with the averages, instead of the parameters.
   *
   * @default true
   */
  readonly validate?: boolean;
}

/**
 * Keeps exponential moving averages of the parameters while the hook is enabled: `ema = decay · ema + (1 − decay) ·
 * parameter` after each step. The averages are equal to the parameters when the hook is first enabled. By default,
 * validation uses the averages. `trainer.parameter(name, "ema")` and `trainer.export("ema")` return them.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { Ema } from "@hooke/hooke/observe";
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
 *     x: { data: Float32Array.of(1), dims: [1, 1] },
 *     wanted: { data: Float32Array.of(2), dims: [1, 1] },
 *   }, { batchSize: 1 }),
 *   optimizers: sgd({ lr: 0.25 }),
 *   hooks: [new Ema({ decay: 0.5 })],
 * });
 * await trainer.train();
 * assertEquals(await trainer.parameter("w"), Float32Array.of(1));
 * assertEquals(await trainer.parameter("w", "ema"), Float32Array.of(0.5));
 * ```
 */
export class Ema {
  /** Name of the hook. */
  readonly name: string;
  /** Settings that the trainer takes from the hook. */
  readonly settings: { readonly ema: EmaSettings };

  /** Creates the hook. */
  constructor(options: EmaOptions = {}) {
    checkTraining("Ema", options, ["decay", "validate", "name"]);
    checkNumber("Ema", options, "decay", {
      requirement: "from 0 to 1",
      holds: (x) => x >= 0 && x <= 1,
    });
    checkType("Ema", options, "validate", "true or false", isFlag);
    const { name = "ema", decay = 0.999, validate = true } = options;
    this.name = name;
    this.settings = { ema: { decay, validate } };
  }
}
