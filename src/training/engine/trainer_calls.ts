/**
 * Serialization of the calls of a trainer: one call at a time, and no call after it is closed.
 *
 * @module
 */

/** Runs the calls of one trainer, one at a time. */
export class TrainerCalls {
  readonly #name: string;
  readonly #ready: () => Promise<void>;
  #state: "idle" | "running" | "closed" = "idle";

  /** Creates the calls of the trainer called `name`. `ready` is awaited before each call. */
  constructor(name: string, ready: () => Promise<void>) {
    this.#name = name;
    this.#ready = ready;
  }

  /** Runs `work`. Throws an Error if the trainer is closed, or if another call is running. */
  async run<T>(action: string, work: () => Promise<T>): Promise<T> {
    this.#assertIdle(action);
    this.#state = "running";
    try {
      await this.#ready();
      return await work();
    } finally {
      this.#state = "idle";
    }
  }

  /**
   * Runs `work` as the last call. Does nothing if the trainer is closed already. Throws an Error if a call is
   * running.
   */
  async close(work: () => Promise<void>): Promise<void> {
    if (this.#state === "closed") return;
    this.#assertIdle("close");
    this.#state = "closed";
    await work();
  }

  /**
   * Throws an Error if the trainer is closed, or if a call is running, because a second call would corrupt its state.
   */
  #assertIdle(action: string): void {
    if (this.#state === "idle") return;
    throw new Error(
      this.#state === "closed"
        ? `Cannot ${action} ${this.#name}: it is closed. Make a new trainer`
        : `Cannot ${action} ${this.#name}: it is running. Await its run first`,
    );
  }
}
