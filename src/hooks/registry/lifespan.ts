/**
 * Opens the hooks at the beginning of a run, and closes them at its end.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import { DeferredQueue } from "../run/deferred_queue.ts";
import { AnswerWatch } from "../run/answer_watch.ts";
import { type ErrorReports, isFatal } from "./error_reports.ts";
import { type Entry, pendingCall } from "./stage_handler.ts";
import type { ErrorPolicy, Outcome } from "../protocol/outcome.ts";
import { isThenable } from "../../base/sequence.ts";

/** The members of the registry that `Lifespan` uses. */
export interface LifespanHost {
  /** The engine that hooks find as `ctx.workflow`. */
  readonly workflow: Workflow;
  /** Returns the current hooks in the order of execution. Hooks may be added or removed while others open. */
  entries(): readonly Entry[];
  /** The signal that stops the engine. */
  readonly signal: AbortSignal | undefined;
  /** Reports an error that is not thrown. */
  readonly errors: Pick<ErrorReports, "report" | "warn">;
  /** Recompiles the stages of hooks that have been opened or closed. */
  compile(entries: readonly Entry[]): void;
  /** Removes a hook that could not be opened during a run. */
  remove(entry: Entry): void;
}

/** Opens and closes the hooks of one engine, and holds the deliveries in flight to them. */
export class Lifespan {
  readonly #host: LifespanHost;
  readonly #leaving: { readonly entry: Entry; readonly outcome: Outcome }[] = [];
  readonly #closing = new Set<object>();
  // Late openings and closings have a separate queue, because a slow `open` or `close` must not delay deliveries.
  readonly #moves = new DeferredQueue();
  /** Waits for asynchronous hooks, for a limited time once the run is aborted. */
  readonly answers: AnswerWatch;
  /** Deliveries in flight, in order. */
  readonly queue: DeferredQueue = new DeferredQueue();
  #state: "closed" | "opening" | "open" = "closed";
  /**
   * True if an error of a hook that opened late, or was removed, has been thrown in this run. Later errors are only
   * reported.
   */
  #hasThrown = false;

  /** Starts with all hooks closed. */
  constructor(host: LifespanHost) {
    this.#host = host;
    this.answers = new AnswerWatch(host.signal, () => host.workflow.stepCount);
  }

  /** True if the hooks are open. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** True while the hooks are being opened. No stage calls them meanwhile. */
  get isOpening(): boolean {
    return this.#state === "opening";
  }

  /**
   * Opens all hooks in order. If one fails, closes the hooks already open in reverse order, with that error as the
   * outcome, and throws the error. If the error policy of the failed hook is "warn" or "disable", reports the error
   * instead and continues without the hook.
   */
  async open(): Promise<void> {
    this.#hasThrown = false;
    this.#enter("opening");
    let isOpen = false;
    try {
      await this.#openAll();
      isOpen = true;
    } finally {
      this.#enter(isOpen ? "open" : "closed");
    }
  }

