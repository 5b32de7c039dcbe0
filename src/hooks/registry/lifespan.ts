/**
 * Opening and closing hooks with a run.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import { DeferredQueue } from "../run/deferred.ts";
import type { Entry } from "./entry.ts";
import type { ErrorPolicy, Outcome } from "../protocol/outcome.ts";
import { isThenable } from "../../base/sequence.ts";

/** What a life span needs of the registry. */
export interface LifespanHost {
  /** The engine, as hooks see it. */
  readonly workflow: Workflow;
  /** The hooks as they are now, in order; some may come or go while others open. */
  readonly entries: readonly Entry[];
  /** Told of an error that is not thrown. */
  report(entry: Entry, where: string, error: unknown): void;
  /** Told that a hook is open, or will not be: its stages must be compiled again. */
  settled(entry: Entry): void;
  /** Told that opening has begun, or is over: all stages must be compiled again. */
  changed(): void;
  /** Told that a hook could not be opened in mid-run and is to be taken out. */
  drop(entry: Entry): void;
}

/** The hooks of one engine, from their opening to their closing, and what is on its way to them. */
export class Lifespan {
  readonly #host: LifespanHost;
  readonly #leaving: { readonly entry: Entry; readonly outcome: Outcome }[] = [];
  readonly #closing = new Set<object>();
  // Apart from the deliveries, which a slow `open` or `close` must not hold up.
  readonly #moves = new DeferredQueue();
  /** Deliveries under way, in order. */
  readonly queue: DeferredQueue = new DeferredQueue();
  /** Are the hooks open? */
  isOpen = false;
  /** Are they being opened? No stage reaches them meanwhile. */
  isOpening = false;
  #hasThrown = false;

  /** Nothing is open yet. */
  constructor(host: LifespanHost) {
    this.#host = host;
  }

  /**
   * Opens all hooks in order. When one throws, those that are open already are closed in reverse with that error,
   * and it is thrown; a hook that was told to warn is reported and takes no part in the run.
   */
  async open(): Promise<void> {
    this.isOpening = true;
    this.#hasThrown = false;
    this.#host.changed(); // nothing is called before all are open
    try {
      await this.#openAll();
      this.isOpen = true;
    } finally {
      this.isOpening = false;
      this.#host.changed(); // without those that were to be opened and could not
    }
  }

  async #openAll(): Promise<void> {
    const tried = new Set<Entry>();
    for (;;) {
      const entry = this.#host.entries.find((entry) => !entry.isOpen && !tried.has(entry));
      if (entry === undefined) break;
      tried.add(entry);
      entry.isOpen = true; // removed while it opens, it is closed
      try {
        await entry.record.hook.open?.(this.#workflowOf(entry));
      } catch (error) {
        entry.isOpen = false;
        if (!isLenient(entry)) {
          await this.#closeAll({ status: "failed", error });
          throw error;
        }
        this.#host.report(entry, "open", error);
      }
    }
  }

  /** Opens a hook that was added in mid-run; it runs once its `open` has come back. Throws what `open` throws. */
  openLate(entry: Entry): void {
    if (this.#closing.has(entry.record.hook)) {
      throw new Error(
        `Cannot register hook ${entry.name} as the same object must be closed first: it was removed in this step`,
      );
    }
    try {
      const opening = entry.record.hook.open?.(this.#workflowOf(entry));
      if (isThenable(opening)) return this.#openSlowly(entry, opening);
      entry.isOpen = true;
    } catch (error) {
      if (!isLenient(entry)) throw error;
      this.#host.report(entry, "open", error);
    }
  }

  /** A hook was taken out: it is closed as soon as no dispatch can still call it. */
  leave(entry: Entry): void {
    if (!entry.isOpen) return;
    const { stepCount: step } = this.#host.workflow;
    this.#closing.add(entry.record.hook);
    this.#leaving.push({ entry, outcome: { status: "stopped", reason: "removed", step } });
  }

  /** Between two steps: begins to close what has left, and throws what a delivery or a closing has thrown. */
  check(): void {
    while (this.#leaving.length > 0) {
      const { entry, outcome } = this.#leaving.shift()!;
      this.#moves.push(this.queue.soFar, () => this.#closeLeft(entry, outcome));
    }
    this.queue.check();
    this.#moves.check();
  }

  /** Waits until all that is under way is done; throws the first error of it. */
  async settle(): Promise<void> {
    try {
      this.check();
      if (this.queue.length > 0) await this.queue.flush();
      if (this.#moves.length > 0) await this.#moves.flush();
    } finally {
      await this.queue.idle();
      this.queue.resume(); // what comes now is of another time
    }
  }

  /**
   * Closes the open hooks in reverse; every one is attempted. After a run that went well the first error is thrown
   * at the end; after one that failed all of them are only reported, so that they do not hide why, and so are
   * those of hooks that were told to warn.
   */
  async close(outcome: Outcome): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.#closeAll(outcome);
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
    for (;;) { // a closing hook may remove another
      const left = this.#leaving.shift();
      const entry = left?.entry ?? this.#host.entries.findLast((entry) => entry.isOpen);
      if (entry === undefined) break;
      await attempt(entry, left?.outcome ?? outcome);
    }
    const first = outcome.status === "failed" ? undefined : errors.shift();
    for (const { entry, error } of errors) this.#host.report(entry, "close", error);
    if (first !== undefined) throw first.error;
  }

  /** Closes a hook that has left. The first error of a run is thrown at the next check, later ones are reported. */
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
    if (this.#hasThrown) return this.#host.report(entry, where, error);
    this.#hasThrown = true;
    throw error;
  }

  /** Closes one hook, if it is open. Throws what `close` throws, unless the hook was told to warn. */
  async #close(entry: Entry, outcome: Outcome): Promise<void> {
    if (!entry.isOpen) return;
    entry.isOpen = false;
    try {
      await entry.record.hook.close?.(outcome, this.#workflowOf(entry));
    } catch (error) {
      if (!isLenient(entry)) throw error;
      this.#host.report(entry, "close", error);
    } finally {
      this.#closing.delete(entry.record.hook);
    }
  }

  #openSlowly(entry: Entry, opening: PromiseLike<void>): void {
    const opened = () => {
      entry.isOpen = true;
      if (this.#host.entries.includes(entry)) this.#host.settled(entry);
      else this.leave(entry); // it was removed in the meantime
    };
    const failed = (error: unknown) => {
      const isGone = !this.#host.entries.includes(entry);
      if (isGone || isLenient(entry)) return this.#host.report(entry, "open", error);
      this.#host.drop(entry);
      this.#throwFirst(entry, "open", error);
    };
    const done = opening.then(() => opened, (error: unknown) => () => failed(error));
    this.#moves.push(done, (act) => act?.());
  }
}

/** Was it said, by the hook or when it was added, that its errors shall not stop a run? */
function isLenient({ onError, record }: Entry): boolean {
  const policy: ErrorPolicy | undefined = onError ?? record.onError;
  return policy === "warn" || policy === "disable";
}
