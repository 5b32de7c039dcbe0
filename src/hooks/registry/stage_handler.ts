/**
 * A registered hook, and its handler at one stage: its function, and its schedule.
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

/** A registered hook. */
export interface Entry {
  /** The hook in the form the registry works with. */
  readonly record: HookRecord;
  /** Name in its own registry. */
  readonly name: string;
  /** Band. */
  readonly order: Band;
  /** Names of hooks that it must run before. */
  readonly before: readonly string[];
  /** Names of hooks that it must run after. */
  readonly after: readonly string[];
  /** The error policy of its registration, if it has one. */
  readonly onError: ErrorPolicy | undefined;
  /** Handlers, one for each stage at which it runs. */
  readonly handlers: StageHandler[];
  /** True if it runs. */
  enabled: boolean;
  /** The part of the engine that it sees, if that is not the whole. */
  part: Part | undefined;
  /** Name among all hooks of the engine, those of parts included. */
  path: string;
  /** True if it has been opened in this run and not yet closed. */
  isOpen: boolean;
  /** Number of errors that it has thrown. */
  errors: number;
}

/** Describes a call of a hook that is waited for. A closing hook stores its state. */
export function pendingCall({ path, record: { hook } }: Entry, stage: string): PendingCall {
  return { hook: path, stage, isStoring: stage === "close" || hook.flush !== undefined };
}

/** The way in which a hook reaches the state of the engine. */
export interface Access {
  /** The context of the engine. */
  readonly shared: object;
  /** The fields of the hook's own contexts, if it reads or writes fields. */
  readonly own: PropertyDescriptorMap | undefined;
  /** The plan by which its fields are read; `undefined` if it reads none. */
  readonly plan: ReadPlan | undefined;
}

/** The arguments of a handler's calls. Replaced as a whole when the state of the engine moves. */
export interface Binding {
  /** The object to call. */
  readonly target: Target;
  /** The engine's context, or one derived from it with `read` and `write`. */
  readonly ctx: object;
  /** True if `ctx` is derived from the engine's context. */
  readonly hasOwnContext: boolean;
  /** The plan by which its fields are fetched; `undefined` if they need not be. */
  readonly plan: FetchPlan | undefined;
}

const NOT_ASKED = { at: -1, isWanted: true };

/** One hook at one stage. */
export class StageHandler {
  readonly entry: Entry;
  readonly info: StageInfo;
  /** The overload that was matched, as text. */
  readonly matched: string;
  readonly schedule: Schedule;
  readonly #handler: Target;
  /** The arguments of its calls now. */
  binding: Binding;
  /** The first count at which it may be due. */
  next = -1;
  /** Number of events at which its schedule was checked, at an event stage. */
  events = 0;
  /** Steps up to this count are run again after a failure; an observer has seen them already. */
  seen = -1;
  /** The count for which its condition was asked ahead, and the answer. */
  #asked = NOT_ASKED;

  /** Made when its hook is registered. */
  constructor(entry: Entry, info: StageInfo, bound: Bound, access: Access) {
    this.entry = entry;
    this.info = info;
    this.matched = bound.matched;
    this.#handler = bound.target;
    this.schedule = new Schedule(timesAt(entry.record, info), info.isEvent);
    this.binding = this.#bind(access);
  }

  /** Takes another access, after the state of the engine has moved. */
  rebind(access: Access): void {
    this.binding = this.#bind(access);
  }

  #bind({ shared, own, plan }: Access): Binding {
    const { part, record: { writes } } = this.entry, base = contextAt(shared, this.info);
    return {
      // What a hook of a part changes must be copied back to the whole after the call.
      target: part === undefined || writes.length === 0
        ? this.#handler
        : new PartTarget(this.#handler, part),
      ctx: own === undefined ? base : Object.create(base, own),
      hasOwnContext: own !== undefined,
      plan: plan?.live === false ? plan : undefined,
    };
  }

  /** True if its fields must be fetched before it is called. */
  get isDeferred(): boolean {
    return this.binding.plan !== undefined;
  }

  /** True if it is called later, once its fields have arrived, while the engine goes on. */
  get isLate(): boolean {
    return this.isDeferred && this.mayBeLate;
  }

