/**
 * Downloads with limits on size and time, restricted redirects and known hashes.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { followRedirects, isRedirect } from "../../base/redirects.ts";
import { show } from "../../base/show.ts";

/** Limits and expected hashes for downloading a model, its manifest and its weights. */
export interface DownloadOptions {
  /**
   * Largest file that is downloaded, in bytes.
   *
   * @default 2 GiB
   */
  readonly maxBytes?: number;
  /**
   * Time after which a download is aborted, in seconds.
   *
   * @default 600
   */
  readonly timeout?: number;
  /**
   * Expected SHA-256 of the model's file, as `"sha256-"` and base64 (as in the `integrity` attribute of a script).
   * Alternatively, the hashes of all files, keyed by the last part of their addresses. Every file that is read must
   * then be listed. Files on disk are checked as well.
   *
   * @default not checked
   */
  readonly integrity?: string | Readonly<Record<string, string>>;
}

const MEMBERS: readonly string[] = ["maxBytes", "timeout", "integrity"];
const MAX_BYTES = 2 ** 31, TIMEOUT = 600, MOST_REDIRECTS = 5;
const HASH = /^sha256-[A-Za-z0-9+/]{43}=$/;

/**
 * Checks the option `download`.
 *
 * @throws {TypeError} if a member is unknown, or `integrity` is not a hash
 * @throws {RangeError} if `maxBytes` or `timeout` is not a number above 0
 */
export function checkDownload(action: string, download: unknown): void {
  if (download === undefined) return;
  checkOptions(action, download as object, MEMBERS);
  const { maxBytes = 1, timeout = 1, integrity = {} } = download as DownloadOptions;
  for (const [name, value] of Object.entries({ maxBytes, timeout })) {
    if (typeof value === "number" && value > 0) continue;
    throw new RangeError(`download.${name} must be a number above 0; got ${show(value)}`);
  }
  const hashes: unknown[] = typeof integrity === "string" ? [integrity] : Object.values(integrity);
  const odd = hashes.find((hash) => typeof hash !== "string" || !HASH.test(hash));
  if (odd === undefined) return;
  throw new TypeError(
    `download.integrity must be "sha256-" and the base64 of 32 bytes; got ${show(odd)}`,
  );
}

/**
 * Throws an error if the hash of a file is not the expected one. If `integrity` is a single hash, only the model's
 * file is checked.
 *
 * @throws {Error} if the hashes differ, or if `integrity` lists hashes but not that of this file
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
  const expected = wanted === undefined
    ? ", and download.integrity does not list it"
    : `; expected ${wanted}`;
  throw new Error(`its hash is ${found}${expected}`);
}

/**
 * Downloads a file, and returns its bytes. If the response is a failure, throws an Error that describes it; the
 * `code` of the error is the HTTP status.
 */
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

/**
 * Fetches an address, and follows redirects. An https address may redirect only to https; an http address may
 * redirect to http and https.
 */
async function follow(from: URL, signal: AbortSignal): Promise<Response> {
  const { response } = await followRedirects(from, {
    most: MOST_REDIRECTS,
    async ask(url) {
      const response = await fetch(url, { signal, redirect: "manual" });
      // A web page cannot read the target of a redirect, so let the browser follow it. The browser never follows
      // from https to http.
      return response.type === "opaqueredirect" ? await fetch(url, { signal }) : response;
    },
    check({ protocol }, to) {
      if (to === undefined) throw new Error("the server redirected to an invalid address");
      if (to.protocol === "https:" || to.protocol === protocol) return;
      throw new Error(`the server redirected from ${protocol} to ${to.protocol}`);
    },
  });
  if (!isRedirect(response)) return response;
  await response.body?.cancel();
  throw new Error(`the server redirected more than ${MOST_REDIRECTS} times`);
}

/**
 * Reads the body of a response. The array has the announced length. It grows if no length is announced, or if the
 * announced length is that of a compressed body. A reader is used because Safari cannot iterate over a body.
 */
async function readAll({ body, headers }: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new Error(`it is larger than download.maxBytes (${maxBytes})`);
  const expected = Number(headers.get("content-length") ?? 0);
  if (expected > maxBytes) {
    await body?.cancel();
    throw tooLarge();
  }
  const reader = body?.getReader();
  let bytes = new Uint8Array(Math.max(0, expected)), length = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader!.read()) {
    const end = length + part.value.length;
    if (end > maxBytes) {
      await reader!.cancel();
      throw tooLarge();
    }
    if (end > bytes.length) bytes = resized(bytes, Math.max(end, Math.min(2 * length, maxBytes)));
    bytes.set(part.value, length);
    length = end;
  }
  return length === bytes.length ? bytes : resized(bytes, length);
}

/**
 * Returns bytes in an array of another length. If the runtime can transfer buffers, the bytes are not copied by this
 * function.
 */
function resized(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  if (typeof buffer.transfer === "function") return new Uint8Array(buffer.transfer(length));
  const other = new Uint8Array(length);
  other.set(bytes.subarray(0, length));
  return other;
}
