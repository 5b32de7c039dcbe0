/**
 * A compiled stage of an engine. If no hook is due, firing it costs one comparison.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import { lift, type Target } from "../protocol/target.ts";
import { gate, pipe, replace } from "./roles.ts";
import { contextAt } from "./reads.ts";
import { type Runner, RUNNERS } from "./runners.gen.ts";
import type { StageHost } from "./stage_host.ts";
import { StageRun } from "./stage_run.ts";
import type { StageInfo } from "../protocol/stage.ts";

// A count that runs practically never reach. It is a small integer, so that V8 compares it without reading the heap.
// Larger counts stay correct, but cost a visit that finds no hook due.
const NEVER = 2 ** 30 - 1;

// Number of the next copy of the unrolled runners, over all engines, so that few stages share a copy.
let nextText = 0;

/**
 * One stage of one engine. The engine keeps it in a field and calls `fire`, or `pipe`, `gate` or `replace` for other
 * roles.
 */
export interface StagePoint {
  /** The names, role and counter of the stage. */
  readonly info: StageInfo;
  /** True if the stage has no hooks that are enabled. */
  readonly isEmpty: boolean;
  /**
   * Calls the due hooks of an observe stage; `count` is the value of the stage's counter. If no hook is due, this
   * costs one comparison. Returns a promise only if a hook returned one.
   */
  fire(count: number): PromiseLike<void> | undefined;
  /**
   * Calls the due hooks of an event stage after the engine has moved on. Hooks find the fields of `event` in their
   * context, and read the current state. If `mustWait` is true, the engine must not move on before it knows whether
   * the event happened.
   */
  fireLate(count: number, event: object, options?: LateOptions): PromiseLike<void>;
  /** True if hooks of parts run at this stage. */
  readonly hasParts: boolean;
  /** True if the stage has modifiers or hooks with `sync`. */
  readonly mustWait: boolean;
  /** Returns the first count, not below `from`, at which a hook may be due; `Infinity` if there is none. */
  next(from: number): number;
  /** Calls only the modifiers that are due at a count. Does not record that they fired. */
  modify(count: number): PromiseLike<void>;
  /** Passes a value through the due hooks; each receives the result of the previous one. Returns the last result. */
  pipe<V>(value: V, count: number): V | PromiseLike<V>;
  /**
   * Asks the due hooks whether to proceed. Returns `false` if any of them vetoes. All are asked, and each sees in
   * `skipping` whether an earlier one vetoed.
   */
  gate(count: number): boolean | PromiseLike<boolean>;
  /** Runs the hook that claimed this stage, if it is due, otherwise `otherwise`. Returns the result. */
  replace<V>(otherwise: () => V | PromiseLike<V>, count: number): V | PromiseLike<V>;
}

/** Options of `fireLate`. */
export interface LateOptions {
  /**
   * True to call only hooks of parts, because for the whole engine the event did not happen.
   *
   * @default false
   */
  readonly isOfParts?: boolean;
}

/** Base class of the compiled stages. It has everything except `fire`. */
export abstract class EnginePoint implements StagePoint {
  readonly info: StageInfo;
  /** The members of the registry that a visit uses. */
  readonly host: StageHost;
  /** The context that the stage's handlers receive. */
  protected ctx: object;
  /** The first count at which a hook may be due. */
  protected due: number = NEVER;
  /** Calls the due handlers; `null` if the stage has no handlers. */
  protected runner: Runner | null = null;
  #run: StageRun | undefined;
  #text: number | undefined;

  /** Creates a stage without handlers. Only the registry calls this. */
  constructor(info: StageInfo, host: StageHost) {
    this.info = info;
    this.host = host;
    this.ctx = host.context;
  }

  get isEmpty(): boolean {
    return this.#run === undefined;
  }

  /**
   * Fires the stage. The method is written out in each class of points.gen.ts, because V8 collects type feedback per
   * function text: a single `fire` for all stages would see every runner and inline none of them.
   */
  abstract fire(count: number): PromiseLike<void> | undefined;

  pipe<V>(value: V, count: number): V | PromiseLike<V> {
    const run = this.#dueRun(count);
    return run === undefined ? value : pipe(run, value, count) as V | PromiseLike<V>;
  }

  async modify(count: number): Promise<void> {
    for (const handler of this.#run?.handlers ?? []) {
      if (!handler.isModifier || handler.schedule.next(count) !== count) continue;
      if (!handler.hasShare() || !handler.isWanted()) continue;
      await this.#run!.call(handler);
    }
  }

  gate(count: number): boolean | PromiseLike<boolean> {
    const run = this.#dueRun(count);
    return run === undefined ? true : gate(run, count);
  }

  replace<V>(otherwise: () => V | PromiseLike<V>, count: number): V | PromiseLike<V> {
    const run = this.#dueRun(count);
    return run === undefined ? otherwise() : replace(run, otherwise, count);
  }