  /** True if it may be called later. */
  get mayBeLate(): boolean {
    const { part, record } = this.entry;
    // With `once` it must be known at once whether the part had a share, or it would fire again.
    const mustKnow = part !== undefined && timesAt(record, this.info).once;
    return !this.isModifier && record.hook.sync !== true && !mustKnow;
  }

  /** True if it is called at every visit, with nothing to compare or ask. */
  get isAlways(): boolean {
    return this.entry.part === undefined && this.schedule.isAlways &&
      this.entry.record.when === undefined && !this.isDeferred &&
      this.seen < 0;
  }

  /** True if it changes state. Modifiers run before the observers of their stage. */
  get isModifier(): boolean {
    return this.entry.record.writes.length > 0;
  }

  /** True if it only observes, so that the results of a step do not depend on it. */
  get isObserver(): boolean {
    return this.info.role === "observe" && !this.isModifier;
  }

  /**
   * Returns whether it was called before the call at `count`; `last` is the count of its last recorded firing. Firings of
   * a handler that is always called are not recorded.
   */
  wasCalledBefore(count: number, last: number): boolean {
    const { startedAt } = this.schedule;
    return last >= 0 || startedAt < 0 || this.isAlways && count > startedAt;
  }

  /** Error policy. */
  get onError(): ErrorPolicy {
    return this.entry.onError ?? this.entry.record.onError ?? (this.isObserver ? "warn" : "throw");
  }

  /**
   * Asks its `when` with a context.
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

  /** Calls its `when` before the visit at a count; the visit then reuses the answer. */
  isWantedAt(count: number): boolean {
    if (this.#asked.at !== count) this.#asked = { at: count, isWanted: this.isWanted() };
    return this.#asked.isWanted;
  }

  /** True if its `when` is asked only once the share of its part is known. */
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

  /** Returns the first count from `count` on at which it may be due. */
  dueFrom(count: number): number {
    return this.schedule.next(Math.max(count, this.seen + 1));
  }

  /** Moves `next` up to a count that is not in the past. */
  advance(count: number): void {
    if (this.next < count) this.next = this.dueFrom(count);
  }

  /** Returns whether it is called at this count with this context. Asks its conditions and records a firing. */
  fires(count: number, step: number, ctx: object = this.binding.ctx): boolean {
    if (!this.hasShare(ctx)) return false;
    const at = this.info.isEvent ? this.events++ : count;
    this.advance(at);
    // An event may belong to another step than the engine's: an earlier one, or one within a multi-step call.
    const of = this.info.counter === "step" ? count : step;
    if (this.next !== at || !this.schedule.fires(at, of) || !this.#answer(at, ctx)) return false;
    this.schedule.fired(at);
    return true;
  }

  /** Returns whether its part has a share now. A hook of the whole always has. */
  hasShare(ctx: object = this.binding.ctx): boolean {
    const { part } = this.entry;
    return part === undefined || part.isPresent(this.info.stage, ctx);
  }

  /** Undoes that it was asked at an event, and the firing if it fired. */
  unask(): void {
    this.events--;
    this.unfire(this.events - 1);
  }

  /** Undoes the firing at a count if it is the last one, because its part had no share. */
  skip(at: number, previous: number): void {
    if (this.schedule.last === at) this.schedule.last = previous;
  }

  /** Undoes all firings after `previous`: they belong to steps that do not count. */
  unfire(previous: number): void {
    this.schedule.last = Math.min(this.schedule.last, previous);
  }

  /**
   * Goes back to where it last fired at `mark`, because the steps since then are run again. A modifier fires again in
   * them; an observer is called only for steps that it has not seen.
   */
  goBack(mark: number): void {
    if (this.info.isEvent) return;
    if (this.isObserver) this.seen = Math.max(this.seen, this.schedule.last);
    else this.schedule.last = Math.min(this.schedule.last, mark);
  }
}

/** Returns the schedule of a hook at a stage. */
export function timesAt(
  { schedule, stageTimes }: HookRecord,
  { name }: StageInfo,
): Required<ScheduleOptions> {
  return stageTimes.get(name) ?? schedule;
}

/** Describes a registered hook. */
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

/** Describes a handler as a step of a plan. */
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
