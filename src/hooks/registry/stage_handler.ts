/**
 * Registered hooks, and their handlers: the function and the schedule of a hook at one stage.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { ErrorPolicy } from "../protocol/outcome.ts";
import { Schedule, type ScheduleOptions } from "../protocol/schedule.ts";
import type { StageInfo } from "../protocol/stage.ts";
import { type Bound, PartTarget, type Target } from "../protocol/target.ts";
import type { Part } from "../protocol/part.ts";
import type { PendingCall } from "../run/answer_watch.ts";
import { contextAt, type FetchPlan, type ReadPlan } from "../run/reads.ts";
import type { Band } from "./add_options.ts";
import type { HookRecord } from "./record.ts";
import type { HookListing, PlanStep } from "./listing.ts";

/** A registered hook: its record, its options, and its state in the run. */
export interface Entry {
  /** The hook in the uniform form that the registry uses. */
  readonly record: HookRecord;
  /** Name of the hook in the registry that it was added to. */
  readonly name: string;
  /** Band in which the hook was registered. */
  readonly order: Band;
  /** Names of hooks that must run after this hook. */
  readonly before: readonly string[];
  /** Names of hooks that must run before this hook. */
  readonly after: readonly string[];
  /** The error policy given at registration; `undefined` to use the policy of the hook. */
  readonly onError: ErrorPolicy | undefined;
  /** The handlers of the hook, one for each of its stages. */
  readonly handlers: StageHandler[];
  /** True if the hook is enabled. */
  enabled: boolean;
  /** The part of the engine that the hook sees; `undefined` for the whole engine. */
  part: Part | undefined;
  /** Name of the hook at the root of the engine: `part/name` for a hook of a part. */
  path: string;
  /** True if the hook has been opened in this run and not yet closed. */
  isOpen: boolean;
  /** Number of errors that the hook has thrown. */
  errors: number;
}

/**
 * Describes an asynchronous call of a hook, from which `AnswerWatch` chooses the time limit after an abort. Calls of
 * hooks with `flush`, and all calls of `close`, count as storing data.
 */
export function pendingCall({ path, record: { hook } }: Entry, stage: string): PendingCall {
  return { hook: path, stage, isStoring: stage === "close" || hook.flush !== undefined };
}

/** The objects through which a hook reaches the state of the engine. */
export interface Access {
  /** The context of the engine, shared by all hooks. */
  readonly shared: object;
  /**
   * Properties that the context of the hook has besides those of the engine's context, such as `read` and `write`;
   * `undefined` if the hook reads and writes no field and belongs to no part.
   */
  readonly own: PropertyDescriptorMap | undefined;
  /** The plan for reading the fields of the hook; `undefined` if there are no fields to read. */
  readonly plan: ReadPlan | undefined;
}

/** The target and the context of a handler's calls. The whole object is replaced when the state of the engine moves. */
export interface Binding {
  /** The object whose method `call` runs the handler. */
  readonly target: Target;
  /** The engine's context at the stage, or a context derived from it with the hook's own `read` and `write`. */
  readonly ctx: object;
  /** True if `ctx` is derived from the engine's context. */
  readonly hasOwnContext: boolean;
  /** The plan by which the fields are fetched from a device; `undefined` if they are in host memory. */
  readonly plan: FetchPlan | undefined;
}

const NOT_ASKED = { at: -1, isWanted: true };

/** The handler of one hook at one stage, with its schedule. */
export class StageHandler {
  readonly entry: Entry;
  readonly info: StageInfo;
  /** Text that names the matched overload, for listings. */
  readonly matched: string;
  readonly schedule: Schedule;
  readonly #handler: Target;
  /** The target and the context of the handler's calls. */
  binding: Binding;
  /** The first count at which the handler may be due; -1 if it must be computed. */
  next = -1;
  /** Number of events at which the schedule was checked. Only used at event stages. */
  events = 0;
  /**
   * The last count that the observer has seen before the engine went back; -1 if the engine did not go back. The
   * observer is not called again at counts up to this one.
   */
  seen = -1;
  /** The answer of `when` that `isWantedAt` requested in advance, and its count. */
  #asked = NOT_ASKED;

