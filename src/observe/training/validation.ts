import { wholeFrom } from "../../base/check_number.ts";
import type { TrainingBase } from "../../training/stages.ts";
import type { ValidationData } from "../../training/context.ts";
import { TrainingStage } from "../../training/stages.ts";
import { complaint } from "../../base/show.ts";
import { checkNumber, checkType, isOneOf } from "../any/hook_options.ts";
import {
  checkTraining,
  TRAINING_TIMES,
  type TrainingHookTimes,
  trainingTimesOf,
} from "./training_options.ts";

/** Options of {@linkcode Validation}. The schedule options count epochs or steps, as `unit` says. */
export interface ValidationOptions extends Omit<TrainingHookTimes, "frequency"> {
  /**
   * Number of epochs or steps between two validations.
   *
   * @default 1
   */
  readonly every?: number;
  /**
   * Unit of `every`.
   *
   * @default "epoch"
   */
  readonly unit?: "epoch" | "step";
  /**
   * Data to validate with: one source of batches, or several by name.
   *
   * @default the validation data of the trainer
   */
  readonly data?: ValidationData;
}

const NAME = "Validation";

/**
 * Validates the model every `every` epochs or steps. Use it if the trainer's option `validateEvery` is not enough: to
 * validate at certain times only, to switch validation on and off, or to validate with other data.
 *
 * A validation after an epoch begins after EPOCH_END and belongs to that epoch: VALIDATION_END has its metrics.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { Validation } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const data = tensorData({
 *   x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *   wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 * }, { batchSize: 1 });
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data,
 *   optimizers: sgd({ lr: 0.1 }),
 *   epochs: 4,
 *   hooks: [new Validation({ every: 3, unit: "step", data })],
 * });
 * let validations = 0;
 * trainer.addHook({ onValidationEnd: () => void validations++ });
 * await trainer.train();
 * assertEquals(validations, 2); // of eight steps the third and the sixth
 * ```
 */
export class Validation {
  /** Name of the hook. */
  readonly name: string;
  /** Stage of the hook: the end of an epoch or of a step. */
  readonly stage: typeof TrainingStage.EPOCH_END | typeof TrainingStage.STEP_END;
  /** Number of epochs or steps between two validations. */
  readonly frequency: number;
  /** Ends the run on an error, because other hooks depend on the metrics. */
  readonly onError = "throw";
  readonly #data: ValidationData | undefined;

  /** Creates the hook. */
  constructor(options: ValidationOptions = {}) {
    const { frequency: given } = options as TrainingHookTimes;
    if (given !== undefined) {
      throw new TypeError(
        complaint(
          `make a ${NAME}`,
          'frequency must be left out, because the option "every" replaces it',
          given,
        ),
      );
    }
    checkTraining(NAME, options, ["every", "unit", "data", ...TRAINING_TIMES]);
    checkNumber(NAME, options, "every", wholeFrom(1));
    checkType(NAME, options, "unit", '"epoch" or "step"', isOneOf("epoch", "step"));
    checkType(NAME, options, "data", "batches", (x) => typeof x === "object" && x !== null);
    const { name = "validation", every = 1, unit = "epoch" } = options;
    this.name = name;
    this.stage = unit === "epoch" ? TrainingStage.EPOCH_END : TrainingStage.STEP_END;
    this.frequency = every;
    const phase = options.phase ?? every - 1; // counts begin at 0: the third epoch has count 2
    Object.assign(this, trainingTimesOf(NAME, { ...options, frequency: every, phase }));
    this.#data = options.data;
  }

  /** Requests a validation. Called by the trainer. */
  call({ trainer }: TrainingBase): void {
    trainer.validateSoon(this.#data);
  }
}
