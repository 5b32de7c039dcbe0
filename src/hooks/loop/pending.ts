/**
 * Pending work of a loop: stages that were not awaited, work that waits between steps, and calls of the loop in
 * progress.
 *
 * @module
 */

import { isThenable } from "../../base/sequence.ts";

/** Detects a step that does not await a stage whose hooks are asynchronous. */
export class PendingStage {
  #stage: string | undefined;

  /** Remembers `stage` until `result` settles, if that is a promise. Returns the result. */
  watch<V>(stage: string, result: V): V {
    if (!isThenable(result)) return result;
    this.#stage = stage;
    const done = () => {
      if (this.#stage === stage) this.#stage = undefined;
    };
    // Returns a derived promise: if it rejects and the caller does not await it, the rejection still counts as unhandled.
    return result.then((value) => {
      done();
      return value;
    }, (error) => {
      done();
      throw error;
    }) as V;
  }

  /** Throws an Error if the hooks of a stage are still running. `action` names what the engine tried to do next. */
  assertNone(action: string): void {
    const stage = this.#stage;
    if (stage === undefined) return;
    this.#stage = undefined;
    throw new Error(
      `Cannot ${action}: an asynchronous hook of ${stage} is still running. Await the call that reached the stage: ` +
        `await loop.fire(${JSON.stringify(stage)}) (or pipe, gate, replace)`,
    );
  }
}

/** A queue of work that waits for the current step to end. */
export class BetweenSteps {
  #waiting: { readonly work: () => Promise<void>; readonly drop: (error: unknown) => void }[] = [];

  /** True if no work is pending. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds work and returns a promise of its result. If the work throws, the promise rejects, and the run goes on. */
  add<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ work: run, drop: reject });
    });
  }

  /** Runs all pending work in the order in which it was added. */
  async workOff(): Promise<void> {
    while (this.#waiting.length > 0) await this.#waiting.shift()!.work();
  }

  /** Rejects all pending work, because the run is over. `cause` is the error that ended the run, if there is one. */
  drop(engine: string, cause?: unknown): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    for (const { drop } of dropped) {
      const message = `Cannot work between two steps of ${engine}: its run is over`;
      drop(new Error(message, cause === undefined ? {} : { cause }));
    }
  }
}

/**
 * Allows one call of a loop at a time, such as `run` or `close`. Without this, hooks could be called by two runs at
 * once, or after they were closed.
 */
export class ExclusiveCalls {
  readonly #name: string;
  readonly #between: BetweenSteps;
  #busy: string | undefined;

  /** Creates the guard of the loop called `name`. Work left in `between` is dropped at the end of each call. */
  constructor(name: string, between: BetweenSteps) {
    this.#name = name;
    this.#between = between;
  }

  /** True if no call is in progress. */
  get isNone(): boolean {
    return this.#busy === undefined;
  }

  /** Runs `work` as the call named `call`. Throws an Error if another call is in progress. */
  async run<T>(call: string, work: () => Promise<T>): Promise<T> {
    this.assertNone(call);
    this.#busy = call;
    try {
      return await work();
    } finally {
      this.#busy = undefined;
      this.#between.drop(this.#name);
    }
  }

  /** Throws an Error if a call is in progress. `call` is the verb of the message, such as `"run"`. */
  assertNone(call: string): void {
    if (this.#busy === undefined) return;
    throw new Error(
      `Cannot ${call} ${this.#name}: its ${this.#busy} is not finished. Await it first`,
    );
  }
}
