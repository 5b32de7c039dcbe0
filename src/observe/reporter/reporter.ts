import type { Batch } from "../../batch/batch.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { AnyStages } from "../../hooks/protocol/stage.ts";
import type { Hook, Otherwise } from "../../hooks/protocol/table.ts";
import { isThenable } from "../../base/sequence.ts";
import { TrainingStage } from "../../training/stages.ts";
import { COLLECTED, collectScalars, statusScalars } from "./collect_scalars.ts";
import { Pace } from "../any/pace.ts";
import {
  readReporter,
  type ReadReporterOptions,
  type ReporterOptions,
} from "./reporter_options.ts";
import { attempt, ReporterPlace, throwAll } from "./reporter_place.ts";
import { readRows, type ScalarRow, scalars } from "./scalars.ts";
import { type SavedHistory, ScalarHistory } from "./scalar_history.ts";
import { type ScalarSnapshot, stepsDone } from "./scalar_snapshot.ts";

/** Stages at which all is told that has come together, whatever the frequency. */
const WHOLE_STAGES: readonly string[] = [TrainingStage.VALIDATION_END, TrainingStage.EPOCH_END];
const WHOLE: ScheduleOptions = { frequency: 1 };

/**
 * Collects the scalars of a run of any engine ({@linkcode collectScalars} says which), with how fast it goes and how
 * long it will take, and hands them to reporters, each as often as it wants: on a terminal, into lines of JSON, to
 * TensorBoard, to OpenTelemetry, or to one of one's own. It keeps a bounded history of them, for plots, which goes into
 * checkpoints.
 *
 * Where a reporter fails the others are still told. What it threw is a warning of the engine; with `onError: "throw"` it
 * stops the run, with `"disable"` that reporter is told no more.
 *
 * One engine at a time: another one begins the history anew.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
export class Reporter implements Hook<string> {
  /** Its name among the hooks of an engine. */
  readonly name: string;
  /** Collects at every so many steps. */
  readonly frequency: number;
  /** The last step is collected, too. */
  readonly atEnd = true;
  /** What comes at the end of epochs and validations is always collected. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>>;
  /** What it looks at, in dynamics. */
  readonly reads: readonly string[];
  /** What happens when a reporter fails. */
  readonly onError: "warn" | "throw";
  /** The kinds that are known by name. */
  readonly kinds: readonly AnyStages[] = [DynamicsStage, TrainingStage];
  /** One row of overloads per kind that is known by name. */
  readonly on: object;
  /** The overload of all other kinds. */
  readonly otherwise: Otherwise;
  /** What it has collected. */
  readonly history: ScalarHistory;
  readonly #options: ReadReporterOptions;
  readonly #places: readonly ReporterPlace[];
  readonly #pace: Pace;
  /** Rows of other hooks that were taken in. */
  #seen = 0;
  #engine: Workflow | undefined;
  /** What went wrong as reporters were opened. */
  #early: { readonly error: unknown } | undefined;
  #last: { readonly snapshot: ScalarSnapshot; readonly batch: Batch | undefined } | undefined;

  /** Collects nothing yet. */
  constructor(options: ReporterOptions) {
    const read = readReporter(options), { stages } = read;
    this.#options = read;
    this.name = read.name;
    this.frequency = read.frequency;
    this.reads = [...COLLECTED, ...read.reads];
    this.onError = read.onError === "throw" ? "throw" : "warn";
    this.history = new ScalarHistory({ size: read.historySize });
    this.#places = read.reporters.map((each) => new ReporterPlace(each, read));
    this.#pace = new Pace(read);
    this.on = this.#tables();
    this.otherwise = (ctx, stage) =>
      !read.isOwnChoice || stages.includes(stage) ? this.#collect(ctx, stage) : undefined;
    const whole = WHOLE_STAGES.filter((stage) => stages.includes(stage));
    this.stageTimes = Object.fromEntries(whole.map((stage) => [stage.split("/")[1]!, WHOLE]));
  }

  /** A run begins: so do the reporters. Called by the engine. */
  async open(engine: Workflow): Promise<void> {
    if (this.#engine !== undefined && this.#engine !== engine) this.history.clear();
    this.#engine = engine;
    readRows(engine);
    this.#seen = 0;
    this.#last = undefined;
    this.#pace.open(engine.stepCount);
    try {
      await attempt(this.#places.map((place) => () => place.open()));
    } catch (error) {
      await this.#notOpened(error);
    }
  }

  /** A run is over: reporters are told what is left, and close. Called by the engine. */
  async close(outcome: Outcome): Promise<void> {
    await attempt([
      () => this.#statusAtEnd(outcome),
      ...this.#places.map((place) => () => place.close(outcome)),
    ]);
  }

  /** The history: plain data. Called by the engine. */
  save(): { readonly history: SavedHistory } {
    return { history: this.history.save() };
  }

  /** Goes on where `save` was called. Throws a TypeError for what `save` did not give. Called by the engine. */
  load(state: unknown): void {
    this.history.load((state as { readonly history?: unknown } | null | undefined)?.history);
  }

  /** A hook that cannot open is not run at all: where others are to be told all the same, it is said a little later. */
  async #notOpened(error: unknown): Promise<void> {
    if (this.onError === "warn") {
      this.#early = { error };
      return;
    }
    const outcome: Outcome = { status: "failed", error };
    await attempt(this.#places.map((place) => () => place.close(outcome))).catch(() => {});
    throw error;
  }

  /** The tables of the kinds that are known by name. */
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
    const { outcome } = ctx as { readonly outcome?: Outcome };
    // What a part of an epoch comes to is not to be compared with what others do.
    if (WHOLE_STAGES.includes(stage) && outcome?.status !== "completed") return;
    const { stepCount: step, workflow: { name: engine } } = ctx;
    const [kind = ""] = stage.split("/");
    const posted = this.#posted(ctx);
    const scalars = {
      ...named(posted, ({ values }) => values),
      ...collectScalars(ctx, stage, this.#options),
      ...this.#pace.at(kind, stepsDone({ step, stage })),
    };
    const histograms = named(posted, ({ histograms = {} }) => histograms);
    const has = Object.keys(histograms).length > 0 && { histograms };
    const snapshot = { step, time: Date.now() / 1000, stage, engine, scalars, ...has };
    const { batch } = ctx as { readonly batch?: Batch };
    this.#last = { snapshot, batch: kind === "dynamics" ? batch : undefined };
    return this.#tell(snapshot);
  }

  /** Returns the rows that other hooks have left for logs since the last time. */
  #posted({ shared }: BaseContext): readonly ScalarRow[] {
    const board = shared.get(scalars), fresh = board?.after(this.#seen) ?? [];
    this.#seen = board?.posted ?? 0;
    return fresh;
  }

  /** Tells all of them, whatever one of them throws. */
  #tell(snapshot: ScalarSnapshot): void | PromiseLike<void> {
    this.history.add(snapshot);
    const isWhole = WHOLE_STAGES.includes(snapshot.stage);
    const errors: unknown[] = this.#early === undefined ? [] : [this.#early.error];
    const waiting: PromiseLike<void>[] = [];
    this.#early = undefined;
    for (const place of this.#places) {
      try {
        const telling = place.tell(snapshot, isWhole);
        if (isThenable(telling)) waiting.push(telling);
      } catch (error) {
        errors.push(error);
      }
    }
    if (waiting.length === 0) return throwAll(errors);
    return attempt([...waiting.map((one) => () => one), () => throwAll(errors)]);
  }

  /** Systems that have converged in the very step that was told last are counted, too. */
  async #statusAtEnd(outcome: Outcome): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last?.batch === undefined || outcome.status === "failed") return;
    const status = await last.batch.fetch("status");
    const scalars = statusScalars(status, this.#options.convergedStatus);
    const before = last.snapshot.scalars["dynamics/converged_count"];
    if (before === undefined || scalars["dynamics/converged_count"] === before) return;
    await this.#tell({ ...last.snapshot, scalars: { ...last.snapshot.scalars, ...scalars } });
  }
}

/** Returns values of rows by source and name: `GradientMonitor/total`. */
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
