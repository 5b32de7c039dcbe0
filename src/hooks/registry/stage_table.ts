/**
 * The compiled stages of an engine: the handlers that each calls, and the kernels that run there without a visit. A
 * visit is the return to JavaScript at which a stage calls its handlers.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { show } from "../../base/show.ts";
import type { AnyStages, StageInfo } from "../protocol/stage.ts";
import type { AnswerWatch } from "../run/answer_watch.ts";
import type { DeferredQueue } from "../run/deferred_queue.ts";
import type { StageWork } from "../run/device_work.ts";
import type { EnginePoint } from "../run/point.ts";
import { pointClass } from "../run/points.gen.ts";
import type { FieldValues, StateSource } from "../run/reads.ts";
import type { StageHost } from "../run/stage_host.ts";
import { StageRun } from "../run/stage_run.ts";
import { verifying } from "../run/verify.ts";
import type { EngineHooksOptions } from "./engine_hooks_options.ts";
import type { ErrorReports } from "./error_reports.ts";
import { isDeviceHook, isHostWork, isLastWork } from "./record.ts";
import { type Entry, pendingCall, type StageHandler, timesAt } from "./stage_handler.ts";

/** The members of the registry that `StageTable` uses. */
export interface TableHost {
  /** The stages of the engine, by literal. */
  readonly infos: ReadonlyMap<string, StageInfo>;
  /** The state that hooks may read. */
  readonly state: StateSource;
  /** The options of the engine. */
  readonly options: EngineHooksOptions<AnyStages>;
  /** Applies the error policies of hooks. */
  readonly errors: ErrorReports;
  /** Waits for asynchronous hooks, for a limited time once the run is aborted. */
  readonly answers: AnswerWatch;
  /** The deliveries in flight to observers. */
  readonly queue: DeferredQueue;
  /** Returns the handlers of enabled, open hooks at a stage, in the order of execution. */
  readyAt(info: StageInfo): readonly StageHandler[];
}

// Number of engines so far. It selects the classes of stages, so that two engines do not share type feedback.
let engines = 0;

/** The compiled stages of one engine, by literal. */
export class StageTable {
  readonly #host: TableHost;
  readonly #stageHost: StageHost;
  readonly #points: ReadonlyMap<string, EnginePoint>;
  /** The stages with handlers that count steps. */
  #counting: readonly EnginePoint[] = [];
  #isTracked = false;

  /** Creates a table whose stages have no handlers. */
  constructor(host: TableHost) {
    this.#host = host;
    this.#stageHost = this.#makeStageHost();
    const engine = engines++;
    this.#points = new Map(
      [...host.infos.values()].map((info, i) => [
        info.stage,
        new (pointClass(i, engine))(info, this.#stageHost),
      ]),
    );
  }

  /**
   * Returns a stage that the engine can keep and fire.
   *
   * @throws {RangeError} if the engine has no such stage
   */
  point(stage: string): EnginePoint {
    const point = this.#points.get(stage);
    if (point !== undefined) return point;
    throw new RangeError(
      `Cannot fire stage ${show(stage)}: the engine has no such stage. Its stages are ` +
        `${[...this.#points.keys()].join(", ")}${didYouMean(String(stage), this.#points.keys())}`,
    );
  }

  /** Recompiles the stages of the given hooks, after a change of these hooks. */
  compile(entries: readonly Entry[]): void {
    const stages = new Set(
      entries.flatMap(({ handlers }) => handlers.map(({ info }) => info.stage)),
    );
    for (const stage of stages) {
      const point = this.#points.get(stage)!;
      const all = this.#host.readyAt(point.info);
      const unvisited = new Set(withoutVisit(all, point.info));
      const handlers = unvisited.size === 0
        ? all
        : all.filter((handler) => !unvisited.has(handler));
      const reads = handlers.filter(({ isLate }) => isLate)
        .flatMap(({ entry }) => [...entry.record.reads, ...entry.part?.keys ?? []]);
      const plan = reads.length === 0 ? undefined : this.#host.state.plan([...new Set(reads)]);
      point.compile(
        handlers.length === 0 ? undefined : new StageRun(handlers, this.#stageHost, plan),
      );
    }
    this.#counting = [...this.#points.values()].filter(({ info, isEmpty }) =>
      info.counter === "step" && !info.isEvent && !isEmpty
    );
    this.#host.options.worker?.changed();
  }

  /** Sets whether each firing is recorded, so that the engine can go back. Returns whether the setting has changed. */
  track(isTracked: boolean): boolean {
    const isNew = this.#isTracked !== isTracked;
    this.#isTracked = isTracked;
    return isNew;
  }

