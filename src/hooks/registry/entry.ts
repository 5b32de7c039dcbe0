/**
 * A registered hook, and its place at one stage.
 *
 * @module
 */

import type { ErrorPolicy } from "../protocol/outcome.ts";
import { type Part, PartTarget } from "../protocol/part.ts";
import type { FetchPlan, ReadPlan } from "../run/reads.ts";
import type { HookRecord } from "./record.ts";
import { show } from "../../base/show.ts";
import type { StageInfo } from "../protocol/stage.ts";
import type { Bound, Target } from "../protocol/target.ts";
import { Schedule, type ScheduleOptions } from "../protocol/schedule.ts";

/** Where a hook stands among those of its stage, before `before` and `after` are looked at. */
export type Band = "first" | "normal" | "last";

/** The bands, in order. */
export const BANDS: readonly Band[] = ["first", "normal", "last"];

/** How a hook is registered. */
export interface AddOptions {
  /**
   * Its name; the same explicit name twice is an error.
   *
   * @default the hook's own name, else its class's, numbered when repeated
   */
  readonly name?: string;
  /**
   * Its band; within a band registration order holds.
   *
   * @default "normal"
   */
  readonly order?: Band;
  /** Names of hooks that it must run before. */
  readonly before?: string | readonly string[];
  /** Names of hooks that it must run after. */
  readonly after?: string | readonly string[];
  /**
   * What happens when it throws; stronger than the hook's own.
   *
   * @default the hook's own policy, else "warn" for observers, "throw" for all others
   */
  readonly onError?: ErrorPolicy;
  /**
   * Whether it runs.
   *
   * @default true
   */
  readonly enabled?: boolean;
}

/** A registered hook. */
export interface Entry {
  readonly record: HookRecord;
  readonly name: string;
  readonly order: Band;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly onError: ErrorPolicy | undefined;
  readonly places: Place[];
  enabled: boolean;
  /** What it sees of the engine, where that is not all. */
  part: Part | undefined;
  /** Its name among all hooks of the engine. */
  path: string;
  /** Opened in this run and not yet closed. */
  isOpen: boolean;
  /** How often it has thrown. */
  errors: number;
}

/** How a hook gets at the engine's state. */
export interface Access {
  /** The engine's context. */
  readonly shared: object;
  /** One derived from it, if the hook reads or writes. */
  readonly own: object | undefined;
  /** How its fields are read, if it is called with some. */
  readonly plan: ReadPlan | undefined;
}

const NOT_ASKED = { at: -1, isWanted: true };

/** One hook at one stage. */
export class Place {
  readonly entry: Entry;
  readonly info: StageInfo;
  readonly matched: string;
  readonly schedule: Schedule;
  /** What its handler is given: the engine's context, or one derived from it with `read` and `write`. */
  ctx: object;
  /** Is that one derived from the engine's? */
  hasOwnContext: boolean;
  /** How what it reads or writes is fetched; `undefined` where it need not be. */
  plan: FetchPlan | undefined;
  /** What is called. */
  target: Target;
  readonly #handler: Target;
  /** The first count at which it may be due. */
  next = -1;
  /** How many events it was asked about, at an event stage. */
  events = 0;

  /** The count at which it fired before it last did; -1 if it had not. */
  before = -1;
  /** Up to this count it has seen what is done again. */
  seen = -1;
  /** The count for which its condition was asked ahead, and what it said. */
  #asked = NOT_ASKED;

  /** Made when its hook is registered. */
  constructor(entry: Entry, info: StageInfo, bound: Bound, access: Access) {
    this.entry = entry;
    this.info = info;
    this.#handler = bound.target;
    this.target = this.#targetOf(entry);
    this.matched = bound.matched;
    this.schedule = new Schedule(timesAt(entry.record, info), info.isEvent);
    this.ctx = access.own ?? access.shared;
    this.hasOwnContext = access.own !== undefined;
    this.plan = access.plan?.live === false ? access.plan : undefined;
  }

  /** Takes another access, as the engine's state has moved. */
  rebind({ shared, own, plan }: Access): void {
    this.ctx = own ?? shared;
    this.hasOwnContext = own !== undefined;
    this.plan = plan?.live === false ? plan : undefined;
    this.target = this.#targetOf(this.entry);
  }

