import type { Batch } from "../../batch/batch.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { AnyStages } from "../../hooks/protocol/stage.ts";
import type { FinishedHook, Otherwise } from "../../hooks/protocol/table.ts";
import { isThenable } from "../../base/sequence.ts";
import { TrainingStage } from "../../training/stages.ts";
import { COLLECTED, collectScalars, isOfStep, statusScalars } from "./collect_scalars.ts";
import { Pace } from "../any/pace.ts";
import {
  readReporter,
  type ReadReporterOptions,
  type ReporterOptions,
} from "./reporter_options.ts";
import { ActiveReporter, runAll, throwErrors } from "./active_reporter.ts";
import { markAsRead, type ScalarRow, scalars } from "./scalars.ts";
import { type SavedHistory, ScalarHistory } from "./scalar_history.ts";
import { type ScalarSnapshot, stepsDone } from "./scalar_snapshot.ts";

/** Stages at which all values are reported, regardless of the frequency. */
const SUMMARY_STAGES: readonly string[] = [TrainingStage.VALIDATION_END, TrainingStage.EPOCH_END];
const EVERY_TIME: ScheduleOptions = { frequency: 1 };

/**
 * Collects the scalars of a run of any engine, and hands them to reporters, each at its own interval: to a terminal,
 * to JSON Lines, to TensorBoard, to OpenTelemetry, or to a custom reporter. {@linkcode collectScalars} lists the
 * scalars; speed and remaining time are added. A bounded history is kept for plots and saved in checkpoints.
 *
 * If a reporter fails, the others still receive the values. By default its error becomes a warning of the engine.
 * With `onError: "throw"` it ends the run; with `"disable"` the reporter receives no more values.
 *
 * A reporter follows one engine at a time. A run of another engine clears the history.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { jsonlReporter, plot, Reporter } from "@hooke/hooke/observe";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const lines: string[] = [];
 * const reporter = new Reporter({
 *   reporters: [jsonlReporter({ write: (line) => void lines.push(line), every: 20 })],
 *   frequency: 10,
 *   nSteps: 40,
 * });
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 * });
 * opt.hooks.add(reporter);
 * await opt.run(Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]), 40);
 *
 * assertEquals(lines.map((line) => JSON.parse(line).step), [0, 20, 39]);
 * assertEquals(reporter.history.series("fmax").steps, [0, 10, 20, 30, 39]);
 * assertMatch(plot(reporter, { scalars: ["fmax"], scale: "log" }), /^<svg/);
 * ```
 */
export class Reporter implements FinishedHook<string> {
  /** Name of the hook. */
  readonly name: string;
  /** Number of steps between two collections. */
  readonly frequency: number;
  /** Collects the last step of a run even if it is not due. */
  readonly atEnd = true;
  /** Schedule of the ends of epochs and validations, which are always collected. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>>;
  /** Fields of dynamics that the hook reads. */
  readonly reads: readonly string[];
  /** Reaction to a reporter that fails. */
  readonly onError: "warn" | "throw";
  /** Kinds of engines for which `on` has handlers. */
  readonly kinds: readonly AnyStages[] = [DynamicsStage, TrainingStage];
  /** Handlers by stage name, for each kind in `kinds`. */
  readonly on: object;
  /** Handler for engines of all other kinds. */
  readonly otherwise: Otherwise;
  /** Collected values by step. */
  readonly history: ScalarHistory;
  readonly #options: ReadReporterOptions;
  readonly #reporters: readonly ActiveReporter[];
  readonly #pace: Pace;
  /** Number of rows that other hooks had posted at the last collection. */
  #seen = 0;
  #engine: Workflow | undefined;
  /** True during a run. A validation before or after training does not belong to its run, and is not reported. */
  #isOpen = false;
  /** Error of a reporter that failed to open. */
  #openError: { readonly error: unknown } | undefined;
  #last: { readonly snapshot: ScalarSnapshot; readonly batch: Batch | undefined } | undefined;

  /** Creates the hook. */
  constructor(options: ReporterOptions) {
    const read = readReporter(options), { stages } = read;
    this.#options = read;
    this.name = read.name;
    this.frequency = read.frequency;
    this.reads = [...COLLECTED, ...read.reads];
    this.onError = read.onError === "throw" ? "throw" : "warn";
    this.history = new ScalarHistory({ size: read.historySize });
    this.#reporters = read.reporters.map((each) => new ActiveReporter(each, read));
    this.#pace = new Pace(read);
    this.on = this.#tables();
    this.otherwise = (ctx, stage) =>
      !read.hasStages || stages.includes(stage) ? this.#collect(ctx, stage) : undefined;
    const whole = SUMMARY_STAGES.filter((stage) => stages.includes(stage));
    this.stageTimes = Object.fromEntries(whole.map((stage) => [stage.split("/")[1]!, EVERY_TIME]));
  }

