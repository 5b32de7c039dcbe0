/**
 * A stage of an engine, compiled so that reaching it costs one comparison if no hook is due.
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

// Later than any count that matters. It is a small integer, so that V8 compares it without reading the heap. A count
// beyond it costs a visit that finds nothing due.
const NEVER = 2 ** 30 - 1;

// Numbers the copies of the unrolled runners, over all engines, so that few stages share one.
let nextText = 0;

/** One stage of one engine. Engines keep it in a field and call `fire` (or `pipe`, `gate`, `replace`). */
export interface StagePoint {
  /** The stage and its kind. */
  readonly info: StageInfo;
  /** True if it has no hooks. */
  readonly isEmpty: boolean;
  /**
   * Visits an observe stage at a count of its counter. Costs one comparison if nothing is due; returns a promise only
   * if a hook did.
   */
  fire(count: number): PromiseLike<void> | undefined;
  /**
   * Visits an event stage later than the event happened: hooks find `event` in their context, and the state as it is
   * now. If `mustWait`, that is too late: the engine must wait until it knows whether there is an event.
   */
  fireLate(count: number, event: object, options?: LateOptions): PromiseLike<void>;
  /** True if it has hooks of parts. */
  readonly hasParts: boolean;
  /** True if it has modifiers, or hooks with `sync`. */
  readonly mustWait: boolean;
  /** Returns the first count from `from` on at which a hook may be due; `Infinity` if no hook is. */
  next(from: number): number;
  /** Calls only the modifiers that are due at a count, without recording that they fired. */
  modify(count: number): PromiseLike<void>;
  /** Pipes a value through the hooks that are due; each gets the result of the one before. */
  pipe<V>(value: V, count: number): V | PromiseLike<V>;
  /** Asks the gates that are due; returns `true` to go on. All are asked, and each sees whether an earlier one vetoed. */
  gate(count: number): boolean | PromiseLike<boolean>;
  /** Lets the claimant do the work if it is due; otherwise `otherwise` does it. */
  replace<V>(otherwise: () => V | PromiseLike<V>, count: number): V | PromiseLike<V>;
}

/** Options of an event that is reported late. */
export interface LateOptions {
  /**
   * True to call only hooks of parts, because the event did not happen for the whole engine.
   *
   * @default false
   */
  readonly isOfParts?: boolean;
}

/** Base of the compiled stages: everything but `fire`, and the members that the registry needs. */
export abstract class EnginePoint implements StagePoint {
  readonly info: StageInfo;
  /** The registry. */
  readonly host: StageHost;
  /** The context of the stage, once it has hooks. */
  protected ctx: object;
  /** The first count at which a hook may be due. */
  protected due: number = NEVER;
  /** Calls the handlers that are due; `null` if no handler is. */
  protected runner: Runner | null = null;
  #run: StageRun | undefined;
  #text: number | undefined;

  /** Made by the registry. */
  constructor(info: StageInfo, host: StageHost) {
    this.info = info;
    this.host = host;
    this.ctx = host.context;
  }

  get isEmpty(): boolean {
    return this.#run === undefined;
  }

  /**
   * Written out in each class of points.gen.ts: V8 collects type feedback per function text, and a single `fire` for all
   * stages would see every runner and inline none.
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

  /** Returns the run of a deciding stage if a handler may be due at a count; costs one comparison otherwise. */
  #dueRun(count: number): StageRun | undefined {
    if (this.#run === undefined || count < this.due) return undefined;
    if (this.info.isEvent) return this.#run;
    this.due = firstDue(this.#run.handlers, count);
    return this.due > count ? undefined : this.#run;
  }

  /** Takes a new list of handlers. A dispatch in progress goes on with the list that it began with. */
  compile(run: StageRun | undefined): void {
    for (const handler of run?.handlers ?? []) handler.next = -1; // computed again, because schedules may have changed
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
   * Returns a runner for handlers that are all due at every visit, so that there is nothing to compare or ask. Its text
   * is one of the copies in runners.gen.ts: each copy has call sites of its own, at which V8 inlines the handlers.
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
    // A log every 1000 steps beside a cheap observer of each step must not slow the observer down.
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

  /** Returns a runner for the handlers that are always due, if there are any. */
  #unrolledPart(run: StageRun): Runner | undefined {
    const always: StageHandler[] = [];
    for (const handler of run.handlers) {
      if (!handler.isAlways) continue;
      always.push(handler);
      if (always.length > RUNNERS.length) return undefined; // none is unrolled that far
    }
    return always.length === 0
      ? undefined
      : this.#unrolled(new StageRun(always, this.host, undefined));
  }

  /** Calls the handlers with `atEnd` after the last step, unless they fired there. */
  async fireEnd(): Promise<void> {
    if (this.info.isEvent || this.info.role !== "observe") return;
    await this.#run?.fireEnd(this.host.count(this.info.counter) - 1);
  }

  /** See {@linkcode StagePoint.next}. */
  next(from: number): number {
    if (this.info.isEvent || this.#run === undefined) return Infinity;
    if (this.due > from && this.due < NEVER) return this.due;
    return Math.min(
      ...this.#run.handlers.map((handler) =>
        handler.next >= from ? handler.next : handler.dueFrom(from)
      ),
    );
  }

  #visit(run: StageRun, count: number): PromiseLike<void> | undefined {
    const due = firstDue(run.handlers, count);
    // A stage may be visited again at this count, so it stays due until the count has moved on.
    this.due = due;
    return due > count ? undefined : run.observe(0, count);
  }
}

/** Returns the first count from `count` on at which one of the handlers may be due; moves their `next` up to it. */
function firstDue(handlers: readonly StageHandler[], count: number): number {
  let due = NEVER;
  for (let i = 0; i < handlers.length; i++) {
    const handler = handlers[i]!;
    handler.advance(count);
    if (handler.next < due) due = handler.next;
  }
  return due;
}

// A handler with a context of its own is called with that, whatever context the runner passes.
function targetOf({ binding: { target, ctx, hasOwnContext } }: StageHandler): Target {
  return hasOwnContext ? lift((_ctx: unknown, stage: string) => target.call(ctx, stage)) : target;
}
