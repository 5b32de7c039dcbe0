/**
 * A stage of an engine: what it costs to reach it.
 *
 * @module
 */

import type { Place } from "../registry/entry.ts";
import { lift, type Target } from "../protocol/target.ts";
import { gate, pipe, replace } from "../protocol/roles.ts";
import { type Runner, RUNNERS } from "./runners.gen.ts";
import { type StageHost, StageRun } from "./stage_run.ts";
import type { StageInfo } from "../protocol/stage.ts";

// Later than any count that matters: a small integer, so that V8 compares it without touching the heap. A count
// beyond it costs a visit that finds nothing due.
const NEVER = 2 ** 30 - 1;

// Handed out in turn, over all engines, so that few stages share a text of the unrolled runner.
let nextText = 0;

/** One stage of one engine. Engines keep it in a field and call `fire` (or `pipe`, `gate`, `replace`). */
export interface StagePoint {
  /** The stage. */
  readonly info: StageInfo;
  /** Has it no hooks? */
  readonly isEmpty: boolean;
  /**
   * Reaches an observe stage at a count of its counter. Costs one compare when nothing is due; answers with a
   * promise only when a hook did.
   */
  fire(count: number): PromiseLike<void> | undefined;
  /**
   * Reaches an event stage after the fact: hooks find `event` in their context, and state as it is now. Where
   * `mustWait`, this is too late: whoever fires the stage must wait until it is known whether there is an event.
   */
  fireLate(count: number, event: object, options?: LateOptions): PromiseLike<void>;
  /** Has it hooks of parts? */
  readonly hasParts: boolean;
  /** Has it hooks that change something, or that nothing may happen before? */
  readonly mustWait: boolean;
  /** The first count from `from` on at which a hook here may be due; `Infinity` where there is none. */
  next(from: number): number;
  /** Lets the modifiers that are due at a count do their work, and nobody else; remembers nothing of it. */
  modify(count: number): PromiseLike<void>;
  /** Hands a value through the pipes that are due; each gets what the one before returned. */
  pipe<V>(value: V, count: number): V | PromiseLike<V>;
  /** Asks the gates that are due: `true` to go on. All are asked, and see whether one before has vetoed. */
  gate(count: number): boolean | PromiseLike<boolean>;
  /** Lets the claimant take over if it is due; `otherwise` does the work when there is none. */
  replace<V>(otherwise: () => V | PromiseLike<V>, count: number): V | PromiseLike<V>;
}

/** How an event of long ago is told. */
export interface LateOptions {
  /**
   * Whether it is none for the whole, so that only hooks of parts are told.
   *
   * @default false
   */
  readonly isOfParts?: boolean;
}

/** All of a point but `fire`, with what the registry asks of it. */
export abstract class EnginePoint implements StagePoint {
  readonly info: StageInfo;
  /** What its runs need of the registry. */
  readonly host: StageHost;
  /** The engine's one context. */
  protected readonly ctx: object;
  /** The first count at which a hook may be due. */
  protected due: number = NEVER;
  /** Calls what is due; `null` where there are no hooks. */
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

  /** Written out in each class of points.gen.ts, so that each place in an engine has a text of its own. */
  abstract fire(count: number): PromiseLike<void> | undefined;

  pipe<V>(value: V, count: number): V | PromiseLike<V> {
    const run = this.#dueRun(count);
    return run === undefined ? value : pipe(run, value, count) as V | PromiseLike<V>;
  }

  async modify(count: number): Promise<void> {
    for (const place of this.#run?.places ?? []) {
      if (!place.isModifier || place.schedule.next(count) !== count) continue;
      if (!place.hasShare() || !place.isWanted()) continue;
      await this.#run!.call(place);
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

  /** What is to be called at a count of a stage that decides, if anything: one compare when nothing is. */
  #dueRun(count: number): StageRun | undefined {
    if (this.#run === undefined || count < this.due) return undefined;
    if (this.info.isEvent) return this.#run;
    this.due = firstDue(this.#run.places, count);
    return this.due > count ? undefined : this.#run;
  }

  /** Takes a new list of places. A dispatch under way goes on with the one it began with. */
  compile(run: StageRun | undefined): void {
    for (const place of run?.places ?? []) place.next = -1; // what it was to wait for may have changed
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
    return this.#run?.places.some(({ entry }) => entry.part !== undefined) ?? false;
  }

  get mustWait(): boolean {
    return this.#run?.places.some(({ isModifier, entry }) =>
      isModifier || entry.record.hook.sync === true
    ) ?? false;
  }

  /** A runner for places that are all due whenever the stage is reached: nothing to compare or ask. */
  #unrolled(run: StageRun): Runner | undefined {
    const texts = RUNNERS[run.places.length - 1];
    const { verify, isTracked, coming } = this.host;
    const isPlain = verify === undefined && !isTracked && coming === undefined &&
      run.places.every((place) => place.isAlways);
    if (texts === undefined || !isPlain) return undefined;
    this.#text ??= nextText++;
    return texts[this.#text % texts.length]!(run.places.map(targetOf), this.info.stage, run);
  }

  #scheduled(run: StageRun): Runner {
    if (this.info.isEvent) return (_ctx, count) => run.observe(0, count);
    const always = this.#unrolledPart(run);
    if (always === undefined) return (_ctx, count) => this.#visit(run, count);
    const rest = run.places.filter((place) => !place.isAlways);
    // The stage is always due: until one of the others is, those that always are need not ask.
    let due = 0;
    return (ctx, count) => {
      if (count >= due) due = firstDue(rest, count);
      return due > count ? always(ctx, count) : run.observe(0, count);
    };
  }

  /** A runner for those of the places that are always due, if there are any. */
  #unrolledPart(run: StageRun): Runner | undefined {
    const always = run.places.filter((place) => place.isAlways);
    return always.length === 0
      ? undefined
      : this.#unrolled(new StageRun(always, this.host, undefined));
  }

  /** Fires what `atEnd` asks for, after the last step, unless it fired there. */
  async fireEnd(): Promise<void> {
    if (this.info.isEvent || this.info.role !== "observe") return;
    await this.#run?.fireEnd(this.host.count(this.info.counter) - 1);
  }

  /** The first count from `from` on at which a hook here may be due. */
  next(from: number): number {
    if (this.info.isEvent || this.#run === undefined) return Infinity;
    if (this.due > from && this.due < NEVER) return this.due;
    return Math.min(
      ...this.#run.places.map((place) => place.next >= from ? place.next : place.dueFrom(from)),
    );
  }

  #visit(run: StageRun, count: number): PromiseLike<void> | undefined {
    const due = firstDue(run.places, count);
    // A stage may be reached again at this count, so it stays due until the count has moved on.
    this.due = due;
    return due > count ? undefined : run.observe(0, count);
  }
}

/** The first count from `count` on at which one of the places may be due; moves them up to it. */
function firstDue(places: readonly Place[], count: number): number {
  let due = NEVER;
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!;
    place.advance(count);
    if (place.next < due) due = place.next;
  }
  return due;
}

// A place whose context is its own must be called with that, whatever the runner hands on.
function targetOf({ target, ctx, hasOwnContext }: Place): Target {
  return hasOwnContext ? lift((_ctx: unknown, stage: string) => target.call(ctx, stage)) : target;
}