  #enter(state: "closed" | "opening" | "open"): void {
    this.#state = state;
    this.#host.compile(this.#host.entries());
  }

  async #openAll(): Promise<void> {
    const tried = new Set<Entry>();
    for (;;) {
      const entry = this.#host.entries().find((entry) => !entry.isOpen && !tried.has(entry));
      if (entry === undefined) break;
      tried.add(entry);
      entry.isOpen = true; // set before `open` returns: if the hook is removed meanwhile, it must be closed
      try {
        await this.#answered(entry, "open", entry.record.hook.open?.(this.#workflowOf(entry)));
      } catch (error) {
        entry.isOpen = false;
        if (!isLenient(entry) || isBusy(error) || isFatal(error)) {
          await this.#closeAll({ status: "failed", error });
          throw error;
        }
        this.#host.errors.report(entry, "open", error);
      }
    }
  }

  /**
   * Opens a hook that was added during a run. Stages call it once its `open` has settled. If `open` throws, so does
   * this method, unless the error policy of the hook is "warn" or "disable".
   */
  openLate(entry: Entry): void {
    if (this.#closing.has(entry.record.hook)) {
      throw new Error(
        `Cannot register hook ${entry.name}: the same object was removed in this step and is not closed yet. Add it in a later step`,
      );
    }
    try {
      const opening = entry.record.hook.open?.(this.#workflowOf(entry));
      if (isThenable(opening)) return this.#openSlowly(entry, opening);
      entry.isOpen = true;
    } catch (error) {
      if (!isLenient(entry)) throw error;
      this.#host.errors.report(entry, "open", error);
    }
  }

  /** Marks a removed hook to be closed between two steps, when no visit can still call it. */
  leave(entry: Entry): void {
    if (!entry.isOpen) return;
    const { stepCount: step } = this.#host.workflow;
    this.#closing.add(entry.record.hook);
    this.#leaving.push({ entry, outcome: { status: "stopped", reason: "removed", step } });
  }

  /**
   * Called between two steps: begins to close removed hooks, and throws the error of a delivery, an opening or a
   * closing.
   */
  check(): void {
    while (this.#leaving.length > 0) {
      const { entry, outcome } = this.#leaving.shift()!;
      this.#moves.push(this.queue.soFar, () => this.#closeLeft(entry, outcome));
    }
    this.queue.check();
    this.#moves.check();
  }

  /** Waits until no delivery, opening or closing is in flight. Throws the first error. */
  async settle(): Promise<void> {
    try {
      this.check();
      if (this.queue.length > 0) await this.queue.flush();
      if (this.#moves.length > 0) await this.#moves.flush();
    } finally {
      await this.queue.idle();
      this.queue.resume(); // later deliveries belong to the next run
    }
  }

  /**
   * Waits until nothing is in flight, then closes all open hooks in reverse order, even if one of them fails. If the
   * run succeeded, throws the first error at the end. If it failed, errors are only reported, so that they do not
   * hide why it failed. Errors of hooks with the policy "warn" or "disable" are only reported, too.
   */
  async close(outcome: Outcome): Promise<void> {
    let ending = outcome;
    try {
      await this.settle();
    } catch (error) {
      if (outcome.status !== "failed") {
        const { warnings } = outcome;
        ending = { status: "failed", error, ...(warnings && { warnings }) };
      } else if (rootOf(error) !== rootOf(outcome.error)) {
        this.#host.errors.warn("(deferred)", "close", error, "engine");
      }
    }
    if (this.isOpen) {
      this.#state = "closed";
      await this.#closeAll(ending);
    }
    if (ending !== outcome && ending.status === "failed") throw ending.error;
  }

  async #closeAll(outcome: Outcome): Promise<void> {
    const errors: { readonly entry: Entry; readonly error: unknown }[] = [];
    const attempt = async (entry: Entry, outcome: Outcome) => {
      try {
        await this.#close(entry, outcome);
      } catch (error) {
        errors.push({ entry, error });
      }
    };
    for (;;) { // looks up the hooks again each time, because a closing hook may remove another one
      const left = this.#leaving.shift();
      const entry = left?.entry ?? this.#host.entries().findLast((entry) => entry.isOpen);
      if (entry === undefined) break;
      await attempt(entry, left?.outcome ?? outcome);
    }
    const first = outcome.status === "failed" ? undefined : errors.shift();
    for (const { entry, error } of errors) this.#host.errors.report(entry, "close", error);
    if (first !== undefined) throw first.error;
  }

  /** Closes a removed hook. The first error in a run is thrown by the next `check`; later ones are reported. */
  async #closeLeft(entry: Entry, outcome: Outcome): Promise<void> {
    try {
      await this.#close(entry, outcome);
    } catch (error) {
      this.#throwFirst(entry, "close", error);
    }
  }

  #workflowOf({ part }: Entry): Workflow {
    return part?.workflow ?? this.#host.workflow;
  }

  #throwFirst(entry: Entry, where: string, error: unknown): void {
    if (this.#hasThrown) return this.#host.errors.report(entry, where, error);
    this.#hasThrown = true;
    throw error;
  }

  /** Closes one hook if it is open. Throws the error of its `close`, unless its error policy is "warn" or "disable". */
  async #close(entry: Entry, outcome: Outcome): Promise<void> {
    if (!entry.isOpen) return;
    entry.isOpen = false;
    try {
      const closing = entry.record.hook.close?.(outcome, this.#workflowOf(entry));
      await this.#answered(entry, "close", closing);
    } catch (error) {
      if (!isLenient(entry) || isFatal(error)) throw error;
      this.#host.errors.report(entry, "close", error);
    } finally {
      this.#closing.delete(entry.record.hook);
    }
  }

  async #answered(
    entry: Entry,
    stage: "open" | "close",
    answer: void | PromiseLike<void>,
  ): Promise<void> {
    if (isThenable(answer)) await this.answers.of(answer, pendingCall(entry, stage));
  }

  #openSlowly(entry: Entry, opening: PromiseLike<void>): void {
    const opened = () => {
      entry.isOpen = true;
      if (this.#host.entries().includes(entry)) this.#host.compile([entry]);
      else this.leave(entry); // the hook was removed meanwhile
    };
    const failed = (error: unknown) => {
      const isGone = !this.#host.entries().includes(entry);
      if (isGone || isLenient(entry)) return this.#host.errors.report(entry, "open", error);
      this.#host.remove(entry);
      this.#throwFirst(entry, "open", error);
    };
    const done = this.answers.of(opening, pendingCall(entry, "open")).then(
      () => opened,
      (error: unknown) => () => failed(error),
    );
    this.#moves.push(done, (act) => act?.());
  }
}

/**
 * Returns whether an error says that another run uses the same file or folder. At the beginning of a run, such an
 * error ends the run under any error policy, because both runs would damage the data.
 */
function isBusy(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "EBUSY";
}

/** Returns whether the error policy of the hook lets the run continue after an error: "warn" or "disable". */
function isLenient({ onError, record }: Entry): boolean {
  const policy: ErrorPolicy | undefined = onError ?? record.onError;
  return policy === "warn" || policy === "disable";
}

/** Returns the innermost cause of an error. Two errors with the same innermost cause are reported only once. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
