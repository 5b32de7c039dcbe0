/**
 * Questions to a worker that wait for their answers.
 *
 * @module
 */

/** Questions to a worker. */
export class Questions {
  readonly #waiting: Map<number, PromiseWithResolvers<unknown>> = new Map();
  #next = 0;

  /** Asks a question, which `post` sends with its id, and returns its answer. */
  ask(post: (id: number) => void): Promise<unknown> {
    const id = this.#next++, waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    post(id);
    return waiting.promise;
  }

  /** Returns the question with an id, which has its answer now. */
  settle(id: number): PromiseWithResolvers<unknown> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Rejects all questions. */
  reject(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
