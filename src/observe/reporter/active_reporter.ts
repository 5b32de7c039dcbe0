/**
 * State of one reporter during a run.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import { isThenable } from "../../base/sequence.ts";
import type { ScalarReporter } from "./scalar_reporter.ts";
import { type ScalarSnapshot, stepsDone } from "./scalar_snapshot.ts";

/** Settings that all reporters share. */
export interface ReporterHost {
  /** Reaction to a reporter that fails. */
  readonly onError: "warn" | "throw" | "disable";
  /** Returns the time in ms. */
  readonly now: () => number;
}

/** Calls one reporter when it is due, and handles its errors. */
export class ActiveReporter {
  readonly #reporter: ScalarReporter;
  readonly #host: ReporterHost;
  #reportedAt = -Infinity;
  /** Last snapshot, if it was not reported. */
  #unreported: ScalarSnapshot | undefined;
  /**
   * Reason why the reporter is not called: `"not open"` until the next run, `"failed"` for good; `undefined` if it is
   * called.
   */
  #state: "not open" | "failed" | undefined;

  constructor(reporter: ScalarReporter, host: ReporterHost) {
    this.#reporter = reporter;
    this.#host = host;
  }

  /** Opens the reporter when a run begins. */
  async open(): Promise<void> {
    this.#reportedAt = -Infinity;
    this.#unreported = undefined;
    if (this.#state === "not open") this.#state = undefined;
    try {
      await this.#try(() => this.#reporter.open?.());
    } catch (error) {
      this.#state ??= "not open";
      throw error;
    }
  }

  /**
   * Hands a snapshot to the reporter if it is due. `isSummary` makes it due at any step, once `everySeconds` have
   * passed.
   */
  report(snapshot: ScalarSnapshot, isSummary: boolean): void | PromiseLike<void> {
    const { every = 1, everySeconds = 0 } = this.#reporter;
    const now = this.#host.now();
    const isDue = (isSummary || (stepsDone(snapshot) - 1) % every === 0) &&
      now - this.#reportedAt >= 1000 * everySeconds;
    this.#unreported = isDue ? undefined : snapshot;
    if (!isDue) return;
    this.#reportedAt = now;
    return this.#try(() => this.#reporter.report(snapshot));
  }

  /** Reports the last snapshot if it was not reported yet, then closes the reporter. */
  async close(outcome: Outcome): Promise<void> {
    const unreported = this.#unreported;
    this.#unreported = undefined;
    try {
      if (unreported !== undefined) await this.#try(() => this.#reporter.report(unreported));
    } finally {
      await this.#try(() => this.#reporter.close?.(outcome));
    }
  }

  /**
   * Calls a function of the reporter, unless the reporter is not open or has failed. Throws errors that name the
   * reporter.
   */
  #try(work: () => void | PromiseLike<void>): void | PromiseLike<void> {
    if (this.#state !== undefined) return;
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
    if (this.#host.onError === "disable") this.#state = "failed";
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Reporter ${this.#reporter.name} failed: ${reason}`,
      { cause },
    );
  }
}

/** Runs all functions one after another, even if some fail. Throws the only error, or an AggregateError of several. */
export async function runAll(
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
  throwErrors(errors);
}

/** Throws the only error, or an AggregateError of several. */
export function throwErrors(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const messages = errors.map((error) => error instanceof Error ? error.message : String(error));
  throw new AggregateError(errors, messages.join("; "));
}
