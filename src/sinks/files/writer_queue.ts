/**
 * A queue of pending writes: in order, in the background, and with a limit on the pending bytes.
 *
 * @module
 */

/** Options of {@linkcode WriterQueue}. */
export interface WriterQueueOptions {
  /**
   * Number of pending bytes above which callers should wait before they write more.
   *
   * @default 33554432
   */
  readonly mostBytes?: number;
}

/** Runs work on a file in the background, in order. An error is thrown once, by the next call that checks for it. */
export class WriterQueue {
  readonly #mostBytes: number;
  readonly #waiting: { readonly work: () => Promise<void>; readonly bytes: number }[] = [];
  #bytes = 0;
  #working: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor({ mostBytes = 2 ** 25 }: WriterQueueOptions = {}) {
    this.#mostBytes = mostBytes;
  }

  /** Number of pending bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Enqueues work that holds `bytes` bytes in memory. A full queue still accepts the work, but returns a promise to
   * await before more is enqueued. Throws the first error of earlier work.
   */
  add(work: () => Promise<void>, bytes: number): void | Promise<void> {
    this.check();
    this.push(work, bytes);
    return this.room();
  }

  /** Enqueues work without checking for errors or room. */
  push(work: () => Promise<void>, bytes: number): void {
    this.#waiting.push({ work, bytes });
    this.#bytes += bytes;
    this.#working ??= this.#workOff();
  }

  /** Returns a promise to await if the queue is full. */
  room(): void | Promise<void> {
    if (this.#bytes > this.#mostBytes) return this.#working?.then(() => this.check());
  }

  /** Throws the first error of the work that no earlier call has thrown. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until all work is done. Throws the first error of the work that no earlier call has thrown. */
  async flush(): Promise<void> {
    await this.#working;
    this.check();
  }

  async #workOff(): Promise<void> {
    await Promise.resolve(); // collects the work that is enqueued in the same turn
    while (this.#waiting.length > 0) {
      const { work, bytes } = this.#waiting.shift()!;
      try {
        await work();
      } catch (error) {
        this.#failure ??= { error };
      } finally {
        this.#bytes -= bytes;
      }
    }
    this.#working = undefined;
  }
}
