import type { Answer } from "./requests.ts";

interface Open {
  readonly answers: Answer[];
  missing: number;
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (error: Error) => void;
}

/** What threads have been asked and have not all answered yet. */
export class Questions {
  readonly #open = new Map<number, Open>();
  #asked = 0;

  /** One more, for so many threads: its ticket, and the answers of all, by thread. */
  ask(threads: number): { readonly ticket: number; readonly answers: Promise<readonly Answer[]> } {
    const ticket = this.#asked++;
    const answers = new Promise<readonly Answer[]>((resolve, reject) => {
      this.#open.set(ticket, { answers: [], missing: threads, resolve, reject });
    });
    return { ticket, answers };
  }

  /** A thread has answered. */
  answer(thread: number, ticket: number, answer: Answer): void {
    const open = this.#open.get(ticket);
    if (open === undefined) return;
    open.answers[thread] = answer;
    if (--open.missing > 0) return;
    this.#open.delete(ticket);
    open.resolve(open.answers);
  }

  /** Nobody answers any more. */
  fail(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}
