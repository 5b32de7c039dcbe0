/**
 * Reports that items are still worked on, so that the server does not give them to another worker.
 *
 * @module
 */

import type { Queue } from "./queue.ts";

/** Reports three times in a lease of the queue. */
export class Heart {
  readonly #queue: Pick<Queue, "readLease">;
  readonly #report: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Creates a heart that does not beat yet. `report` reports all items. */
  constructor(queue: Pick<Queue, "readLease">, report: () => void) {
    this.#queue = queue;
    this.#report = report;
  }

  /** Begins to report, at the pace of the lease that the queue was created with. */
  async start(): Promise<void> {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(this.#report, await this.#queue.readLease() / 3);
  }

  /** Ends reporting. The next `start` reads the lease again. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
