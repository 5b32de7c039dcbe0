/**
 * What waits to be written: in order, in the background, and never more than there is room for.
 *
 * @module
 */

/** How much may wait. */
export interface WriterQueueOptions {
  /**
   * Bytes that may wait before whoever adds more is to wait, too.
   *
   * @default 33554432
   */
  readonly mostBytes?: number;
}

/** Work on a file, one piece after another. What goes wrong is told once, to whoever asks next. */
export class WriterQueue {
  readonly #mostBytes: number;
  readonly #waiting: { readonly work: () => Promise<void>; readonly bytes: number }[] = [];
  #bytes = 0;
  #working: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor({ mostBytes = 2 ** 25 }: WriterQueueOptions = {}) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a piece of work that holds so many bytes. Answers with something to await when there is no room for more: the
   * piece is taken all the same. Throws what went wrong with earlier pieces.
   */
  add(work: () => Promise<void>, bytes: number): void | Promise<void> {
    this.check();
    this.push(work, bytes);
    return this.room();
  }

  /** The same, whatever went wrong and however full it is. */
  push(work: () => Promise<void>, bytes: number): void {
    this.#waiting.push({ work, bytes });
    this.#bytes += bytes;
    this.#working ??= this.#workOff();
  }

  /** Something to await when there is no room for more. */
  room(): void | Promise<void> {
    if (this.#bytes > this.#mostBytes) return this.#working?.then(() => this.check());
  }

  /** Throws what went wrong since somebody last asked. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until all is done; throws what went wrong since somebody last asked. */
  async flush(): Promise<void> {
    await this.#working;
    this.check();
  }

  async #workOff(): Promise<void> {
    await Promise.resolve(); // pieces that are added at once are one turn's
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
