import { isThenable } from "../../base/sequence.ts";

/** Finds out when a step forgets to await a stage whose hooks are asynchronous. */
export class Pending {
  #stage: string | undefined;

  /** Remembers a promise until it is settled; everything else passes through. */
  watch<V>(stage: string, result: V): V {
    if (!isThenable(result)) return result;
    this.#stage = stage;
    const done = () => {
      if (this.#stage === stage) this.#stage = undefined;
    };
    // The caller gets a promise of its own: one that nobody awaits must still count as unhandled when it fails.
    return result.then((value) => {
      done();
      return value;
    }, (error) => {
      done();
      throw error;
    }) as V;
  }

  /** Throws when something is still to be awaited. */
  assertNone(action: string): void {
    const stage = this.#stage;
    if (stage === undefined) return;
    this.#stage = undefined;
    throw new Error(
      `Cannot ${action} as the hooks of ${stage} must be done: one is asynchronous, so write ` +
        `await loop.fire(${JSON.stringify(stage)}) (or pipe, gate, replace)`,
    );
  }
}
