import { canConverge } from "../../dynamics/convergence/can_converge.ts";
import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { AnyStages } from "../../hooks/protocol/stage.ts";
import type { FinishedHook, Otherwise } from "../../hooks/protocol/table.ts";
import { type BatchEndContext, TrainingStage } from "../../training/stages.ts";
import { warningsOf } from "../../hooks/loop/progress.ts";
import {
  type Progress,
  progressData,
  progressLine,
  runLine,
  type RunProgress,
} from "./progress_line.ts";
import {
  type ProgressHookOptions,
  readProgress,
  type ReadProgressOptions,
} from "./progress_options.ts";

export type { ProgressHookOptions };

const NAME = "ProgressHook";
// Moves to the beginning of the line, and erases the rest of the line.
const [TO_BEGINNING, CLEAR_REST] = ["\r", "\x1b[K"];
/** Time after which a report says how long a step already takes, s. */
const LONG_STEP = 2;

/**
 * Reports the progress of a run: the step and the number of steps, finished systems of a stream, converged systems,
 * the total energy, the largest force on an atom of the systems that still move, the mean temperature and the
 * simulated time per day if steps take time, steps per second, the remaining time, and the number of warnings.
 * Converged systems are left out if the engine has no `ConvergenceHook` and no stages.
 *
 * Without options it writes to the standard error. On a terminal, one line is repainted ten times a second. Otherwise
 * a plain line without escape codes is written every ten seconds. The first line, with the number of steps done, is
 * written when the run begins, unless `nSteps` are done. The last line shows the last step. If a step takes long, as
 * with a large model, reports go on and say how long it already takes, unless it blocks the thread.
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
  readonly reads: readonly ["energy", "fmax", "status", "temperature", "time", "stepsDone"] = [
    "energy",
    "fmax",
    "status",
    "temperature",
    "time",
    "stepsDone",
  ];
  readonly #options: ReadProgressOptions;
  #start = { time: 0, step: 0 };
  #last: StepValues | undefined;
  #written: Written | undefined;
  /** Last reported step of a loop that is neither dynamics nor training; −1 before the first report. */
  #reported = -1;

  /** Creates the hook. The first line is written when a run begins. */
  constructor(options: ProgressHookOptions = {}) {
    this.#options = readProgress(options);
    this.everySeconds = this.#options.everySeconds;
    this.on = {
      dynamics: { AFTER_STEP: (ctx: DynamicsContext) => this.#reportAtoms(ctx) },
      training: { BATCH_END: (ctx: BatchEndContext) => this.#reportTraining(ctx) },
    };
    this.otherwise = (ctx) => this.#reportLoop(ctx);
  }

  /** Starts the clock, and writes the first line. Called by the engine when a run begins. */
  open(engine: Workflow): void {
    const { nSteps: of, now } = this.#options, { stepCount: steps } = engine;
    this.#start = { time: now(), step: steps };
    this.#last = undefined;
    this.#reported = -1;
    clearInterval(this.#written?.timer);
    // A fraction of the interval, so that the report of a long step is not late.
    const period = Math.max(1, this.everySeconds / 4) * 1000;
    const time = performance.now(), timer = setInterval(() => this.#reportWaiting(), period);
    const empty = { again: undefined, failure: undefined, motion: undefined };
    this.#written = { engine, timer, time, ...empty };
    if (of !== undefined && steps >= of) return; // nothing is left to do
    this.#write(this.#runProgress(steps, { steps: 0, seconds: 0 }), []);
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
      ...this.#motionOf(read, stepCount + 1 - this.#start.step),
      seconds: this.#seconds(),
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
    clearInterval(this.#written?.timer);
    if (last !== undefined && outcome.status !== "failed") {
      const hasConverged = this.#convergedFlags(await last.batch.fetch("status"));
      const hasChanged = last.stream?.done !== last.done ||
        hasConverged.some((done, i) => done !== last.hasConverged[i]);
      // The last line was written before the engine decided which systems had converged in that step.
      if (hasChanged) this.#report({ ...last, hasConverged });
    }
    this.#throwFailure(); // if no handler was called after it
    const { isTerminal, write } = this.#options, written = this.#written;
    this.#written = undefined;
    if (isTerminal && written?.again !== undefined) write("\n");
  }

  #reportTraining({ stepCount, epoch, loss }: BatchEndContext): void {
    const facts = [`epoch ${epoch + 1}`, `loss ${+loss.toPrecision(4)}`];
    this.#write(this.#runProgress(stepCount), facts, { epoch, loss });
  }

  /** Reports a step of a loop that is neither dynamics nor training, once, at the first due stage of the step. */
  #reportLoop({ stepCount }: BaseContext): void {
    if (stepCount === this.#reported) return;
    this.#reported = stepCount;
    this.#write(this.#runProgress(stepCount + 1), []);
  }

  /**
   * Repeats the last report if the current step takes long. Called by a timer, in which an error would end the process.
   * The next handler throws the error, so that `onError` applies to it, and the timer stops.
   */
  #reportWaiting(): void {
    const written = this.#written!, waiting = (performance.now() - written.time) / 1000;
    if (waiting < Math.max(LONG_STEP, this.everySeconds)) return;
    try {
      written.again?.(waiting);
    } catch (error) {
      this.#written = { ...written, failure: { error } };
      clearInterval(written.timer);
    }
  }

  /** Throws the error of a report that the timer wrote, once. */
  #throwFailure(): void {
    const { failure } = this.#written ?? {};
    if (failure === undefined) return;
    this.#written = { ...this.#written!, failure: undefined };
    throw failure.error;
  }

  /**
   * Returns the mean temperature, and the time step since the last report; both are undefined if steps take no time. The
   * history of a system may have steps of other engines, such as a relaxation, which take another time.
   */
  #motionOf(
    { time, temperature, stepsDone }: DynamicsContext["read"],
    stepsOfRun: number,
  ): Pick<StepValues, "temperature" | "dt"> {
    const now = { time: time![0] ?? NaN, steps: stepsDone![0] ?? NaN },
      last = this.#written?.motion;
    const start = last ?? (now.steps === stepsOfRun ? { time: 0, steps: 0 } : now);
    // The first system may have been replaced by another one of a stream, or may have stopped.
    const dt = now.steps > start.steps
      ? (now.time - start.time) / (now.steps - start.steps)
      : last?.dt;
    if (this.#written !== undefined) this.#written = { ...this.#written, motion: { ...now, dt } };
    if (dt === undefined || !(dt > 0)) return { temperature: undefined, dt: undefined };
    const all = Array.from(temperature!);
    return { temperature: all.reduce((sum, one) => sum + one, 0) / all.length, dt };
  }

  #runProgress(steps: number, rate?: RunProgress["rate"]): RunProgress {
    const warnings = warningsOf(this.#written!.engine)?.listed.warnings?.length ?? 0;
    return {
      steps,
      of: this.#options.nSteps,
      rate: rate ?? { steps: steps - this.#start.step, seconds: this.#seconds() },
      warnings,
    };
  }

  /** Returns the time since the run began, s. */
  #seconds(): number {
    return (this.#options.now() - this.#start.time) / 1000;
  }

  #write(
    progress: RunProgress,
    facts: readonly string[],
    data: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#show((waiting) => ({
      line: (width) => runLine({ ...progress, waiting }, facts, width),
      data: () => ({ ...progressData({ ...progress, waiting }), ...data }),
    }));
  }

  /** Writes a report, and keeps it for the timer. */
  #show(report: (waiting: number | undefined) => Report): void {
    this.#throwFailure();
    const { isTerminal, columns, write, format } = this.#options;
    const show = (waiting?: number) => {
      const { line, data } = report(waiting);
      if (format === "json") write(`${JSON.stringify(data())}\n`);
      else if (isTerminal) write(`${TO_BEGINNING}${line(columns - 1)}${CLEAR_REST}`);
      else write(`${line(Infinity)}\n`);
    };
    show();
    if (this.#written === undefined) return;
    this.#written = { ...this.#written, again: show, time: performance.now() };
  }

  #convergedFlags(status: ArrayLike<number>): boolean[] {
    return Array.from(status, (one) => one >= this.#options.convergedStatus);
  }

  #report({ steps, energy, fmax, hasConverged, seconds, ...values }: StepValues): void {
    const converged = hasConverged.filter((done) => done).length;
    const moving = fmax.filter((_, i) => !hasConverged[i] || converged === hasConverged.length);
    const { stream, canConverge, temperature, dt } = values;
    const progress: Progress = {
      ...this.#runProgress(steps, { steps: steps - this.#start.step, seconds }),
      converged: canConverge || converged > 0 ? converged : undefined,
      systems: hasConverged.length,
      stream: stream === undefined ? undefined : { done: stream.done, total: stream.total },
      energy,
      fmax: moving.reduce((most, force) => force > most || Number.isNaN(force) ? force : most, 0),
      temperature,
      dt,
    };
    this.#show((waiting) => ({
      line: (width) => progressLine({ ...progress, waiting }, width),
      data: () => progressData({ ...progress, waiting }),
    }));
  }
}

/** A report in both forms. */
interface Report {
  readonly line: (width: number) => string;
  readonly data: () => object;
}

/** State of the output during a run. */
interface Written {
  readonly engine: Workflow;
  readonly timer: ReturnType<typeof setInterval>;
  /** Time of the last report, ms. */
  readonly time: number;
  /** Writes the last report again; undefined before the first report. */
  readonly again: ((waiting: number) => void) | undefined;
  /** Error of a report that the timer wrote, until a handler throws it. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Values of the last report from which the time step follows. */
  readonly motion: Motion | undefined;
}

/** Time in fs and number of steps of the first system at a report, and the time step before it. */
interface Motion {
  readonly time: number;
  readonly steps: number;
  readonly dt: number | undefined;
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
  /** Mean temperature, K; undefined if steps take no time. */
  readonly temperature: number | undefined;
  /** Time step, fs; undefined if steps take no time. */
  readonly dt: number | undefined;
}
