/**
 * A hook that measures the time between stages.
 *
 * @module
 */

import { DynamicsStage } from "../../dynamics/stages.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import { type AnyStages, stageInfos } from "../../hooks/protocol/stage.ts";
import type { FinishedHook, Otherwise } from "../../hooks/protocol/table.ts";
import { TrainingStage } from "../../training/stages.ts";
import { type ChromeTrace, chromeTrace } from "./chrome_trace.ts";
import { OtelSpans, registeredTracer } from "../reporter/open_telemetry.ts";
import { type ProfilerOptions, type ReadOptions, readOptions } from "./profiler_options.ts";
import { ProfiledEngines } from "./profiled_engines.ts";
import type { StageChain } from "./stage_chain.ts";
import { ProfileSummary } from "./summary.ts";
import { TraceBuffer } from "./trace_buffer.ts";
import type { TransitionOutput } from "./transition.ts";
import { UserTiming } from "./user_timing.ts";

/**
 * Schedules of the training stages that count something other than steps. The hook is called each time and checks the
 * step itself.
 */
const EACH: Readonly<Record<string, ScheduleOptions>> = Object.fromEntries(
  [...stageInfos([TrainingStage]).values()]
    .filter(({ counter, role, isEvent }) => counter !== "step" && role === "observe" && !isEvent)
    .map(({ name }) => [name, { frequency: 1 }]),
);

/**
 * Measures the time from one stage to the next, for engines of every kind.
 *
 * Each transition `PREV→NEXT` has its own statistics. `PREV` is the stage that was in fact reached before, so a stage
 * that some steps skip appears as additional transitions. The time from the last stage of one step to the first stage
 * of the next is a transition, too, unless steps in between are not sampled. No transition spans two runs, or a time
 * in which a hook was disabled.
 *
 * A measurement begins with the profiler's call at one stage and ends with its call at the next. Add the profiler
 * with `{ order: "first" }`: the time of all other hooks of a stage then belongs to the transition that begins there.
 * If it is added last, their time belongs to the transition that ends there.
 *
 * Several engines may share a profiler. Each has its own rows in the summary and its own tracks in the trace. The
 * domain of a stage is the name of its kind. With a `frequency` above 1, whole steps are sampled. Stages of training
 * that count batches, passes or epochs are checked each time, and ignored if their step is not sampled. Custom kinds
 * are assumed to count steps, so profile a kind with other counters with frequency 1.
 *
 * Recording allocates only the number that the clock returns, except that User Timing and OpenTelemetry create
 * objects for each transition. The profiler's own time at a stage, well under a microsecond without those two,
 * belongs to the transition that begins there. In steps of dynamics that are not sampled the profiler is not called,
 * so multi-step calls remain possible.
 *
 * @example A sampled profile as a table and as a trace for https://ui.perfetto.dev
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { Profiler } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const WorkStage = stages<BaseContext>()("work", ["BEFORE_COMPUTE", "AFTER_COMPUTE"]);
 * const texts: string[] = [];
 * const profiler = new Profiler({
 *   frequency: 2,
 *   tracePath: "trace.json",
 *   write: (_path, text) => void texts.push(text), // without this: a file
 * });
 * const loop = new Loop({
 *   kinds: WorkStage,
 *   step(loop) {
 *     loop.fire(WorkStage.BEFORE_COMPUTE);
 *     loop.fire(WorkStage.AFTER_COMPUTE);
 *   },
 * });
 * loop.hooks.add(profiler, { order: "first" });
 * await loop.run(4);
 *
 * const [row] = profiler.summary().transitions;
 * assertEquals([row?.from, row?.to, row?.count], [
 *   "work/BEFORE_COMPUTE",
 *   "work/AFTER_COMPUTE",
 *   2,
 * ]);
 * assertEquals(JSON.parse(texts[0]!).traceEvents.length, 4); // two names, two durations
 * ```
 */
