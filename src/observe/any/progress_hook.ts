import { POSITIVE, WHOLE, wholeFrom } from "../../base/check_number.ts";
import { canConverge } from "../../dynamics/convergence/can_converge.ts";
import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { AnyStages } from "../../hooks/protocol/stage.ts";
import type { FinishedHook, Otherwise } from "../../hooks/protocol/table.ts";
import { type BatchEndContext, TrainingStage } from "../../training/stages.ts";
import {
  checkNumber,
  checkOptions,
  checkRequired,
  checkType,
  isFlag,
  isFunction,
} from "./hook_options.ts";
import { progressLine, runLine } from "./progress_line.ts";

/** Options of {@linkcode ProgressHook}. */
export interface ProgressHookOptions {
  /** Function that takes the text, such as `(text) => Deno.stderr.writeSync(new TextEncoder().encode(text))`. */
  readonly write: (text: string) => void;
  /**
   * Repaints one line, as a terminal allows. If false, each report is written as a separate line.
   *
   * @default false
   */
  readonly isTerminal?: boolean;
  /**
   * Number of steps at which the work is done, counted from the first step of the engine. It includes the steps of
   * earlier runs, and the steps before a checkpoint from which the run continues.
   *
   * @default undefined: percentage and remaining time are not shown
   */
  readonly nSteps?: number;
  /**
   * Interval between two reports, s.
   *
   * @default 0.1 on a terminal, 10 otherwise
   */
  readonly everySeconds?: number;
  /**
   * Width of the terminal in characters. Longer lines are cut.
   *
   * @default 100
   */
  readonly columns?: number;
  /**
   * Lowest status of a converged system.
   *
   * @default 1, the status that `ConvergenceHook` gives by default
   */
  readonly convergedStatus?: number;
  /**
   * Returns the current time in ms. Only differences between times are used.
   *
   * @default performance.now()
   */
  readonly now?: () => number;
}

const NAME = "ProgressHook";
const OPTIONS = [
  "write",
  "isTerminal",
  "nSteps",
  "everySeconds",
  "columns",
  "convergedStatus",
  "now",
];
// Moves to the beginning of the line, and erases the rest of the line.
const [TO_BEGINNING, CLEAR_REST] = ["\r", "\x1b[K"];

/**
 * Reports the progress of a run: the step and the number of steps, finished systems of a stream, converged systems,
 * the total energy, the largest force on an atom of the systems that still move, steps per second and the remaining
 * time. Converged systems are left out if the engine has no `ConvergenceHook` and no stages.
 *
 * On a terminal, one line is repainted ten times a second. Otherwise a plain line without escape codes is written
 * every ten seconds. The first line, with the number of steps done, is written when the run begins, unless `nSteps`
 * are done. The last line shows the last step.
 *
 * For training it reports steps, epoch, loss, speed and remaining time; for other loops steps, speed and remaining
 * time.
 *
 * The hook is due only a few times between two lines, so its cost is negligible.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { ProgressHook } from "@hooke/hooke/observe";
 * import { assertMatch } from "@std/assert";
 *
 * const lines: string[] = [];
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   hooks: [
 *     ConvergenceHook.fromFmax(0.01),
 *     new ProgressHook({ write: (text) => lines.push(text), nSteps: 500 }),
 *   ],
 * });
 * await opt.run(Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]), 500);
 * // step 36/500 (7 %)  1/1 converged  energy -2.479685 eV  fmax 0.00962 eV/Å  4559 steps/s
 * assertMatch(lines.at(-1)!, /^step \d+\/500 .*1\/1 converged  energy -2\.4796/);
 * ```
 */
export class ProgressHook implements FinishedHook<string> {
  /** Name of the hook. */
  readonly name: string = NAME;
  /** Kinds of engines for which `on` has handlers. */
  readonly kinds: readonly AnyStages[] = [DynamicsStage, TrainingStage];
  /** Handlers by stage name, for each kind in `kinds`. */
  readonly on: object;
  /** Handler for engines of all other kinds. */
  readonly otherwise: Otherwise;
  /** Any step may be due; `everySeconds` decides which steps are. */
  readonly frequency = 1;
  /** Interval between two reports, s. */
  readonly everySeconds: number;
  /** Reports the last step of a run even if it is not due. */
  readonly atEnd = true;
  /** Fields of dynamics that the hook reads. */
  readonly reads: readonly ["energy", "fmax", "status"] = ["energy", "fmax", "status"];
  readonly #options:
    & Required<Omit<ProgressHookOptions, "nSteps" | "everySeconds">>
    & Pick<ProgressHookOptions, "nSteps">;
  #start = { time: 0, step: 0 };
  #last: StepValues | undefined;
  #hasWritten = false;
  /** Last reported step of a loop that is neither dynamics nor training; −1 before the first report. */
  #reported = -1;

