/**
 * Pending work of a loop: a stage, work between steps, a call of the loop itself.
 *
 * @module
 */

import { isThenable } from "../../base/sequence.ts";

/** Detects a step that does not await a stage whose hooks are asynchronous. */
export class PendingStage {
  #stage: string | undefined;

  /** Remembers a promise until it settles; other values pass through. */
  watch<V>(stage: string, result: V): V {
    if (!isThenable(result)) return result;
    this.#stage = stage;
    const done = () => {
      if (this.#stage === stage) this.#stage = undefined;
    };
    // The caller gets a promise of its own: if it rejects and is not awaited, it must still count as unhandled.
    return result.then((value) => {
      done();
      return value;
    }, (error) => {
      done();
      throw error;
    }) as V;
  }

  /** Throws an Error if a stage was not awaited. */
  assertNone(action: string): void {
    const stage = this.#stage;
    if (stage === undefined) return;
    this.#stage = undefined;
    throw new Error(
      `Cannot ${action}: an asynchronous hook of ${stage} is still running. Write ` +
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

  /** Adds work, and returns a promise of its result. The caller gets its error, and the run goes on. */
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

  /** Runs all work, in order. */
  async workOff(): Promise<void> {
    while (this.#waiting.length > 0) await this.#waiting.shift()!.work();
  }

  /** Rejects all work: the run is over; `cause` is the error that ended it. */
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
 * Lets one call of a loop run at a time, such as `run` or `close`: hooks that are called twice at once, or after they
 * were closed, could rely on nothing.
 */
export class ExclusiveCalls {
  readonly #name: string;
  readonly #between: BetweenSteps;
  #busy: string | undefined;

  /** `between` has the work that waits for the end of a step. */
  constructor(name: string, between: BetweenSteps) {
    this.#name = name;
    this.#between = between;
  }

  /** True if no call is in progress. */
  get isNone(): boolean {
    return this.#busy === undefined;
  }

  /** Runs a call. Throws an Error if another is in progress. */
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

  /** Throws an Error if a call is in progress. */
  assertNone(call: string): void {
    if (this.#busy === undefined) return;
    throw new Error(
      `Cannot ${call} ${this.#name}: its ${this.#busy} is not finished. Await it first`,
    );
  }
}
