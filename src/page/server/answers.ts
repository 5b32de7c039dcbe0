/**
 * Answers of the server, with the headers that all of them have.
 *
 * @module
 */

import type { RunEvent } from "../protocol.ts";

/**
 * Nothing comes from anywhere else, no script is made of text, and no other page may contain this one. Kernels in
 * WebAssembly need `wasm-unsafe-eval`. The last two isolate the page, so that its workers may share memory.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
    "img-src 'self' data: blob:; connect-src 'self' blob: data:; worker-src 'self' blob:; font-src 'self'; " +
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Time between two blank lines of a stream in which nothing happens, ms. They show that the connection lives. */
const HEARTBEAT = 15_000;

/** Returns an answer with the headers of this server. */
export function answer(
  body: BodyInit | null,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, { status, headers: { ...HEADERS, ...headers } });
}

/** Returns an answer in JSON. */
export function json(value: unknown, status = 200): Response {
  return answer(JSON.stringify(value), status, { "content-type": "application/json" });
}

/** Returns an error as JSON: `{ "error": message }`. */
export function refused(status: number, error: string): Response {
  return json({ error }, status);
}

/** Returns a page of HTML with one paragraph. */
export function plainPage(status: number, title: string, text: string): Response {
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><h1>${title}</h1><p>${text}</p></html>
`;
  return answer(html, status, { "content-type": "text/html; charset=utf-8" });
}

/**
 * Returns a stream of events, one line of JSON each. An event is taken only when the client has room for it. The
 * events end when the client leaves.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<RunEvent>,
  heartbeat: number = HEARTBEAT,
): Response {
  const end = new AbortController();
  const events = open(end.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<RunEvent>> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= events.next();
      const result = await within(next, heartbeat);
      if (result === undefined) return controller.enqueue(encoder.encode("\n"));
      next = undefined;
      if (result.done) return controller.close();
      controller.enqueue(encoder.encode(`${JSON.stringify(result.value)}\n`));
    },
    async cancel() {
      end.abort();
      await events.return?.(undefined);
    },
  }, { highWaterMark: 0 });
  return answer(body, 200, { "content-type": "application/x-ndjson" });
}

/** Returns the result of a promise; undefined if it has not settled after a time in ms. */
async function within<T>(promise: Promise<T>, time: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), time);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
