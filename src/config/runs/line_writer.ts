/**
 * Ordered writing of lines to a writer that may be asynchronous and may fail.
 *
 * @module
 */

import { codeOf } from "../../base/file_refusal.ts";

/** Writes one line with its newline. If it returns a promise, the next line waits for it. */
export type WriteLine = (line: string) => void | PromiseLike<void>;

/** Writes lines in order. An error of one line does not prevent later lines; `flush` throws it. */
export class LineWriter {
  readonly #write: WriteLine;
  #tail: Promise<void> | undefined;
  #attempted = 0;
  #errors: unknown[] = [];

  /** Creates a writer that calls `write`. */
  constructor(write: WriteLine) {
    this.#write = write;
  }

  /** Writes a line, or queues it if earlier lines are pending. Never throws. */
  push(line: string): void {
    this.#attempted++;
    if (this.#tail !== undefined) {
      const tail: Promise<void> = this.#follow(this.#tail.then(() => this.#write(line)));
      this.#tail = tail;
      return;
    }
    try {
      const writing = this.#write(line);
      if (isThenable(writing)) this.#tail = this.#follow(Promise.resolve(writing));
    } catch (error) {
      this.#errors.push(error);
    }
  }

  /** Waits until all lines are written or have failed. Throws an Error if a line failed since the last call. */
  async flush(): Promise<void> {
    while (this.#tail !== undefined) await this.#tail;
    const [errors, attempted] = [this.#errors, this.#attempted];
    [this.#errors, this.#attempted] = [[], 0];
    if (errors.length === 0) return;
    const reason = errors[0] instanceof Error ? errors[0].message : String(errors[0]);
    const error = new Error(
      `The run log is incomplete: ${errors.length} of ${attempted} lines could not be written. First error: ${reason}`,
      { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) },
    );
    const code = codeOf(errors[0]);
    throw code === undefined ? error : Object.assign(error, { code });
  }

  #follow(writing: Promise<void>): Promise<void> {
    const tail: Promise<void> = writing
      .catch((error) => void this.#errors.push(error))
      .then(() => {
        if (this.#tail === tail) this.#tail = undefined;
      });
    return tail;
  }
}

function isThenable(value: unknown): value is PromiseLike<void> {
  return typeof (value as PromiseLike<void> | undefined)?.then === "function";
}