  /** Creates the handler that `bound` describes. The registry calls this when the hook is registered. */
  constructor(entry: Entry, info: StageInfo, bound: Bound, access: Access) {
    this.entry = entry;
    this.info = info;
    this.matched = bound.matched;
    this.#handler = bound.target;
    this.schedule = new Schedule(timesAt(entry.record, info), info.isEvent);
    this.binding = this.#bind(access);
  }

  /** Sets how the hook reaches the state, after the state has moved to or from a device. */
  rebind(access: Access): void {
    this.binding = this.#bind(access);
  }

  #bind({ shared, own, plan }: Access): Binding {
    const { part, record: { writes } } = this.entry, base = contextAt(shared, this.info);
    return {
      // Changes that a hook makes to its part must be copied back to the whole after the call.
      target: part === undefined || writes.length === 0
        ? this.#handler
        : new PartTarget(this.#handler, part),
      ctx: own === undefined ? base : Object.create(base, own),
      hasOwnContext: own !== undefined,
      plan: plan?.live === false ? plan : undefined,
    };
  }

  /** True if the fields must be fetched before each call. */
  get isDeferred(): boolean {
    return this.binding.plan !== undefined;
  }

  /** True if the engine continues while the fields are fetched, so that the handler is called in a later step. */
  get isLate(): boolean {
    return this.isDeferred && this.mayBeLate;
  }

  /** True if the handler may be called in a later step, because it only observes and the hook does not set `sync`. */
  get mayBeLate(): boolean {
    const { part, record } = this.entry;
    // With `once`, the only firing must be undone before the next visit if the part has no system.
    const mustKnow = part !== undefined && timesAt(record, this.info).once;
    return !this.isModifier && record.hook.sync !== true && !mustKnow;
  }

  /** True if the handler is called at every visit, so that no schedule or condition need be checked. */
  get isAlways(): boolean {
    return this.entry.part === undefined && this.schedule.isAlways &&
      this.entry.record.when === undefined && !this.isDeferred &&
      this.seen < 0;
  }

  /** True if the hook declares `writes`. Modifiers run before the observers of their stage. */
  get isModifier(): boolean {
    return this.entry.record.writes.length > 0;
  }

  /** True if the handler only observes, so that it cannot affect the results of a step. */
  get isObserver(): boolean {
    return this.info.role === "observe" && !this.isModifier;
  }

  /**
   * Returns whether the handler was called before its call at `count`. `last` is the count of its last recorded
   * firing before that call. Firings of a handler that runs at every visit are not recorded.
   */
  wasCalledBefore(count: number, last: number): boolean {
    const { startedAt } = this.schedule;
    return last >= 0 || startedAt < 0 || this.isAlways && count > startedAt;
  }

  /**
   * Error policy given at registration, or else declared by the hook, or else "warn" for observers and "throw" for
   * other handlers.
   */
  get onError(): ErrorPolicy {
    return this.entry.onError ?? this.entry.record.onError ?? (this.isObserver ? "warn" : "throw");
  }

  /**
   * Returns the answer of the hook's `when` for a context; `true` if the hook has no `when`.
   *
   * @throws {TypeError} if `when` returns anything but a boolean
   */
  isWanted(ctx: object = this.binding.ctx): boolean {
    const { when, hook, label } = this.entry.record;
    if (when === undefined) return true;
    const answer: unknown = when.call(hook, ctx);
    if (typeof answer === "boolean") return answer;
    throw new TypeError(
      `Cannot schedule hook ${label}: its \`when\` must return true or false; got ${show(answer)}`,
    );
  }

