/**
 * Files from addresses: within a limit of size and time, from where they were asked for, and with a known content.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";

/** Limits for what is read of a model, its manifest and its weights. */
export interface DownloadOptions {
  /**
   * The largest file in bytes that is fetched from an address.
   *
   * @default 2 GiB
   */
  readonly maxBytes?: number;
  /**
   * The time in seconds within which a file must have arrived from an address.
   *
   * @default 600
   */
  readonly timeout?: number;
  /**
   * The SHA-256 of the model's file, as `"sha256-"` and base64 (the form of the `integrity` of a script); or of all its
   * files, by the last part of their addresses: then each file that is read must be listed. Files on disk are compared
   * as well.
   *
   * @default not compared
   */
  readonly integrity?: string | Readonly<Record<string, string>>;
}

const MEMBERS: readonly string[] = ["maxBytes", "timeout", "integrity"];
const MAX_BYTES = 2 ** 31, TIMEOUT = 600, MOST_REDIRECTS = 5;
const HASH = /^sha256-[A-Za-z0-9+/]{43}=$/;

/**
 * Checks the limits.
 *
 * @throws {TypeError} for unknown members, and for an integrity that is no hash
 * @throws {RangeError} for limits that are not above 0
 */
export function checkDownload(action: string, download: unknown): void {
  if (download === undefined) return;
  checkOptions(action, download as object, MEMBERS);
  const { maxBytes = 1, timeout = 1, integrity = {} } = download as DownloadOptions;
  for (const [name, value] of Object.entries({ maxBytes, timeout })) {
    if (typeof value === "number" && value > 0) continue;
    throw new RangeError(
      `Cannot ${action} as download.${name} must be a number above 0: current value is ${
        show(value)
      }`,
    );
  }
  const hashes: unknown[] = typeof integrity === "string" ? [integrity] : Object.values(integrity);
  const odd = hashes.find((hash) => typeof hash !== "string" || !HASH.test(hash));
  if (odd === undefined) return;
  throw new TypeError(
    `Cannot ${action} as download.integrity must be "sha256-" and the base64 of 32 bytes: current value is ${
      show(odd)
    }`,
  );
}

/**
 * Compares the bytes of a file with the hash that is known of it. A single hash is that of the model.
 *
 * @throws {Error} if they differ, and if hashes are listed and this file has none
 */
export async function checkIntegrity(
  { name, bytes, isModel }: {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly isModel: boolean;
  },
  integrity: DownloadOptions["integrity"],
): Promise<void> {
  if (integrity === undefined || (typeof integrity === "string" && !isModel)) return;
  const wanted = typeof integrity === "string"
    ? integrity
    : Object.hasOwn(integrity, name)
    ? integrity[name]
    : undefined;
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  const found = `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
  if (found === wanted) return;
  const cause = wanted === undefined ? "no hash is listed for it" : `the hash must be ${wanted}`;
  throw new Error(`${cause}, and it has ${found}`);
}

/** Returns the bytes at an address. Throws an Error that says what is wrong with the answer; its `code` is the status. */
export async function download(
  url: URL,
  { maxBytes = MAX_BYTES, timeout = TIMEOUT }: DownloadOptions = {},
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`it took longer than ${timeout} s`)),
    timeout * 1000,
  );
  const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  try {
    const response = await follow(url, either);
    if (response.ok) return await readAll(response, maxBytes);
    await response.body?.cancel();
    const answer = `the server answered ${response.status} ${response.statusText}`.trimEnd();
    throw Object.assign(new Error(answer), { code: response.status });
  } catch (error) {
    late.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Fetches, and follows redirects from https to https, and from http to either. */
async function follow(from: URL, signal: AbortSignal): Promise<Response> {
  let url = from;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await fetch(url, { signal, redirect: "manual" });
    // A page does not learn where it is sent: it follows by itself, and never from https to http.
    if (response.type === "opaqueredirect") return await fetch(url, { signal });
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const to = new URL(location, url);
    if (to.protocol !== "https:" && to.protocol !== url.protocol) {
      throw new Error(`the server redirected from ${url.protocol} to ${to.protocol}`);
    }
    url = to;
  }
  throw new Error(`the server redirected more than ${MOST_REDIRECTS} times`);
}

async function readAll(response: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new Error(`it is larger than download.maxBytes (${maxBytes})`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
