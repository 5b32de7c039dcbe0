import { numberFrom, wholeFrom } from "../../base/check_number.ts";
import type { TrainingContext } from "../../training/stages.ts";
import type { ReadonlyNumbers } from "../../hooks/protocol/context.ts";
import { complaint } from "../../base/show.ts";
import { TrainingStage } from "../../training/stages.ts";
import { histogramOf, type Moments, momentsOf, percentilesOf } from "./gradient_numbers.ts";
import {
  type GradientReport,
  type GradientVerdict,
  type LayerGradient,
  rowOf,
} from "./gradient_report.ts";
import { checkNumber, checkType, isFlag, isFunction } from "../any/hook_options.ts";
import { postOrPrint } from "../reporter/scalars.ts";
import {
  checkTraining,
  checkWrite,
  isText,
  rowTimesOf,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** Options of {@linkcode GradientMonitor}. */
export interface GradientMonitorOptions extends Omit<TrainingHookTimes, "frequency"> {
  /**
   * Number of steps between two reports. The first step has a report.
   *
   * @default 100
   */
  readonly logFrequency?: number;
  /**
   * Reports a histogram of the gradient of each parameter.
   *
   * @default false
   */
  readonly histogram?: boolean;
  /**
   * Reports the norm of the gradient of each parameter.
   *
   * @default true
   */
  readonly norm?: boolean;
  /**
   * Parameters to report: one or more parts of names, or a function that returns true for the names to report.
   *
   * @default all parameters
   */
  readonly paramFilter?: string | readonly string[] | ((name: string) => boolean);
  /**
   * Percentiles of each gradient to report, from 0 to 100.
   *
   * @default [10, 50, 90]
   */
  readonly percentiles?: readonly number[];
  /**
   * Norm below which the gradient of a parameter is vanishing.
   *
   * @default 1e-7
   */
  readonly vanishing?: number;
  /**
   * Norm above which the gradient of a parameter is exploding.
   *
   * @default 1000
   */
  readonly exploding?: number;
  /**
   * Function that takes each report.
   *
   * @default posts the values in the slot `scalars` for the logs among the hooks, or prints them if there are no logs
   */
  readonly write?: (report: GradientReport) => void;
}

const NAME = "GradientMonitor";
const OPTIONS = [
  "logFrequency",
  "histogram",
  "norm",
  "paramFilter",
  "percentiles",
  "vanishing",
  "exploding",
  "write",
  ...TRAINING_TIMES,
];
const VERDICTS: readonly GradientVerdict[] = ["fine", "vanishing", "exploding", "nonFinite"];

/**
 * Reports the gradients of each parameter, by default every hundred steps: norm, mean absolute value, bounds,
 * percentiles, and whether they vanish, explode or are not finite. These are the gradients that the optimizers
 * received: of all batches of the step, without loss scale, after clipping and after changes by hooks. Verdicts undo
 * the clipping to a norm, because clipping hides explosions.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option. A filter
 * that matches no parameter ends the run.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { GradientMonitor, type GradientReport } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const reports: GradientReport[] = [];
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 2 }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [new GradientMonitor({ write: (report) => reports.push(report) })],
 * });
 * await trainer.train();
 * assertEquals([reports[0]!.norm, reports[0]!.verdict], [10, "fine"]);
 * ```
 */
export class GradientMonitor {
  /** Name of the hook. */
  readonly name: string;
  /** Stage of the hook: the end of a step, when its gradients still exist. */
  readonly stage: typeof TrainingStage.STEP_END = TrainingStage.STEP_END;
  /** Number of steps between two reports. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly ["gradients", "gradNorm"] = ["gradients", "gradNorm"];
  /** Ends the run if the filter matches no parameter. */
  readonly onError = "throw";
  readonly #options: Required<
    Omit<GradientMonitorOptions, "write" | "paramFilter" | "logFrequency" | keyof TrainingHookTimes>
  >;
  readonly #write: GradientMonitorOptions["write"];
  readonly #filter: GradientMonitorOptions["paramFilter"];

  /** Creates the hook. */
  constructor(options: GradientMonitorOptions = {}) {
    checkGradientMonitor(options);
    const { name = "gradient_monitor", logFrequency: every = 100 } = options;
    const { histogram = false, norm = true, percentiles = [10, 50, 90] } = options;
    const { vanishing = 1e-7, exploding = 1e3 } = options;
    this.name = name;
    this.frequency = every;
    Object.assign(this, rowTimesOf(NAME, options, { every, member: "logFrequency" }));
    this.#options = { histogram, norm, percentiles, vanishing, exploding };
    this.#write = options.write;
    this.#filter = options.paramFilter;
  }

  /** Reports the gradients. Called by the trainer. */
  call(ctx: TrainingContext<"gradients" | "gradNorm">): void {
    const { gradients } = ctx.read, chosen = this.#select(gradients);
    const moments = chosen.map(([, numbers]) => momentsOf(numbers));
    const squares = moments.reduce((sum, each) => sum + each.squares, 0);
    const whole = chosen.length === gradients.size ? squares : squaresOf(gradients);
    // Clipping scales all gradients by the same factor, norm before / norm now. Verdicts multiply by it, because a
    // clipped explosion has an ordinary norm.
    const clipping = Math.max(1, ctx.read.gradNorm / Math.sqrt(whole)) || 1;
    const layers = chosen.map(([name, numbers], i) =>
      this.#layer(name, numbers, { ...moments[i]!, clipping })
    );
    const worst = Math.max(...layers.map(({ verdict }) => VERDICTS.indexOf(verdict)));
    const { stepCount: step } = ctx, { gradNorm } = ctx.read;
    const report: GradientReport = {
      step,
      norm: Math.sqrt(squares),
      gradNorm,
      verdict: VERDICTS[worst]!,
      layers,
    };
    if (this.#write !== undefined) this.#write(report);
    else postOrPrint(ctx, rowOf(this.name, report));
  }

  #layer(
    name: string,
    numbers: ReadonlyNumbers,
    { norm, meanAbs, min, max, nonFinite, clipping }: Moments & { readonly clipping: number },
  ): LayerGradient {
    const { vanishing, exploding, percentiles, ...settings } = this.#options;
    const verdict = nonFinite > 0
      ? "nonFinite"
      : norm * clipping > exploding
      ? "exploding"
      : norm * clipping < vanishing
      ? "vanishing"
      : "fine";
    return {
      name,
      size: numbers.length,
      meanAbs,
      min,
      max,
      nonFinite,
      verdict,
      ...(settings.norm && { norm }),
      percentiles: percentilesOf(numbers, percentiles),
      ...(settings.histogram && { histogram: histogramOf(numbers) }),
    };
  }

  #select(
    gradients: ReadonlyMap<string, ReadonlyNumbers>,
  ): readonly (readonly [string, ReadonlyNumbers])[] {
    const filter = this.#filter;
    if (filter === undefined) return [...gradients];
    const fits = typeof filter === "function"
      ? filter
      : (name: string) => [filter].flat().some((part) => name.includes(part));
    const chosen = [...gradients].filter(([name]) => fits(name));
    if (chosen.length > 0) return chosen;
    const names = [...gradients.keys()].join(", ");
    throw new RangeError(
      complaint("monitor gradients", `paramFilter must match a parameter (${names})`, filter),
    );
  }
}

function squaresOf(gradients: ReadonlyMap<string, ReadonlyNumbers>): number {
  let squares = 0;
  for (const numbers of gradients.values()) squares += momentsOf(numbers).squares;
  return squares;
}

function checkGradientMonitor(options: GradientMonitorOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkNumber(NAME, options, "logFrequency", wholeFrom(1));
  checkType(NAME, options, "histogram", "true or false", isFlag);
  checkType(NAME, options, "norm", "true or false", isFlag);
  const isFilter = (x: unknown) => isFunction(x) || [x].flat().every(isText);
  checkType(
    NAME,
    options,
    "paramFilter",
    "a part of a name, an array of such parts, or a function",
    isFilter,
  );
  const arePercents = (x: unknown) =>
    Array.isArray(x) && x.every((each) => typeof each === "number" && each >= 0 && each <= 100);
  checkType(NAME, options, "percentiles", "an array of numbers from 0 to 100", arePercents);
  for (const member of ["vanishing", "exploding"]) {
    checkNumber(NAME, options, member, numberFrom(0));
  }
  checkWrite(NAME, options);
}
