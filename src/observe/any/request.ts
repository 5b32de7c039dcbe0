/**
 * Requests to addresses that may contain a secret: the path of a webhook's address is its password.
 *
 * @module
 */

import { followRedirects } from "../../base/redirects.ts";

const MOST_REDIRECTS = 3;

/**
 * Sends a request, and discards the body of the response.
 *
 * @throws {Error} if the request fails or is refused; neither the message nor a cause contains the path or the query
 * of the address
 */
export async function send(address: string | URL, request: RequestInit): Promise<void> {
  const { response, url } = await followRedirects(new URL(address), {
    most: MOST_REDIRECTS,
    ask: (url) => responseOf(url, request),
    check: checkSame,
  });
  await response.body?.cancel();
  if (response.ok) return;
  throw new Error(`${url.host} responded ${response.status} ${response.statusText}`.trim());
}

async function responseOf(url: URL, request: RequestInit): Promise<Response> {
  let response;
  try {
    response = await fetch(url, { ...request, redirect: "manual" });
  } catch (error) {
    // The reason of the signal is an error of Hooke, which does not contain the address.
    if (request.signal?.aborted === true) throw request.signal.reason;
    // Runtimes put the whole address into the messages of errors and of their causes, so the cause is dropped.
    throw new Error(`${url.host} cannot be reached: ${reasonOf(error)}`);
  }
  if (response.type === "opaqueredirect") throw refused(url);
  return response;
}

/**
 * Throws an Error if a redirect changes the host or the path, which is a secret of the first host, or leads from
 * https to http.
 */
function checkSame(from: URL, to: URL | undefined): void {
  const isSame = to?.host === from.host && to.pathname === from.pathname;
  if (isSame && (to.protocol === "https:" || to.protocol === from.protocol)) return;
  throw refused(from);
}

function refused({ host }: URL): Error {
  return new Error(`${host} redirected to another address, which is not followed`);
}

/** Patterns in error messages of runtimes, each with the plain cause that is shown instead. */
const REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ECONNREFUSED|connection refused/i, "connection refused"],
  [/ENOTFOUND|EAI_AGAIN|dns error/i, "unknown host"],
  [/ECONNRESET|connection reset|closed before/i, "connection reset"],
  [/certificate|tls/i, "its certificate was not accepted"],
  [/NotCapable|Requires net access/i, "access to the network is not permitted"],
];

function reasonOf(error: unknown): string {
  let text = "";
  for (let each = error; each instanceof Error && text.length < 10_000; each = each.cause) {
    text += ` ${each.name} ${each.message} ${(each as { readonly code?: unknown }).code ?? ""}`;
  }
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? "the request failed";
}
