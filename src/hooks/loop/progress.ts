/**
 * How far a loop has come: its counters, and the end of its run.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { BaseContext } from "../protocol/context.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { AnyStages } from "../protocol/stage.ts";

/** The counters of a loop: the step, and those that its kinds declare. */
export class Counters {
  /** Steps done so far, over all runs. A plain field, as each stage of each step reads it. */
  step = 0;
  /** The counters of the kinds, except the step. */
  readonly names: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();

  /** Begins at 0. */
  constructor(kinds: readonly AnyStages[]) {
    const counters = kinds.flatMap(({ options }) => Object.values<unknown>(options.counters ?? {}));
    this.names = new Set(
      counters.filter((counter) => typeof counter === "string" && counter !== "step") as string[],
    );
  }

  /** Returns the value of a counter. */
  of(counter: string): number {
    return counter === "step" ? this.step : this.#counts.get(counter) ?? 0;
  }

  /** Adds 1 to a counter other than the step. Throws a RangeError for a counter that no stage has. */
  advance(counter: string): void {
    if (!this.names.has(counter)) {
      throw new RangeError(
        `Cannot advance ${counter} as it must be a counter of the kinds other than the step: they are ` +
          `${[...this.names].join(", ") || "none"}${didYouMean(counter, this.names)}`,
      );
    }
    this.#counts.set(counter, this.of(counter) + 1);
  }

  /** Returns the counters other than the step, as a checkpoint keeps them. */
  save(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  /** Goes on from saved counters. */
  load(step: number, counts: Readonly<Record<string, number>>): void {
    this.step = step;
    this.#counts.clear();
    for (const [counter, count] of Object.entries(counts)) this.#counts.set(counter, count);
  }
}

/** The end of a run: whether it was asked to stop, and in which step it turned out to be over. */
export class RunEnd {
  #stop: { readonly reason: string; readonly step: number } | undefined;
  #isDone = false;
  #warnings: readonly string[] = [];
  /** Number of steps after which the run turned out to be over, if that was learned late. */
  #overAt: number | undefined;
  /** Number of steps below which a request to stop does not hold: those that are repeated after a recovery. */
  #repeatUntil = 0;

  /** Asks to stop; the first reason is kept. */
  ask(reason: string, step: number): void {
    this.#stop ??= { reason, step };
  }

  /** The same, also while steps are repeated. */
  stop(reason: string, step: number): void {
    this.ask(reason, step);
    this.#repeatUntil = 0;
  }

  /** Adds a warning to the outcome. */
  note(warning: string): void {
    this.#warnings = [...this.#warnings, warning];
  }

  /** Forgets a request to stop, and warnings. */
  clearStop(): void {
    this.#stop = undefined;
    this.#warnings = [];
  }

  /** Ends the run after the step under way, or after an earlier number of steps. */
  done(overAt: number | undefined): void {
    this.#isDone = true;
    if (overAt !== undefined) this.#overAt = Math.min(this.#overAt ?? Infinity, overAt);
  }

  /** Whether the engine has nothing left to do. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether the run has turned out to be over before its last step. */
  get isLate(): boolean {
    return this.#overAt !== undefined;
  }

  /** Returns whether a run stops after so many steps. */
  isStopped(stepCount: number): boolean {
    return this.#stop !== undefined && stepCount >= this.#repeatUntil;
  }

  /** Returns the number of steps up to which steps may run without a look at requests to stop. */
  limit(last: number): number {
    return this.#stop === undefined ? last : Math.min(last, this.#repeatUntil);
  }

  /** Begins a run. */
  begin(): void {
    this.#isDone = false;
    this.#repeatUntil = 0;
    this.#overAt = undefined;
  }

  /** Goes on after a recovery: the steps before `stepCount` are repeated. */
  repeat(stepCount: number): void {
    this.#isDone = false;
    this.#overAt = undefined;
    this.#repeatUntil = this.#stop === undefined ? 0 : Math.max(stepCount, this.#stop.step + 1);
  }

  /** Returns the number of steps that count, of those that were run. */
  counted(stepCount: number): number {
    return Math.min(stepCount, this.#overAt ?? Infinity);
  }

  /** How the run ends. Requests to stop made after the final step are ignored. */
  get outcome(): Outcome {
    const isIgnored = this.#stop !== undefined && this.#stop.step >= (this.#overAt ?? Infinity);
    const warnings = this.#warnings.length === 0 ? {} : { warnings: this.#warnings };
    return this.#stop === undefined || isIgnored
      ? { status: "completed", ...warnings }
      : { status: "stopped", ...this.#stop, ...warnings };
  }
}

/** Returns the `stop` of a context: a deferred observer asks through the context of its own step, so that step is named. */
export function stopper(
  ask: (reason: string, step: number | undefined) => void,
): BaseContext["stop"] {
  return function (this: BaseContext | undefined, reason: string): void {
    ask(reason, this?.stepCount);
  };
}

/** Returns the reason of an aborted signal as text. */
export function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : String(reason ?? "aborted");
}
