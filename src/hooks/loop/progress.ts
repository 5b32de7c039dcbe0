/**
 * Progress of a loop: its counters, and the end of its run.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { show } from "../../base/show.ts";
import type { BaseContext } from "../protocol/context.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { AnyStages } from "../protocol/stage.ts";

/** The counters of a loop: `"step"`, and the counters that its kinds declare, such as epochs. */
export class Counters {
  /** Steps done so far, over all runs. It is a plain field, because every stage of every step reads it. */
  step = 0;
  /** The names of all counters except `"step"`. */
  readonly names: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();

  /** Sets all counters of the kinds to 0. */
  constructor(kinds: readonly AnyStages[]) {
    const counters = kinds.flatMap(({ options }) => Object.values<unknown>(options.counters ?? {}));
    this.names = new Set(
      counters.filter((counter) => typeof counter === "string" && counter !== "step") as string[],
    );
  }

  /** Returns the value of a counter; 0 if it is unknown. */
  of(counter: string): number {
    return counter === "step" ? this.step : this.#counts.get(counter) ?? 0;
  }

  /** Adds 1 to a counter. Throws a RangeError if no kind declares the counter. */
  advance(counter: string): void {
    if (counter === "step") return void this.step++;
    if (!this.names.has(counter)) {
      throw new RangeError(
        `Cannot advance ${counter}: the counter must be "step" or one of the kinds' counters, ` +
          `${[...this.names].join(", ") || "of which none exist"}; got ${show(counter)}${
            didYouMean(counter, this.names)
          }`,
      );
    }
    this.#counts.set(counter, this.of(counter) + 1);
  }

  /** Returns the values of all counters except `"step"`, as plain data for a checkpoint. */
  save(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  /** Restores the step and the other counters from a checkpoint. */
  load(step: number, counts: Readonly<Record<string, number>>): void {
    this.step = step;
    this.#counts.clear();
    for (const [counter, count] of Object.entries(counts)) this.#counts.set(counter, count);
  }
}

/**
 * The warnings of an engine about its results. Each is emitted to the user when it arises, and is listed in the
 * outcome of its run.
 */
export class RunWarnings {
  readonly #emit: (topic: string, stage: string, error: Error) => void;
  #texts: readonly string[] = [];
  #hookErrors = 0;
  /** True if the run is over, so that the next warning belongs to the next run. */
  #isOver = false;

  /** Creates an empty list of warnings. `emit` delivers each warning to the user. */
  constructor(emit: (topic: string, stage: string, error: Error) => void) {
    this.#emit = emit;
  }

  /** Emits a warning about the engine's results and adds it to the outcome of the run. */
  warn(topic: string, stage: string, error: Error): void {
    this.note(error.message);
    this.#emit(topic, stage, error);
  }

  /** Adds a warning to the outcome without emitting it. Between two runs, it belongs to the outcome of the next run. */
  note(text: string): void {
    this.begin();
    this.#texts = [...this.#texts, text];
  }

  /** Counts an error of a hook that does not stop the run. */
  countHookError(): void {
    this.begin();
    this.#hookErrors++;
  }