  /** Creates the hook. The first line is written when a run begins. */
  constructor(options: ProgressHookOptions) {
    checkProgress(options);
    const { write, isTerminal = false, nSteps, columns = 100, convergedStatus = 1 } = options;
    const { everySeconds = isTerminal ? 0.1 : 10, now = () => performance.now() } = options;
    this.everySeconds = everySeconds;
    this.on = {
      dynamics: { AFTER_STEP: (ctx: DynamicsContext) => this.#reportAtoms(ctx) },
      training: { BATCH_END: (ctx: BatchEndContext) => this.#reportTraining(ctx) },
    };
    this.otherwise = (ctx) => this.#reportLoop(ctx);
    this.#options = {
      write,
      isTerminal,
      columns,
      convergedStatus,
      now,
      ...(nSteps !== undefined && { nSteps }),
    };
  }

  /** Starts the clock, and writes the first line. Called by the engine when a run begins. */
  open({ stepCount: steps }: Workflow): void {
    this.#start = { time: this.#options.now(), step: steps };
    this.#last = undefined;
    this.#hasWritten = false;
    this.#reported = -1;
    const { nSteps: of } = this.#options;
    if (of !== undefined && steps >= of) return; // nothing is left to do
    this.#write(runLine({ steps, of, rate: { steps: 0, seconds: 0 } }, []));
  }

  #reportAtoms({ stepCount, batch, read, stream, workflow }: DynamicsContext): void {
    const last = {
      canConverge: canConverge(workflow),
      stream,
      done: stream?.done,
      batch,
      steps: stepCount + 1,
      energy: Array.from(read.energy!).reduce((sum, energy) => sum + energy, 0),
      fmax: Array.from(read.fmax!),
      hasConverged: this.#convergedFlags(read.status!),
      seconds: (this.#options.now() - this.#start.time) / 1000,
    };
    this.#last = last;
    this.#report(last);
  }

  /**
   * Writes another report if systems converged in the step of the last line. On a terminal, ends the line. Called by
   * the engine when a run ends.
   */
  async close(outcome: Outcome): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last !== undefined && outcome.status !== "failed") {
      const hasConverged = this.#convergedFlags(await last.batch.fetch("status"));
      const hasChanged = last.stream?.done !== last.done ||
        hasConverged.some((done, i) => done !== last.hasConverged[i]);
      // The last line was written before the engine decided which systems had converged in that step.
      if (hasChanged) this.#report({ ...last, hasConverged });
    }
    if (this.#options.isTerminal && this.#hasWritten) this.#options.write("\n");
  }

  #reportTraining({ stepCount, epoch, loss }: BatchEndContext): void {
    this.#write(this.#line(stepCount, [`epoch ${epoch + 1}`, `loss ${+loss.toPrecision(4)}`]));
  }

  /** Reports a step of a loop that is neither dynamics nor training, once, at the first due stage of the step. */
  #reportLoop({ stepCount }: BaseContext): void {
    if (stepCount === this.#reported) return;
    this.#reported = stepCount;
    this.#write(this.#line(stepCount + 1, []));
  }

  #line(steps: number, facts: readonly string[]): string {
    const seconds = (this.#options.now() - this.#start.time) / 1000;
    const rate = { steps: steps - this.#start.step, seconds };
    return runLine({ steps, of: this.#options.nSteps, rate }, facts);
  }

  #write(line: string): void {
    const { isTerminal, columns, write } = this.#options;
    this.#hasWritten = true;
    write(isTerminal ? `${TO_BEGINNING}${line.slice(0, columns - 1)}${CLEAR_REST}` : `${line}\n`);
  }

  #convergedFlags(status: ArrayLike<number>): boolean[] {
    return Array.from(status, (one) => one >= this.#options.convergedStatus);
  }

  #report({ steps, energy, fmax, hasConverged, seconds, stream, canConverge }: StepValues): void {
    const { nSteps } = this.#options;
    const converged = hasConverged.filter((done) => done).length;
    const moving = fmax.filter((_, i) => !hasConverged[i] || converged === hasConverged.length);
    const line = progressLine({
      steps,
      of: nSteps,
      converged: canConverge || converged > 0 ? converged : undefined,
      systems: hasConverged.length,
      stream,
      energy,
      fmax: moving.reduce((most, force) => force > most || Number.isNaN(force) ? force : most, 0),
      rate: { steps: steps - this.#start.step, seconds },
    });
    this.#write(line);
  }
}

/** Values of one step that a report shows. */
interface StepValues {
  /** True if a hook or a stage of the engine decides convergence. */
  readonly canConverge: boolean;
  readonly batch: Batch;
  readonly stream: DynamicsContext["stream"];
  /** Number of finished systems of the stream in that step; `undefined` without a stream. */
  readonly done: number | undefined;
  readonly steps: number;
  readonly energy: number;
  readonly fmax: readonly number[];
  readonly hasConverged: readonly boolean[];
  readonly seconds: number;
}

function checkProgress(options: ProgressHookOptions): void {
  checkOptions(NAME, options, OPTIONS);
  checkRequired(NAME, options, "write", "a function that takes text");
  checkType(NAME, options, "write", "a function", isFunction);
  checkType(NAME, options, "isTerminal", "true or false", isFlag);
  checkType(NAME, options, "now", "a function", isFunction);
  checkNumber(NAME, options, "nSteps", wholeFrom(1));
  checkNumber(NAME, options, "columns", wholeFrom(1));
  checkNumber(NAME, options, "convergedStatus", WHOLE);
  checkNumber(NAME, options, "everySeconds", POSITIVE);
}