  /** Opens the reporters. Called by the engine when a run begins. */
  async open(engine: Workflow): Promise<void> {
    if (this.#engine !== undefined && this.#engine !== engine) this.history.clear();
    this.#engine = engine;
    markAsRead(engine);
    this.#seen = 0;
    this.#last = undefined;
    this.#pace.open(engine.stepCount);
    this.#isOpen = true;
    try {
      await runAll(this.#reporters.map((reporter) => () => reporter.open()));
    } catch (error) {
      await this.#keepOpenError(error);
    }
  }

  /** Reports remaining values, and closes the reporters. Called by the engine when a run ends. */
  async close(outcome: Outcome): Promise<void> {
    this.#isOpen = false;
    await runAll([
      () => this.#statusAtEnd(outcome),
      ...this.#reporters.map((reporter) => () => reporter.close(outcome)),
    ]);
  }

  /** Returns the history for a checkpoint as plain data. Called by the engine. */
  save(): { readonly history: SavedHistory } {
    return { history: this.history.save() };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the engine. */
  load(state: unknown): void {
    this.history.load((state as { readonly history?: unknown } | null | undefined)?.history);
  }

  /**
   * Handles the error of a reporter that failed to open. The engine does not call a hook whose `open` threw, so with
   * `onError: "warn"` the error is kept until the first report, and the other reporters go on.
   */
  async #keepOpenError(error: unknown): Promise<void> {
    if (this.onError === "warn") {
      this.#openError = { error };
      return;
    }
    const outcome: Outcome = { status: "failed", error };
    await runAll(this.#reporters.map((reporter) => () => reporter.close(outcome))).catch(() => {});
    throw error;
  }

  /** Returns the handlers of dynamics and training, by kind and stage name. */
  #tables(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const call = (ctx: BaseContext, stage: string) => this.#collect(ctx, stage);
    const ofKind = (kind: string) =>
      this.#options.stages.filter((stage) => stage.startsWith(`${kind}/`))
        .map((stage) => [stage.slice(kind.length + 1), call]);
    return {
      dynamics: Object.fromEntries(ofKind("dynamics")),
      training: Object.fromEntries(ofKind("training")),
    };
  }

  #collect(ctx: BaseContext, stage: string): void | PromiseLike<void> {
    if (!this.#isOpen) return;
    const { outcome } = ctx as { readonly outcome?: Outcome };
    // Metrics of an incomplete epoch cannot be compared with those of others.
    if (SUMMARY_STAGES.includes(stage) && outcome?.status !== "completed") return;
    const { stepCount: step, workflow: { name: engine } } = ctx;
    const [kind = ""] = stage.split("/");
    const posted = this.#posted(ctx);
    const scalars = {
      ...named(posted, ({ values }) => values),
      ...this.#ofStage(stage, {
        ...collectScalars(ctx, stage, this.#options),
        ...this.#pace.at(kind, stepsDone({ step, stage })),
      }),
    };
    const histograms = named(posted, ({ histograms = {} }) => histograms);
    const has = Object.keys(histograms).length > 0 && { histograms };
    const snapshot = { step, time: Date.now() / 1000, stage, engine, scalars, ...has };
    const { batch } = ctx as { readonly batch?: Batch };
    this.#last = { snapshot, batch: kind === "dynamics" ? batch : undefined };
    return this.#report(snapshot);
  }

  /**
   * Returns the values to report at a stage. Values that STEP_END reports are left out of the summaries, because a
   * curve must not have two points in one step.
   */
  #ofStage(stage: string, values: Record<string, number>): Record<string, number> {
    const { stages } = this.#options;
    if (!SUMMARY_STAGES.includes(stage) || !stages.includes(TrainingStage.STEP_END)) return values;
    return Object.fromEntries(Object.entries(values).filter(([name]) => !isOfStep(name)));
  }

  /** Returns the rows that other hooks have posted since the last call, and marks them as seen. */
  #posted({ shared }: BaseContext): readonly ScalarRow[] {
    const board = shared.get(scalars), fresh = board?.after(this.#seen) ?? [];
    this.#seen = board?.posted ?? 0;
    return fresh;
  }

  /**
   * Adds a snapshot to the history, and hands it to all reporters. Errors are collected, so that one failing reporter
   * does not stop the others.
   */
  #report(snapshot: ScalarSnapshot): void | PromiseLike<void> {
    this.history.add(snapshot);
    const isSummary = SUMMARY_STAGES.includes(snapshot.stage);
    const errors: unknown[] = this.#openError === undefined ? [] : [this.#openError.error];
    const waiting: PromiseLike<void>[] = [];
    this.#openError = undefined;
    for (const reporter of this.#reporters) {
      try {
        const reporting = reporter.report(snapshot, isSummary);
        if (isThenable(reporting)) waiting.push(reporting);
      } catch (error) {
        errors.push(error);
      }
    }
    if (waiting.length === 0) return throwErrors(errors);
    return runAll([...waiting.map((one) => () => one), () => throwErrors(errors)]);
  }

  /**
   * Reports the status of systems that converged in the last reported step: hooks see AFTER_STEP before convergence
   * is decided.
   */
  async #statusAtEnd(outcome: Outcome): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last?.batch === undefined || outcome.status === "failed") return;
    const status = await last.batch.fetch("status");
    const scalars = statusScalars(status, this.#options.convergedStatus);
    const before = last.snapshot.scalars["dynamics/converged_count"];
    if (before === undefined || scalars["dynamics/converged_count"] === before) return;
    await this.#report({ ...last.snapshot, scalars: { ...last.snapshot.scalars, ...scalars } });
  }
}

/** Returns the values of rows by source and name, such as `GradientMonitor/total`. */
function named<V>(
  rows: readonly ScalarRow[],
  valuesOf: (row: ScalarRow) => Readonly<Record<string, V>>,
): Record<string, V> {
  return Object.fromEntries(
    rows.flatMap((row) =>
      Object.entries(valuesOf(row)).map(([name, value]) => [`${row.source}/${name}`, value])
    ),
  );
}
