/**
 * Checks of the token, host and origin of requests.
 *
 * @module
 */

/** Number of random bytes of a token. */
const TOKEN_BYTES = 24;

/** Returns a new token, which can stand in an address as it is. */
export function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

/** Returns whether a token is the right one. The time does not tell how much of it is right. */
export function isToken(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let i = 0; i < token.length; i++) difference |= given.charCodeAt(i) ^ token.charCodeAt(i);
  return difference === 0;
}

/** Returns the token of the header `Authorization: Bearer …`; an empty text without one. */
export function bearerOf({ headers }: Request): string {
  return /^Bearer +([^\s]+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
}

/**
 * Returns whether a browser meant this server. A page of another site can make its own name lead to this machine, but
 * the browser still sends that name: only `localhost`, addresses, and the name that the user has chosen are right.
 *
 * The port is free, because `ssh -L` may give the page another one.
 */
export function isOwnHost({ headers }: Request, chosen: string): boolean {
  const host = headers.get("host") ?? "";
  const [, name] = /^(\[[0-9a-fA-F:.]+\]|[^:@/\\?#\s[\]]+)(?::\d{1,5})?$/.exec(host) ?? [];
  if (name === undefined) return false;
  const plain = name.toLowerCase().replace(/\.$/, "");
  return plain === "localhost" || plain === chosen.toLowerCase() || plain.startsWith("[") ||
    /^\d{1,3}(\.\d{1,3}){3}$/.test(plain);
}

/** Returns whether a request comes from the page of this server, or from a program that is no browser. */
export function isSameOrigin({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site"), origin = headers.get("origin");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  if (origin === null) return true;
  const host = headers.get("host") ?? "";
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Returns whether an address means this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
