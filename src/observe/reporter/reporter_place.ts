/**
 * One reporter in a run: when it is told, and what becomes of its errors.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import { isThenable } from "../../base/sequence.ts";
import type { ScalarReporter } from "./scalar_reporter.ts";
import { type ScalarSnapshot, stepsDone } from "./scalar_snapshot.ts";

/** What holds for all reporters. */
export interface ReporterHost {
  /** What happens when one fails. */
  readonly onError: "warn" | "throw" | "disable";
  /** The time, ms. */
  readonly now: () => number;
}

/** A reporter, and how it has been told so far. */
export class ReporterPlace {
  readonly #reporter: ScalarReporter;
  readonly #host: ReporterHost;
  #toldAt = -Infinity;
  /** The last snapshot, if it was not told. */
  #left: ScalarSnapshot | undefined;
  /** Until the next run, or for good. */
  #isOff: "not open" | "failed" | undefined;

  constructor(reporter: ScalarReporter, host: ReporterHost) {
    this.#reporter = reporter;
    this.#host = host;
  }

  /** A run begins. */
  async open(): Promise<void> {
    this.#toldAt = -Infinity;
    this.#left = undefined;
    if (this.#isOff === "not open") this.#isOff = undefined;
    try {
      await this.#try(() => this.#reporter.open?.());
    } catch (error) {
      this.#isOff ??= "not open";
      throw error;
    }
  }

  /** Tells it, if it is its turn; `isWhole` says that it is whatever the step. */
  tell(snapshot: ScalarSnapshot, isWhole: boolean): void | PromiseLike<void> {
    const { every = 1, everySeconds = 0 } = this.#reporter;
    const now = this.#host.now();
    const isDue = (isWhole || (stepsDone(snapshot) - 1) % every === 0) &&
      now - this.#toldAt >= 1000 * everySeconds;
    this.#left = isDue ? undefined : snapshot;
    if (!isDue) return;
    this.#toldAt = now;
    return this.#try(() => this.#reporter.report(snapshot));
  }

  /** A run is over: tells it the last snapshot, if it has not been told. */
  async close(outcome: Outcome): Promise<void> {
    const left = this.#left;
    this.#left = undefined;
    try {
      if (left !== undefined) await this.#try(() => this.#reporter.report(left));
    } finally {
      await this.#try(() => this.#reporter.close?.(outcome));
    }
  }

  /** Does something, and says in its error whose it is. */
  #try(work: () => void | PromiseLike<void>): void | PromiseLike<void> {
    if (this.#isOff !== undefined) return;
    try {
      const working = work();
      if (isThenable(working)) {
        return working.then(undefined, (error: unknown) => this.#fail(error));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): never {
    if (this.#host.onError === "disable") this.#isOff = "failed";
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot report to ${this.#reporter.name}: it must take what it is told: ${reason}`,
      { cause },
    );
  }
}

/** Does all of it, whatever fails; throws the first error, or all of several. */
export async function attempt(
  work: readonly (() => void | PromiseLike<void>)[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const one of work) {
    try {
      await one();
    } catch (error) {
      errors.push(error);
    }
  }
  throwAll(errors);
}

/** Throws the only error, or one that has them all. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const messages = errors.map((error) => error instanceof Error ? error.message : String(error));
  throw new AggregateError(errors, messages.join("; "));
}