  /** Calls the hook's `when` in advance of the visit at `count`, and returns its answer, which the visit reuses. */
  isWantedAt(count: number): boolean {
    if (this.#asked.at !== count) this.#asked = { at: count, isWanted: this.isWanted() };
    return this.#asked.isWanted;
  }

  /** True if `when` can be called only after a fetch, which determines the systems of the hook's part. */
  get isAskedLate(): boolean {
    return this.entry.part !== undefined && this.isDeferred;
  }

  #answer(at: number, ctx: object): boolean {
    if (this.isAskedLate) return true;
    if (this.#asked.at !== at) return this.isWanted(ctx);
    const { isWanted } = this.#asked;
    this.#asked = NOT_ASKED;
    return isWanted;
  }

  /** Returns the first count, not below `count`, at which the handler may be due. */
  dueFrom(count: number): number {
    return this.schedule.next(Math.max(count, this.seen + 1));
  }

  /** Recomputes `next` if it is below `count`. */
  advance(count: number): void {
    if (this.next < count) this.next = this.dueFrom(count);
  }

  /**
   * Returns whether the handler is to be called at `count` with this context, by its schedule and its `when`. If so,
   * records a firing.
   */
  fires(count: number, step: number, ctx: object = this.binding.ctx): boolean {
    if (!this.hasShare(ctx)) return false;
    const at = this.info.isEvent ? this.events++ : count;
    this.advance(at);
    // The step of an event may differ from the engine's: it may be earlier, or lie within a multi-step call.
    const of = this.info.counter === "step" ? count : step;
    if (this.next !== at || !this.schedule.fires(at, of) || !this.#answer(at, ctx)) return false;
    this.schedule.fired(at);
    return true;
  }

  /** Returns whether the hook's part has any system now; `true` for a hook of the whole engine. */
  hasShare(ctx: object = this.binding.ctx): boolean {
    const { part } = this.entry;
    return part === undefined || part.isPresent(this.info.stage, ctx);
  }

  /** Undoes the last `fires` at an event stage. */
  unask(): void {
    this.events--;
    this.unfire(this.events - 1);
  }

  /**
   * Undoes the firing at the count `at`, because the hook's part had no system, unless a later firing was recorded.
   * `previous` is the count of the firing before it.
   */
  skip(at: number, previous: number): void {
    if (this.schedule.last === at) this.schedule.last = previous;
  }

  /** Undoes all firings after the count `previous`, because their steps do not count. */
  unfire(previous: number): void {
    this.schedule.last = Math.min(this.schedule.last, previous);
  }

  /**
   * Takes the handler back to its last firing at the count `mark`, because the steps since then are run again. A
   * modifier fires in them again. An observer is called only at counts that it has not seen.
   */
  goBack(mark: number): void {
    if (this.info.isEvent) return;
    if (this.isObserver) this.seen = Math.max(this.seen, this.schedule.last);
    else this.schedule.last = Math.min(this.schedule.last, mark);
  }
}

/** Returns the schedule of a hook at a stage: the entry of `stageTimes`, or else `schedule`. */
export function timesAt(
  { schedule, stageTimes }: HookRecord,
  { name }: StageInfo,
): Required<ScheduleOptions> {
  return stageTimes.get(name) ?? schedule;
}

/** Returns the listing of a registered hook. `order` is its position in the order of execution. */
export function listEntry(
  entry: Entry,
  order: number,
  name: string = entry.name,
): HookListing {
  const { record, handlers } = entry;
  return {
    name,
    enabled: entry.enabled,
    stages: handlers.map(({ info }) => info.stage),
    frequency: record.schedule.frequency,
    order,
    band: entry.order,
    overloads: Object.fromEntries(handlers.map(({ info, matched }) => [info.stage, matched])),
    isFallback: handlers.length > 0 && handlers.every(({ matched }) => matched === "otherwise"),
    reads: record.reads,
    writes: record.writes,
    errors: entry.errors,
  };
}

/** Returns the description of a handler in a plan. `hook` is the name to show. */
export function planStep(
  { entry, info, matched }: StageHandler,
  hook: string = entry.name,
): PlanStep {
  return { hook, matched, when: describeSchedule(entry, info), enabled: entry.enabled };
}

function describeSchedule({ record }: Entry, info: StageInfo): string {
  const { counter, isEvent } = info, { when } = record;
  const { frequency, eventFrequency, phase, once, after, until, everySeconds, atEnd, sample } =
    timesAt(record, info);
  const n = isEvent ? eventFrequency : frequency;
  const unit = isEvent ? "event" : counter;
  return [
    n === 1 ? `every ${unit}` : `every ${n} ${unit}s`,
    !isEvent && phase > 0 && `phase ${phase}`,
    after > 0 && `from ${after}`,
    until < Infinity && `until ${until}`,
    once && "once",
    everySeconds > 0 && `at most every ${everySeconds} s`,
    sample < 1 && `sampled ${sample}`,
    when !== undefined && "conditional",
    !isEvent && atEnd && "at end",
  ].filter((part) => typeof part === "string").join(", ");
}