  /** Returns how many steps, counted from `step`, can run before a hook that counts steps is due. */
  horizon(step: number): number {
    let due = Infinity;
    // Empty stages are left out: an engine has ten, and asks before each visited step.
    for (let i = 0; i < this.#counting.length; i++) {
      due = Math.min(due, this.#counting[i]!.next(step));
    }
    return due - step;
  }

  /** Returns the kernels that the engine runs at a stage without a visit, in the order of execution. */
  work(stage: string): StageWork[] {
    const { info } = this.point(stage);
    return withoutVisit(this.#host.readyAt(info), info).map(({ entry }) => {
      const { record, name, part } = entry;
      const { frequency, phase } = timesAt(record, info);
      return { hook: record.hook, name, part, frequency, phase };
    });
  }

  /** Returns the fields that enabled hooks change at visits. Hooks whose kernels run without a visit are left out. */
  writesOf(entries: readonly Entry[]): ReadonlySet<string> {
    const isVisited = ({ info: { stage }, entry: { record } }: StageHandler) =>
      !this.work(stage).some(({ hook }) => hook === record.hook);
    const visited = entries.filter(({ enabled, handlers }) => enabled && handlers.some(isVisited));
    return new Set(visited.flatMap(({ record }) => record.writes));
  }

  /**
   * Starts the clocks of `everySeconds`. Called when a run begins, when a hook is added during a run, and after a
   * load.
   */
  startClocks(entries: readonly Entry[]): void {
    for (const { schedule, info } of entries.flatMap(({ handlers }) => handlers)) {
      schedule.start(this.#stageHost.count(info.counter));
    }
  }

  /** Calls the handlers with `atEnd` at all stages. */
  async fireEnd(): Promise<void> {
    for (const point of this.#points.values()) await point.fireEnd();
  }

  /**
   * Returns the members of the registry that a visit uses. Some are getters, because their values change during a
   * run.
   */
  #makeStageHost(): StageHost {
    const { options, state, errors, queue, answers } = this.#host, { workflow } = options;
    const isTracked = () => this.#isTracked;
    return {
      context: options.context,
      coming: options.coming && ((stage) => options.coming!(stage)),
      fields: state.fields,
      get step() {
        return workflow.stepCount;
      },
      count: (counter) => options.counts?.(counter) ?? workflow.stepCount,
      failed: (...args) => errors.failed(...args),
      answer: options.signal === undefined
        ? (_, answer) => answer
        : ({ entry, info }, answer) => answers.of(answer, pendingCall(entry, info.stage)),
      verify: options.verify === true
        ? verifying(state, ({ entry, info }, error) => errors.report(entry, info.stage, error))
        : undefined,
      defer: (values, deliver) => queue.push<FieldValues | undefined>(values, deliver),
      get soFar() {
        return queue.soFar;
      },
      get isCut() {
        return queue.isCut;
      },
      get isTracked() {
        return isTracked();
      },
    };
  }
}

/**
 * Returns the handlers of a stage whose kernels run without a visit. To keep the order of hooks, these are the
 * handlers before the first one that needs a visit. Kernels that run last (`isLast`) are always included.
 */
function withoutVisit(
  handlers: readonly StageHandler[],
  { counter, isEvent }: StageInfo,
): readonly StageHandler[] {
  if (counter !== "step" || isEvent) return [];
  const end = handlers.findIndex(({ entry: { record }, schedule }) =>
    !(isDeviceHook(record.hook) && !isHostWork(record.hook) && schedule.isPlain &&
      record.when === undefined)
  );
  if (end === -1) return handlers;
  return handlers.filter(({ entry }, i) => i < end || isLastWork(entry.record.hook));
}

/** Selects the hooks whose reads `readsOf` collects. */
export interface ReadsOf {
  /** Selects the hooks that run at this stage. By default, hooks of all stages. */
  readonly stage?: string | undefined;
  /** Selects the hooks that may be due at this count of the stage. By default, hooks due at any count. */
  readonly count?: number | undefined;
  /** Selects with `count` the hooks that may be due at any count from it to this one. */
  readonly last?: number | undefined;
  /** True if `stage` at `count` is the next visit, so that hooks whose `when` returns `false` can be left out. */
  readonly isNext: boolean;
}

/** Returns the fields that the selected enabled hooks read. */
export function readsOf(
  entries: readonly Entry[],
  { stage, count, last = count, isNext }: ReadsOf,
): ReadonlySet<string> {
  const mayFire = (handler: StageHandler) =>
    count === undefined || handler.info.isEvent ||
    (handler.dueFrom(count) <= last! && (!isNext || wants(handler, count)));
  const reading = entries.filter(({ enabled, handlers }) =>
    enabled &&
    (stage === undefined ||
      handlers.some((handler) => handler.info.stage === stage && mayFire(handler)))
  );
  return new Set(reading.flatMap(({ record }) => record.reads));
}

/**
 * Returns the answer of a handler's `when` for a count. Returns `true` if `when` throws, so that the visit reports
 * the error.
 */
function wants(handler: StageHandler, count: number): boolean {
  // The answer does not matter if the hook reads no field. `when` is then called only at the visit.
  if (handler.entry.record.reads.length === 0 || handler.isAskedLate) return true;
  try {
    return handler.isWantedAt(count);
  } catch {
    return true;
  }
}