export class Profiler implements FinishedHook<string> {
  /** Name of the hook. */
  readonly name: string;
  /** Number of steps between two sampled steps. */
  readonly frequency: number;
  /** Schedules of the stages of training that do not count steps. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>> = EACH;
  /** Kinds of engines for which `on` has handlers. */
  readonly kinds: readonly AnyStages[] = [DynamicsStage, TrainingStage];
  /** One handler for all observe stages of each kind in `kinds`. */
  readonly on: object = {
    dynamics: { "*": (ctx: BaseContext, stage: string) => this.#mark(ctx, stage) },
    training: { "*": (ctx: BaseContext, stage: string) => this.#mark(ctx, stage) },
  };
  /** Handler for engines of all other kinds. */
  readonly otherwise: Otherwise = (ctx, stage) => this.#mark(ctx, stage);
  readonly #options: ReadOptions;
  readonly #now: () => number;
  readonly #engines: ProfiledEngines;
  readonly #buffer: TraceBuffer | undefined;
  readonly #outputs: TransitionOutput[] = [];
  // Engine of the last call. Engine and chain are two fields, because an object of both would be allocated at each
  // change.
  #engine: Workflow | undefined;
  #chain: StageChain | undefined;
  #hasSpans = false;
  #open = 0;
  #written: Promise<void> = Promise.resolve();

  /** Throws a TypeError or RangeError if an option is not valid; the message names the option. */
  constructor(options: ProfilerOptions = {}) {
    this.#options = readOptions(options);
    const { name, frequency, now, trace, traceCapacity, userTiming } = this.#options;
    this.name = name;
    this.frequency = frequency;
    this.#now = now;
    if (trace) this.#outputs.push(this.#buffer = new TraceBuffer(traceCapacity));
    if (userTiming) this.#outputs.push(new UserTiming());
    this.#engines = new ProfiledEngines({ frequency, outputs: this.#outputs });
  }

  /** Begins to measure a run. Called by the engine. */
  open(engine: Workflow): void {
    const { tracer = registeredTracer() } = this.#options;
    if (tracer && !this.#hasSpans) {
      this.#hasSpans = true;
      this.#outputs.push(new OtelSpans(tracer));
    }
    const chain = this.#engines.chainOf(engine);
    chain.restart();
    this.#open++;
    const time = this.#now();
    for (const output of this.#outputs) output.open(chain.pid, chain.engine, time);
  }

  /** Ends the measurement of a run, and writes the trace if there is a `tracePath`. Called by the engine. */
  async close(): Promise<void> {
    this.#open--;
    this.#engine = this.#chain = undefined; // lets the engine be garbage-collected
    if (this.#open === 0) {
      const time = this.#now();
      for (const output of this.#outputs) output.close(time);
    }
    if (this.#options.tracePath !== undefined) await this.writeTrace();
  }

  /**
   * Returns the measurements so far of all runs and engines: count, mean, std, min and max in ms for each transition.
   */
  summary(): ProfileSummary {
    const rows = this.#engines.transitions.map((transition) => transition.summary());
    return new ProfileSummary(rows.filter(({ count }) => count > 0));
  }

  /**
   * Returns the recorded transitions as a Chrome trace: one process per engine, in it one track per domain, times in
   * µs.
   *
   * Throws a `TypeError` if the profiler does not record a trace.
   */
  trace(): ChromeTrace {
    if (this.#buffer !== undefined) return chromeTrace(this.#buffer, this.#engines);
    throw new TypeError(
      "Cannot return a trace: the profiler did not record one. Pass `trace: true` or a `tracePath`",
    );
  }

  /**
   * Writes {@linkcode Profiler.trace} to a file, which https://ui.perfetto.dev opens.
   *
   * Rejects with a `TypeError` if there is no path, and with the error of the file system if the file cannot be
   * written. An existing file then stays unchanged.
   */
  async writeTrace(path: string | URL | undefined = this.#options.tracePath): Promise<void> {
    if (path === undefined) {
      throw new TypeError(
        "Cannot write a trace: path is required: pass it here, or as the option `tracePath`",
      );
    }
    // Writes are queued: two engines may end at once, and the later trace must win.
    const before = this.#written;
    const writing = (async () => {
      await before;
      await this.#options.write(path, JSON.stringify(this.trace()));
    })();
    this.#written = writing.catch(() => {}); // the caller receives the error through `writing`
    await writing;
  }

  #mark(ctx: BaseContext, stage: string): void {
    const time = this.#now();
    const { workflow } = ctx;
    if (this.#engine !== workflow || this.#chain === undefined) {
      this.#engine = workflow;
      this.#chain = this.#engines.chainOf(workflow);
    }
    this.#chain.mark(stage, ctx.stepCount, time);
  }
}
