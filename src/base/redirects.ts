/**
 * Requests whose redirects are followed by this code and not by `fetch`, so that each address can be checked first.
 *
 * @module
 */

/** Rules for the redirects of one request. */
export interface RedirectRules {
  /** Sends the request to `url`, with `redirect: "manual"`. */
  readonly ask: (url: URL) => Promise<Response>;
  /**
   * Throws if the redirect must not be followed. `to` is `undefined` if the server gave no valid address, and `check`
   * must throw then.
   */
  readonly check: (from: URL, to: URL | undefined) => void;
  /** Largest number of redirects to follow. */
  readonly most: number;
}

/**
 * Sends a request and follows its redirects. Returns the last response and the address that sent it. After `most`
 * redirects the response is returned even if it is a redirect.
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

/** Returns whether a response redirects the request to another address. */
export function isRedirect({ status, headers }: Response): boolean {
  return status >= 300 && status <= 399 && headers.has("location");
}
