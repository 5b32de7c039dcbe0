/**
 * A registered hook, and its place at one stage.
 *
 * @module
 */

import type { ErrorPolicy } from "./outcome.ts";
import type { HookRecord } from "./record.ts";
import { show } from "./show.ts";
import type { StageInfo } from "./stage.ts";
import type { Bound, Target } from "./target.ts";
import { Schedule } from "./schedule.ts";

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
  /** Opened in this run and not yet closed. */
  isOpen: boolean;
  /** How often it has thrown. */
  errors: number;
}

/** One hook at one stage. */
export class Place {
  readonly entry: Entry;
  readonly info: StageInfo;
  readonly target: Target;
  readonly matched: string;
  readonly schedule: Schedule;
  /** What its handler is given: the engine's context, or one derived from it with `read` and `write`. */
  readonly ctx: object;
  /** Is that one derived from the engine's? */
  readonly hasOwnContext: boolean;
  /** Must its reads be fetched, so that it is called later? */
  readonly isDeferred: boolean;
  /** The first count at which it may be due. */
  next = -1;
  /** How many events it was asked about, at an event stage. */
  events = 0;

  /** `own`: a context derived from the engine's `shared` one, if the hook reads or writes. */
  constructor(
    entry: Entry,
    info: StageInfo,
    bound: Bound,
    contexts: { shared: object; own: object | undefined },
    isDeferred: boolean,
  ) {
    this.entry = entry;
    this.info = info;
    this.target = bound.target;
    this.matched = bound.matched;
    this.ctx = contexts.own ?? contexts.shared;
    this.hasOwnContext = contexts.own !== undefined;
    this.isDeferred = isDeferred;
    this.schedule = new Schedule(entry.record.schedule, info.isEvent);
  }

  /** Is it called at every visit, with nothing to compare or ask? */
  get isAlways(): boolean {
    return this.schedule.isAlways && this.entry.record.when === undefined && !this.isDeferred;
  }

  /** Does it change state? Modifiers run before the observers of their stage. */
  get isModifier(): boolean {
    return this.entry.record.writes.length > 0;
  }

  /** What happens when its handler throws. */
  get onError(): ErrorPolicy {
    const isObserver = this.info.role === "observe" && !this.isModifier;
    return this.entry.onError ?? this.entry.record.onError ?? (isObserver ? "warn" : "throw");
  }

  /** What its own condition says now. Throws a TypeError when it does not answer. */
  get isWanted(): boolean {
    const { when, hook, label } = this.entry.record;
    if (when === undefined) return true;
    const answer: unknown = when.call(hook, this.ctx);
    if (typeof answer === "boolean") return answer;
    throw new TypeError(
      `Cannot ask hook ${label} when to run as its \`when\` must answer true or false: current value is ${
        show(answer)
      }`,
    );
  }

  /** Moves `next` up to a count that is not in the past. */
  advance(count: number): void {
    if (this.next < count) this.next = this.schedule.next(count);
  }

  /** Is it called at this count? Asks its conditions, and remembers a firing. */
  fires(count: number, step: number): boolean {
    const at = this.info.isEvent ? this.events++ : count;
    this.advance(at);
    if (this.next !== at || !this.schedule.fires(at, step) || !this.isWanted) return false;
    this.schedule.last = at;
    return true;
  }
}
