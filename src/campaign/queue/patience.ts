/**
 * Requests to a server that may be down for a moment.
 *
 * @module
 */

/** Names of errors of requests that were lost: the connection broke, or the server was starting. */
const LOST: ReadonlySet<string> = new Set([
  "TimeoutError",
  "NoRespondersError",
  "RequestError",
  "JetStreamNotEnabled",
  "ConnectionError",
]);

/** Code of the server's answer while a cluster has no leader. */
const UNAVAILABLE = 10008;

/** Tries of a request. Each takes some seconds if the server does not answer. */
const TRIES = 12;

/**
 * Makes a request, again if it was lost. The request must have the same effect if the server gets it twice.
 *
 * @throws {Error} if the server refuses the request, or has not answered several times
 */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1;; left--) {
    try {
      return await request();
    } catch (error) {
      if (left === 0 || !isLost(error)) throw error;
      await pause();
    }
  }
}

/** Returns whether a request was lost, so that it should be made again. */
export function isLost(error: unknown): boolean {
  const { name, code, cause } = error as {
    readonly name?: string;
    readonly code?: unknown;
    readonly cause?: { readonly name?: string };
  };
  // A missing permission does not come by itself.
  if (cause?.name === "PermissionViolationError") return false;
  return LOST.has(name ?? "") || code === UNAVAILABLE;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 250));
}

/** Options of {@linkcode Confirmations}. */
export interface ConfirmationOptions {
  /** Longest time in which the server confirms nothing, ms. @default 120000 */
  readonly patience?: number;
  /** Receives a text when the server has not confirmed a message in time, once until it confirms one again. */
  readonly onWaiting?: (reason: string) => void;
}

/** Time in which the server should confirm a message, ms, first and at most. A slow disk may need more than the first. */
const CONFIRM = { first: 5000, most: 30_000 } as const;

/** Confirmations of stored messages. A server with a full disk does not refuse messages: it never answers. */
export class Confirmations {
  readonly #patience: number;
  readonly #onWaiting: (reason: string) => void;
  #last = -Infinity;
  #hasWarned = false;

  constructor({ patience = 120_000, onWaiting = () => {} }: ConfirmationOptions = {}) {
    this.#patience = patience;
    this.#onWaiting = onWaiting;
  }

  /**
   * Makes a request until the server confirms it. The request gets its time limit, ms, and must have the same effect if
   * the server gets it twice.
   *
   * @throws {Error} if the server refuses the request, or has confirmed nothing for long
   */
  async wait<T>(request: (timeout: number) => Promise<T>): Promise<T> {
    const begun = performance.now();
    for (let timeout: number = CONFIRM.first;; timeout = Math.min(2 * timeout, CONFIRM.most)) {
      try {
        const answer = await request(timeout);
        this.#seen();
        return answer;
      } catch (error) {
        if (!isLost(error)) {
          this.#seen(); // a refusal is an answer
          throw error;
        }
        const silence = performance.now() - Math.max(begun, this.#last);
        const reason =
          `the server has not confirmed a message for ${Math.round(silence / 1000)} s. ` +
          "Its log says why; often its disk is full";
        if (silence > this.#patience) {
          throw new Error(
            `Cannot queue the structures: ${reason}. Free space, start the server again, and repeat the ` +
              "submission: structures that are in the queue are not added again",
            { cause: error },
          );
        }
        if (!this.#hasWarned) this.#onWaiting(reason);
        this.#hasWarned = true;
        await pause();
      }
    }
  }

  #seen(): void {
    this.#last = performance.now();
    this.#hasWarned = false;
  }
}

/** Waits for a promise, at most for some time, ms. Its error is ignored. Returns true if it was fulfilled. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const isDone = await Promise.race([promise.then(() => true, () => false), over]);
  clearTimeout(timer);
  return isDone;
}
