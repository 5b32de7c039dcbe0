/**
 * Requests that follow redirects by themselves, so that each next address can be checked first.
 *
 * @module
 */

/** Rules for the redirects of one request. */
export interface RedirectRules {
  /** Sends the request to an address, with `redirect: "manual"`. */
  readonly ask: (url: URL) => Promise<Response>;
  /** Throws unless the redirect may be followed; `to` is `undefined` if the server gave no valid address. */
  readonly check: (from: URL, to: URL | undefined) => void;
  /** The number of redirects that are followed. */
  readonly most: number;
}

/**
 * Sends a request, and follows its redirects. Returns the last answer, with the address that gave it: the answer is a
 * redirect again if there are more than `most`.
 */
export async function followRedirects(
  from: URL,
  { ask, check, most }: RedirectRules,
): Promise<{ readonly response: Response; readonly url: URL }> {
  let url = from;
  for (let redirects = 0;; redirects++) {
    const response = await ask(url);
    if (redirects === most || !isRedirect(response)) return { response, url };
    await response.body?.cancel();
    const location = response.headers.get("location")!;
    const to = URL.canParse(location, url) ? new URL(location, url) : undefined;
    check(url, to);
    url = to!;
  }
}

/** Returns whether an answer sends the request to another address. */
export function isRedirect({ status, headers }: Response): boolean {
  return status >= 300 && status <= 399 && headers.has("location");
}
