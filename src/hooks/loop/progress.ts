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

  /** Adds 1 to a counter. Throws a RangeError for a counter that no stage has. */
  advance(counter: string): void {
    if (counter === "step") return void this.step++;
    if (!this.names.has(counter)) {
      throw new RangeError(
        `Cannot advance ${counter}: counters must be "step" or among those of the kinds, ` +
          `${[...this.names].join(", ") || "of which there are none"}; got ${show(counter)}${
            didYouMean(counter, this.names)
          }`,
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

/** The warnings of an engine, for users as they come, and for the outcome of the run that they belong to. */
export class RunWarnings {
  readonly #emit: (topic: string, stage: string, error: Error) => void;
  #texts: readonly string[] = [];
  #hookErrors = 0;
  /** True if the run is over, so that later warnings belong to the next one. */
  #isOver = false;

  /** Has no warnings yet; `emit` gives them to the user. */
  constructor(emit: (topic: string, stage: string, error: Error) => void) {
    this.#emit = emit;
  }

  /** Warns of the engine's results, and adds the warning to the outcome of the run. */
  warn(topic: string, stage: string, error: Error): void {
    this.note(error.message);
    this.#emit(topic, stage, error);
  }

  /** Adds a warning to the outcome only: of the current run, or of the next one between runs. */
  note(text: string): void {
    this.begin();
    this.#texts = [...this.#texts, text];
  }

  /** Counts an error of a hook that does not stop the run. */
  countHookError(): void {
    this.begin();
    this.#hookErrors++;
  }

  /** Begins a run: forgets the warnings of a run that is over. */
  begin(): void {
    if (!this.#isOver) return;
    this.#isOver = false;
    this.#texts = [];
    this.#hookErrors = 0;
  }

  /** Ends a run: its warnings can still be read until the next one begins, or is warned of. */
  end(): void {
    this.#isOver = true;
  }

  /** Returns the outcome of a run that an error ends. */
  failed(error: unknown): Outcome {
    return { status: "failed", error, ...this.listed };
  }

  /** Returns the part of an outcome that lists the warnings, and counts the errors of hooks. */
  get listed(): { readonly warnings?: readonly string[]; readonly hookErrors?: number } {
    return {
      ...(this.#texts.length > 0 && { warnings: this.#texts }),
      ...(this.#hookErrors > 0 && { hookErrors: this.#hookErrors }),
    };
  }
}

const WARNINGS = new WeakMap<object, RunWarnings>();

/** Keeps the warnings of an engine, for those that have only the engine. */
export function keepWarnings(engine: object, warnings: RunWarnings): void {
  WARNINGS.set(engine, warnings);
}

/** Returns the warnings of an engine that a loop runs; `undefined` for other values. */
export function warningsOf(engine: object): RunWarnings | undefined {
  return WARNINGS.get(engine);
}

const RUN_IDS = new WeakMap<object, string>();

/** Returns the id of the runs of an engine in logs: the id of the first log that calls this. */
export function runIdOf(engine: object, own: string): string {
  const known = RUN_IDS.get(engine);
  if (known === undefined) RUN_IDS.set(engine, own);
  return known ?? own;
}

/** Sets the id of the runs of an engine: one that the caller has chosen, or of a run that is resumed. */
export function setRunId(engine: object, id: string): void {
  RUN_IDS.set(engine, id);
}

/** The end of a run: whether it was asked to stop, and in which step it turned out to be over. */
export class RunEnd {
  readonly #warnings: RunWarnings;
  #stop: { readonly reason: string; readonly step: number } | undefined;
  #isDone = false;
  /** Number of steps after which the run turned out to be over, if that was learned late. */
  #overAt: number | undefined;
  /** Number of steps below which a request to stop does not hold: those that are repeated after a recovery. */
  #repeatUntil = 0;

  /** Ends no run yet. */
  constructor(warnings: RunWarnings) {
    this.#warnings = warnings;
  }

  /** Asks to stop; the first reason is kept. */
  ask(reason: string, step: number): void {
    this.#stop ??= { reason, step };
  }

  /** Asks to stop, also while steps are repeated. */
  stop(reason: string, step: number): void {
    this.ask(reason, step);
    this.#repeatUntil = 0;
  }

  /** Forgets a request to stop, and the warnings of a run that is over. */
  clearStop(): void {
    this.#stop = undefined;
    this.#warnings.begin();
  }

  /** Ends the run after the current step, or after an earlier number of steps. */
  done(overAt: number | undefined): void {
    this.#isDone = true;
    if (overAt !== undefined) this.#overAt = Math.min(this.#overAt ?? Infinity, overAt);
  }

  /** True if the engine has nothing left to do. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** True if the run turned out to be over before its last step. */
  get isLate(): boolean {
    return this.#overAt !== undefined;
  }

  /** Returns whether a run stops once `stepCount` steps are done. */
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

  /** Returns the number of steps that count among those that ran. */
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
 * Returns the `stop` of a context: a deferred observer stops with the context of its own step, which the reason names.
 */
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
