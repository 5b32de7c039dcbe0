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
      const { name, code } = error as { readonly name?: string; readonly code?: unknown };
      if (left === 0 || !LOST.has(name ?? "") && code !== UNAVAILABLE) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
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
