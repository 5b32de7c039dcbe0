import { checkIntegrity, download, type DownloadOptions } from "./download.ts";
import { findBuiltin, findProcess } from "../../platform/process.ts";
import { pageAddress } from "../../platform/page.ts";

/** A model or its weights: bytes, an address, or the path of a file. */
export type ModelSource = Uint8Array | ArrayBuffer | URL | string;

/** Bytes of a file or a download, with their origin. */
export interface LoadedSource {
  /** Bytes of the file. */
  readonly bytes: Uint8Array;
  /** Name of the source in error messages. By default, the last part of the address, or "a model" for bytes. */
  readonly name: string;
  /** Address of the source; `undefined` for bytes. Locations of external weights are relative to it. */
  readonly url: URL | undefined;
}

/** Members of Node's file system that are used here. Deno and Bun have them too. */
interface Files {
  readFile(path: string | URL, options?: { signal?: AbortSignal }): Promise<Uint8Array>;
}

/** Options of {@linkcode loadSource}. */
export interface LoadSourceOptions {
  /** Signal that aborts reading. */
  readonly signal?: AbortSignal | undefined;
  /** Name of the source in error messages. */
  readonly name?: string;
  /** Limits and expected hashes for downloads. */
  readonly download?: DownloadOptions | undefined;
  /**
   * True if the source is the model's file. A single hash in `download.integrity` applies only to this file.
   *
   * @default true
   */
  readonly isModel?: boolean;
}

/**
 * Reads a source. A string is the path of a file, or an address if it has a scheme (`https://…`). In a web page it is
 * always an address.
 *
 * @throws {Error} if the source cannot be read or its hash is wrong, with the original error as `cause`
 */
export async function loadSource(
  source: ModelSource,
  options: LoadSourceOptions = {},
): Promise<LoadedSource> {
  const { signal, name, download, isModel = true } = options;
  signal?.throwIfAborted();
  if (source instanceof Uint8Array) {
    return { bytes: source, name: name ?? "a model", url: undefined };
  }
  if (source instanceof ArrayBuffer) {
    return await loadSource(new Uint8Array(source), { name: name! });
  }
  const url = typeof source === "string" ? sourceUrl(source) : source;
  const called = name ?? nameOf(url);
  try {
    const bytes = await readUrl(url, options);
    await checkIntegrity({ name: nameOf(url), bytes, isModel }, download?.integrity);
    return { bytes, name: called, url };
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot open ${called} (${placeOf(url)}): ${reason}`, {
      cause,
    });
  }
}

/**
 * Reads a source, and returns `undefined` if it does not exist or access is denied. Throws the error of {@linkcode
 * loadSource} if reading fails for another reason.
 */
export async function findSource(
  url: URL,
  options: LoadSourceOptions = {},
): Promise<LoadedSource | undefined> {
  try {
    return await loadSource(url, options);
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: unknown; name?: unknown } };
    if (typeof cause === "object" && (MISSING.has(cause.code) || MISSING.has(cause.name))) {
      return undefined;
    }
    throw error;
  }
}

/** Error codes and HTTP statuses of files that do not exist or may not be read. */
const MISSING: ReadonlySet<unknown> = new Set(
  ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "NotCapable", 403, 404, 410],
);

async function readUrl(
  url: URL,
  { signal, download: limits }: LoadSourceOptions,
): Promise<Uint8Array> {
  const files = url.protocol === "file:"
    ? findBuiltin("node:fs/promises") as Files | undefined
    : undefined;
  if (files !== undefined) {
    const bytes = await files.readFile(url, signal === undefined ? {} : { signal });
    return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  }
  return await download(url, limits, signal);
}

/**
 * Returns the URL of a path or an address. Relative paths start at the working directory; in a web page, relative
 * addresses start at the address of the page.
 */
export function sourceUrl(source: string): URL {
  const process = findProcess();
  // A single letter before the colon is a Windows drive, not a scheme.
  if (/^[a-z][a-z\d+.-]+:/i.test(source)) return new URL(source);
  if (process === undefined) return new URL(source, pageAddress());
  const path = source.replaceAll("\\", "/");
  const root = `file:///${process.cwd().replaceAll("\\", "/").replace(/^\//, "")}/`;
  const [from, to] = [root, /^[a-z]:/i.test(path) ? `/${path}` : path].map((each) =>
    each.replace(/[%?#]/g, encodeURIComponent)
  );
  return new URL(to!, from);
}

function nameOf(url: URL): string {
  if (url.protocol === "data:") return "a model in a data: address";
  const last = url.pathname.split("/").findLast((part) => part !== "");
  return last === undefined ? url.href : decodeURIComponent(last);
}

/** Returns an address as text, without its query, user name and password, which may be secret. */
function placeOf({ protocol, host, pathname }: URL): string {
  const text = `${protocol}${protocol === "data:" ? "" : "//"}${host}${pathname}`;
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