  /** What a part has changed is to be put where it belongs. */
  #targetOf({ part, record: { writes } }: Entry): Target {
    if (part === undefined || writes.length === 0) return this.#handler;
    return new PartTarget(this.#handler, part);
  }

  /** Must what it reads or writes be fetched? */
  get isDeferred(): boolean {
    return this.plan !== undefined;
  }

  /** Is it called later, when its reads have come, with nobody waiting? */
  get isLate(): boolean {
    return this.isDeferred && this.mayBeLate;
  }

  /** May it be called later? */
  get mayBeLate(): boolean {
    const { part, record } = this.entry;
    // Who fires once must know at once whether there was anything for it.
    const mustKnow = part !== undefined && timesAt(record, this.info).once;
    return !this.isModifier && record.hook.sync !== true && !mustKnow;
  }

  /** Is it called at every visit, with nothing to compare or ask? */
  get isAlways(): boolean {
    return this.entry.part === undefined && this.schedule.isAlways &&
      this.entry.record.when === undefined && !this.isDeferred &&
      this.seen < 0;
  }

  /** Does it change state? Modifiers run before the observers of their stage. */
  get isModifier(): boolean {
    return this.entry.record.writes.length > 0;
  }

  /** What happens when its handler throws. */
  get onError(): ErrorPolicy {
    return this.entry.onError ?? this.entry.record.onError ?? (this.isObserver ? "warn" : "throw");
  }

  /** What its own condition says of a context. Throws a TypeError when it does not answer. */
  isWanted(ctx: object = this.ctx): boolean {
    const { when, hook, label } = this.entry.record;
    if (when === undefined) return true;
    const answer: unknown = when.call(hook, ctx);
    if (typeof answer === "boolean") return answer;
    throw new TypeError(
      `Cannot ask hook ${label} when to run as its \`when\` must answer true or false: current value is ${
        show(answer)
      }`,
    );
  }

  /** The same ahead of the visit at a count, where it is not asked once more. */
  isWantedAt(count: number): boolean {
    if (this.#asked.at !== count) this.#asked = { at: count, isWanted: this.isWanted() };
    return this.#asked.isWanted;
  }

  /** Is its condition asked only when it is known what of the state is its own? */
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

  /** Does it only look on? What steps come to depends on no such hook. */
  get isObserver(): boolean {
    return this.info.role === "observe" && !this.isModifier;
  }

  /** The first count from `count` on at which it may be due. */
  dueFrom(count: number): number {
    return this.schedule.next(Math.max(count, this.seen + 1));
  }

  /** Moves `next` up to a count that is not in the past. */
  advance(count: number): void {
    if (this.next < count) this.next = this.dueFrom(count);
  }

  /** Is it called at this count, with this context? Asks its conditions, and remembers a firing. */
  fires(count: number, step: number, ctx: object = this.ctx): boolean {
    if (!this.hasShare(ctx)) return false;
    const at = this.info.isEvent ? this.events++ : count;
    this.advance(at);
    // An event may be of another step than the one that the engine is at: before it, or in the middle of a leap.
    const of = this.info.counter === "step" ? count : step;
    if (this.next !== at || !this.schedule.fires(at, of) || !this.#answer(at, ctx)) return false;
    this.before = this.schedule.last;
    this.schedule.last = at;
    return true;
  }

  /** Is there anything for it? Nothing is, where its part has nothing now. */
  hasShare(ctx: object = this.ctx): boolean {
    const { part } = this.entry;
    return part === undefined || part.isPresent(this.info.stage, ctx);
  }

  /** Takes back that it was asked at an event, and fired if it did. */
  unask(): void {
    this.events--;
    this.unfire(this.events - 1);
  }

  /** Takes back a firing at a count, if none has come after it: there was nothing for it. */
  skip(at: number, before: number): void {
    if (this.schedule.last === at) this.schedule.last = before;
  }

  /** Takes back a firing before which it had last fired at `before`: it has turned out to be of no step. */
  unfire(before: number): void {
    this.schedule.last = Math.min(this.schedule.last, before);
  }
}

/** When a hook is due at a stage. */
export function timesAt(
  { schedule, stageTimes }: HookRecord,
  { name }: StageInfo,
): Required<ScheduleOptions> {
  return stageTimes.get(name) ?? schedule;
}