  /**
   * Returns the run of a pipe, gate or replace stage if one of its handlers may be due at a count, otherwise
   * `undefined`. Costs one comparison if no handler is due.
   */
  #dueRun(count: number): StageRun | undefined {
    if (this.#run === undefined || count < this.due) return undefined;
    if (this.info.isEvent) return this.#run;
    this.due = firstDue(this.#run.handlers, count);
    return this.due > count ? undefined : this.#run;
  }

  /** Sets the handlers of the stage. A visit in progress continues with its previous handlers. */
  compile(run: StageRun | undefined): void {
    for (const handler of run?.handlers ?? []) handler.next = -1; // -1: to be computed again, because schedules may have changed
    if (run !== undefined) this.ctx = contextAt(this.host.context, this.info);
    this.#run = run;
    this.due = run === undefined ? NEVER : 0;
    this.runner = run === undefined ? null : this.#unrolled(run) ?? this.#scheduled(run);
  }

  async fireLate(
    count: number,
    event: object,
    { isOfParts = false }: LateOptions = {},
  ): Promise<void> {
    await this.#run?.fireLate(count, event, isOfParts);
  }

  get hasParts(): boolean {
    return this.#run?.handlers.some(({ entry }) => entry.part !== undefined) ?? false;
  }

  get mustWait(): boolean {
    return this.#run?.handlers.some(({ isModifier, entry }) =>
      isModifier || entry.record.hook.sync === true
    ) ?? false;
  }

  /**
   * Returns a runner for handlers that are all due at every visit, without checks of schedules or conditions;
   * `undefined` if not all of them are, if there are too many, or if firings must be recorded, verified or deferred.
   * Its text is one of the copies in runners.gen.ts: each copy has its own call sites, at which V8 can inline the
   * handlers.
   */
  #unrolled(run: StageRun): Runner | undefined {
    const texts = RUNNERS[run.handlers.length - 1];
    if (texts === undefined) return undefined;
    const { verify, isTracked, coming } = this.host;
    const isPlain = verify === undefined && !isTracked && coming === undefined &&
      run.handlers.every((handler) => handler.isAlways);
    if (!isPlain) return undefined;
    this.#text ??= nextText++;
    return texts[this.#text % texts.length]!(run.handlers.map(targetOf), this.info.stage, run);
  }

  #scheduled(run: StageRun): Runner {
    if (this.info.isEvent) return (_ctx, count) => run.observe(0, count);
    // A hook that is rarely due must not slow down the hooks that are due at every step.
    const always = this.#unrolledPart(run);
    if (always === undefined) return (_ctx, count) => this.#visit(run, count);
    const rest = run.handlers.filter((handler) => !handler.isAlways);
    // Until a scheduled handler is due, the handlers that are always due run unrolled.
    let due = 0;
    return (ctx, count) => {
      if (count >= due) due = firstDue(rest, count);
      return due > count ? always(ctx, count) : run.observe(0, count);
    };
  }

  /**
   * Returns an unrolled runner for those handlers that are due at every visit; `undefined` if there are no such
   * handlers, or `#unrolled` returns no runner for them.
   */
  #unrolledPart(run: StageRun): Runner | undefined {
    const always: StageHandler[] = [];
    for (const handler of run.handlers) {
      if (!handler.isAlways) continue;
      always.push(handler);
      if (always.length > RUNNERS.length) return undefined; // no runner takes more handlers
    }
    return always.length === 0
      ? undefined
      : this.#unrolled(new StageRun(always, this.host, undefined));
  }

  /** Calls the handlers with `atEnd` after the last step, unless they already fired at the last count. */
  async fireEnd(): Promise<void> {
    if (this.info.isEvent || this.info.role !== "observe") return;
    await this.#run?.fireEnd(this.host.count(this.info.counter) - 1);
  }

  /** See {@linkcode StagePoint.next}. */
  next(from: number): number {
    if (this.info.isEvent || this.#run === undefined) return Infinity;
    if (this.due > from && this.due < NEVER) return this.due;
    const { handlers } = this.#run;
    // A loop makes no garbage. It runs twice per visited step of an engine.
    let least = Infinity;
    for (let i = 0; i < handlers.length; i++) {
      const handler = handlers[i]!;
      least = Math.min(least, handler.next >= from ? handler.next : handler.dueFrom(from));
    }
    return least;
  }

  #visit(run: StageRun, count: number): PromiseLike<void> | undefined {
    const due = firstDue(run.handlers, count);
    // A stage may be visited again at this count, so it stays due until the count has moved on.
    this.due = due;
    return due > count ? undefined : run.observe(0, count);
  }
}

/**
 * Moves `next` of each handler to the first count, not below `count`, at which it may be due. Returns the smallest of
 * them.
 */
function firstDue(handlers: readonly StageHandler[], count: number): number {
  let due = NEVER;
  for (let i = 0; i < handlers.length; i++) {
    const handler = handlers[i]!;
    handler.advance(count);
    if (handler.next < due) due = handler.next;
  }
  return due;
}

// A handler with its own context gets that context, instead of the one that the runner passes.
function targetOf({ binding: { target, ctx, hasOwnContext } }: StageHandler): Target {
  return hasOwnContext ? lift((_ctx: unknown, stage: string) => target.call(ctx, stage)) : target;
}