  /** Begins a run: if the previous run is over, forgets its warnings. */
  begin(): void {
    if (!this.#isOver) return;
    this.#isOver = false;
    this.#texts = [];
    this.#hookErrors = 0;
  }

  /** Ends a run. Its warnings can be read until the next run begins or the next warning arises. */
  end(): void {
    this.#isOver = true;
  }

  /** Returns the outcome of a run that ended with `error`. */
  failed(error: unknown): Outcome {
    return { status: "failed", error, ...this.listed };
  }

  /**
   * The fields of an outcome that list the warnings and count the errors of hooks. A field without content is left
   * out.
   */
  get listed(): { readonly warnings?: readonly string[]; readonly hookErrors?: number } {
    return {
      ...(this.#texts.length > 0 && { warnings: this.#texts }),
      ...(this.#hookErrors > 0 && { hookErrors: this.#hookErrors }),
    };
  }
}

const WARNINGS = new WeakMap<object, RunWarnings>();

/** Stores the warnings of an engine, so that `warningsOf` finds them by the engine alone. */
export function keepWarnings(engine: object, warnings: RunWarnings): void {
  WARNINGS.set(engine, warnings);
}

/** Returns the warnings that `keepWarnings` stored for an engine, or `undefined` if there are none. */
export function warningsOf(engine: object): RunWarnings | undefined {
  return WARNINGS.get(engine);
}

const RUN_IDS = new WeakMap<object, string>();

/**
 * Returns the id of an engine's runs in logs. The first log that calls this sets the id to `own`; later logs get the
 * same id.
 */
export function runIdOf(engine: object, own: string): string {
  const known = RUN_IDS.get(engine);
  if (known === undefined) RUN_IDS.set(engine, own);
  return known ?? own;
}

/** Sets the id of an engine's runs in logs: an id chosen by the caller, or the id of the run that is resumed. */
export function setRunId(engine: object, id: string): void {
  RUN_IDS.set(engine, id);
}

/** The end of a run: requests to stop, and the step after which the run is over. */
export class RunEnd {
  readonly #warnings: RunWarnings;
  #stop: { readonly reason: string; readonly step: number } | undefined;
  #isDone = false;
  /**
   * Number of steps after which the run was over, if the engine reported this only after further steps; otherwise
   * `undefined`.
   */
  #overAt: number | undefined;
  /** Requests to stop are ignored below this number of steps, because those steps are repeated after a recovery. */
  #repeatUntil = 0;

  /** Creates the state of a run that has not ended. `warnings` are listed in its outcome. */
  constructor(warnings: RunWarnings) {
    this.#warnings = warnings;
  }

  /** Requests a stop at `step`. The first reason is kept. */
  ask(reason: string, step: number): void {
    this.#stop ??= { reason, step };
  }

  /** Requests a stop that also holds while steps are repeated after a recovery. */
  stop(reason: string, step: number): void {
    this.ask(reason, step);
    this.#repeatUntil = 0;
  }

  /** Withdraws a request to stop, and forgets the warnings of the previous run. */
  clearStop(): void {
    this.#stop = undefined;
    this.#warnings.begin();
  }

  /** Ends the run after the current step, or, if `overAt` is given, after that earlier number of steps. */
  done(overAt: number | undefined): void {
    this.#isDone = true;
    if (overAt !== undefined) this.#overAt = Math.min(this.#overAt ?? Infinity, overAt);
  }

  /** True if the engine has reported that the run is over. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** True if the engine reported the end of the run late, after the loop had run further steps. */
  get isLate(): boolean {
    return this.#overAt !== undefined;
  }

  /** Returns whether a request to stop holds after `stepCount` steps. */
  isStopped(stepCount: number): boolean {
    return this.#stop !== undefined && stepCount >= this.#repeatUntil;
  }

  /** Returns the step count, at most `last`, up to which the loop can run before it must check for a stop request. */
  limit(last: number): number {
    return this.#stop === undefined ? last : Math.min(last, this.#repeatUntil);
  }

  /** Begins a run: forgets the end of the previous one. A request to stop is kept. */
  begin(): void {
    this.#isDone = false;
    this.#repeatUntil = 0;
    this.#overAt = undefined;
  }

  /** Continues after a recovery, in which the steps before `stepCount` are repeated. */
  repeat(stepCount: number): void {
    this.#isDone = false;
    this.#overAt = undefined;
    this.#repeatUntil = this.#stop === undefined ? 0 : Math.max(stepCount, this.#stop.step + 1);
  }

  /** Returns the number of steps that count, of the `stepCount` steps that ran. */
  counted(stepCount: number): number {
    return Math.min(stepCount, this.#overAt ?? Infinity);
  }

  /** Outcome of the run. Requests to stop made after the final step are ignored. */
  get outcome(): Outcome {
    const isIgnored = this.#stop !== undefined && this.#stop.step >= (this.#overAt ?? Infinity);
    const warnings = this.#warnings.listed;
    return this.#stop === undefined || isIgnored
      ? { status: "completed", ...warnings }
      : { status: "stopped", ...this.#stop, ...warnings };
  }
}

/**
 * Returns the method `stop` of a context. It passes on the step of the context it is called on, which for a deferred
 * observer is an earlier step than the engine's.
 */
export function stopper(
  ask: (reason: string, step: number | undefined) => void,
): BaseContext["stop"] {
  return function (this: BaseContext | undefined, reason: string): void {
    ask(reason, this?.stepCount);
  };
}

/** Returns the reason of an aborted signal as text, by default `"aborted"`. */
export function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : String(reason ?? "aborted");
}
