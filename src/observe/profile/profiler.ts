/**
 * A hook that measures how long it takes from stage to stage.
 *
 * @module
 */

import { DynamicsStage } from "../../dynamics/stages.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import { type AnyStages, stageInfos } from "../../hooks/protocol/stage.ts";
import type { Hook, Otherwise } from "../../hooks/protocol/table.ts";
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

/** Stages of training that do not count steps: it is called at each, and looks at the step. */
const EACH: Readonly<Record<string, ScheduleOptions>> = Object.fromEntries(
  [...stageInfos([TrainingStage]).values()]
    .filter(({ counter, role, isEvent }) => counter !== "step" && role === "observe" && !isEvent)
    .map(({ name }) => [name, { frequency: 1 }]),
);

/**
 * Measures how long it takes from one stage to the next, for engines of every kind.
 *
 * Each transition `PREV→NEXT` has its own statistics, labeled by the stage that was really reached before, so a
 * stage that is absent from some steps shows up as transitions of its own. From the last stage of a step to the
 * first of the next is a transition too, unless there are steps in between that are not sampled. Nothing is
 * counted across runs, nor across a time in which a hook was disabled.
 *
 * It measures from its own call at one stage to its own call at the next. Add it with `{ order: "first" }`: then
 * the time of all other hooks of a stage counts into the transition that begins there. Added last, it counts into
 * the one that ends there.
 *
 * Several engines may share one profiler: each has its own rows in the summary and its own tracks in the trace.
 * The domain of a stage is the name of its kind. With a `frequency` above 1 steps are sampled, each whole; a stage of
 * training that counts batches, passes or epochs is looked at each time, and left out where its step is not sampled.
 * A kind of one's own is taken to count steps: one with other counters should be profiled with frequency 1.
 *
 * Recording allocates nothing but the number that the clock hands over, except that User Timing and OpenTelemetry
 * make objects of each transition. What the profiler itself takes at a stage, well under a microsecond without those
 * two, counts into the transition that begins there. In steps of atoms that are not sampled it is not called, and keeps
 * no engine from running them in one call.
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
export class Profiler implements Hook<string> {
  /** Its name among the hooks of an engine. */
  readonly name: string;
  /** Looks at the stages of every n-th step. */
  readonly frequency: number;
  /** When it looks at stages of training that do not count steps. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>> = EACH;
  /** The kinds that are known by name. */
  readonly kinds: readonly AnyStages[] = [DynamicsStage, TrainingStage];
  /** One row of overloads per kind that is known by name. */
  readonly on: object = {
    dynamics: { "*": (ctx: BaseContext, stage: string) => this.#mark(ctx, stage) },
    training: { "*": (ctx: BaseContext, stage: string) => this.#mark(ctx, stage) },
  };
  /** The overload of all other kinds. */
  readonly otherwise: Otherwise = (ctx, stage) => this.#mark(ctx, stage);
  readonly #options: ReadOptions;
  readonly #now: () => number;
  readonly #engines: ProfiledEngines;
  readonly #buffer: TraceBuffer | undefined;
  readonly #outputs: TransitionOutput[] = [];
  // The engine that was seen last; two fields, as an object of both would be made anew with each change.
  #engine: Workflow | undefined;
  #chain: StageChain | undefined;
  #hasSpans = false;
  #open = 0;
  #written: Promise<void> = Promise.resolve();

  /** Throws a TypeError or RangeError that names the option that is wrong. */
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

  /** Begins a run of an engine. Called by the engine. */
  open(engine: Workflow): void {
    const { tracer = registeredTracer() } = this.#options;
    if (tracer && !this.#hasSpans) {
      this.#hasSpans = true;
      this.#outputs.push(new OtelSpans(tracer));
    }
    const chain = this.#engines.chainOf(engine);
    chain.rest();
    this.#open++;
    const time = this.#now();
    for (const output of this.#outputs) output.open(chain.pid, chain.engine, time);
  }

  /** Ends a run and writes the trace, if there is a path for it. Called by the engine. */
  async close(): Promise<void> {
    this.#open--;
    this.#engine = this.#chain = undefined; // an engine that is done need not be kept alive
    if (this.#open === 0) {
      const time = this.#now();
      for (const output of this.#outputs) output.close(time);
    }
    if (this.#options.tracePath !== undefined) await this.writeTrace();
  }

  /** What was measured so far, over all runs and engines: per transition count, mean, std, min and max in ms. */
  summary(): ProfileSummary {
    const rows = this.#engines.transitions.map((transition) => transition.summary());
    return new ProfileSummary(rows.filter(({ count }) => count > 0));
  }

  /**
   * The transitions kept so far, as a Chrome trace: a process per engine, in it a track per domain, times in µs.
   *
   * Throws a `TypeError` when the profiler keeps none.
   */
  trace(): ChromeTrace {
    if (this.#buffer !== undefined) return chromeTrace(this.#buffer, this.#engines);
    throw new TypeError(
      "Cannot give a trace: the profiler must be made with `trace: true` or a `tracePath`; got neither",
    );
  }

  /**
   * Writes {@linkcode Profiler.trace} as a file, which https://ui.perfetto.dev opens.
   *
   * Rejects with a `TypeError` when there is no path, and with what writing throws; a file that was there before is
   * then as it was.
   */
  async writeTrace(path: string | URL | undefined = this.#options.tracePath): Promise<void> {
    if (path === undefined) {
      throw new TypeError(
        "Cannot write a trace: it must have a path, here or as `tracePath`; got undefined",
      );
    }
    // One after the other: two engines may end at once, and the later text must stay.
    const before = this.#written;
    const writing = (async () => {
      await before;
      await this.#options.write(path, JSON.stringify(this.trace()));
    })();
    this.#written = writing.catch(() => {}); // who asked for it is told
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
