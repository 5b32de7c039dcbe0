import type { ReplyValue } from "./requests.ts";

/** A request that some threads have not answered yet. */
interface PendingReply {
  readonly values: ReplyValue[];
  readonly threads: number;
  missing: number;
  readonly resolve: (values: readonly ReplyValue[]) => void;
  readonly reject: (error: Error) => void;
}

/** The requests that threads have not answered yet, by ticket. */
export class PendingReplies {
  readonly #open = new Map<number, PendingReply>();
  #nextTicket = 0;

  /**
   * Opens a ticket for a request to the first `threads` threads. The promise `values` resolves to the replies of
   * these threads, in their order.
   */
  open(threads: number): {
    readonly ticket: number;
    readonly values: Promise<readonly ReplyValue[]>;
  } {
    const ticket = this.#nextTicket++;
    const values = new Promise<readonly ReplyValue[]>((resolve, reject) => {
      this.#open.set(ticket, { values: [], threads, missing: threads, resolve, reject });
    });
    return { ticket, values };
  }

  /** Records the reply of one thread. Once all threads have replied, resolves the promise of the request. */
  settle(thread: number, ticket: number, value: ReplyValue): void {
    const pending = this.#open.get(ticket);
    if (pending === undefined) return;
    pending.values[thread] = value;
    if (--pending.missing > 0) return;
    this.#open.delete(ticket);
    pending.resolve(pending.values);
  }

  /** Returns whether a thread has not yet replied to a request. */
  owes(thread: number): boolean {
    for (const { values, threads } of this.#open.values()) {
      if (thread < threads && values[thread] === undefined) return true;
    }
    return false;
  }

  /** Rejects the promises of all open requests. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}
