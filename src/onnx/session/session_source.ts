import { checkIntegrity, download, type DownloadOptions } from "./download.ts";
import { findProcess } from "./find_process.ts";

/** A model or its weights: the bytes, where they are, or the path of a file. */
export type ModelSource = Uint8Array | ArrayBuffer | URL | string;

/** Bytes, and what to call them. */
export interface LoadedSource {
  /** What it is. */
  readonly bytes: Uint8Array;
  /** The end of its address, or "a model". */
  readonly name: string;
  /** Where it came from, if that is known: its other files are beside it. */
  readonly url: URL | undefined;
}

/** What is used of Node's file system, which Deno and Bun have as well. */
interface Files {
  readFile(path: string | URL, options?: { signal?: AbortSignal }): Promise<Uint8Array>;
}

/** Options of {@linkcode loadSource}. */
export interface LoadSourceOptions {
  /** Gives up reading. */
  readonly signal?: AbortSignal | undefined;
  /** The name that errors call it by. */
  readonly name?: string;
  /** Limits, and hashes. */
  readonly download?: DownloadOptions | undefined;
  /**
   * True if a single hash is that of this file.
   *
   * @default true
   */
  readonly isModel?: boolean;
}

/**
 * Reads a source whole. A string is the path of a file, or an address where it has a scheme (`https://…`); in a page,
 * always an address.
 *
 * @throws {Error} when it cannot be read, with the original error as `cause`
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
    throw new Error(`Cannot open ${called} as ${placeOf(url)} must be readable: ${reason}`, {
      cause,
    });
  }
}

/** Reads what may not be there: then the answer is `undefined`. Throws an Error for what is there and cannot be read. */
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

/** What file systems and servers say of what is not there, or not for us. */
const MISSING: ReadonlySet<unknown> = new Set(
  ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "NotCapable", 403, 404, 410],
);

async function readUrl(
  url: URL,
  { signal, download: limits }: LoadSourceOptions,
): Promise<Uint8Array> {
  const files = url.protocol === "file:"
    ? findProcess()?.getBuiltinModule?.("node:fs/promises")
    : undefined;
  if (files !== undefined) {
    const bytes = await (files as Files).readFile(url, signal === undefined ? {} : { signal });
    return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  }
  return await download(url, limits, signal);
}

/** Where a path or an address leads to. */
export function sourceUrl(source: string): URL {
  const process = findProcess();
  // A single letter is a drive, not a scheme.
  if (/^[a-z][a-z\d+.-]+:/i.test(source)) return new URL(source);
  if (process === undefined) return new URL(source, baseOfPage());
  const path = source.replaceAll("\\", "/");
  const root = `file:///${process.cwd().replaceAll("\\", "/").replace(/^\//, "")}/`;
  const [from, to] = [root, /^[a-z]:/i.test(path) ? `/${path}` : path].map((each) =>
    each.replace(/[%?#]/g, encodeURIComponent)
  );
  return new URL(to!, from);
}

function baseOfPage(): string {
  const { document, location } = globalThis as unknown as {
    readonly document?: { readonly baseURI: string };
    readonly location?: { readonly href: string };
  };
  return document?.baseURI ?? location?.href ?? "";
}

function nameOf(url: URL): string {
  if (url.protocol === "data:") return "a model in a data: address";
  const last = url.pathname.split("/").findLast((part) => part !== "");
  return last === undefined ? url.href : decodeURIComponent(last);
}

/** Returns an address without its query, which may hold a key, and without a user's name and password. */
function placeOf({ protocol, host, pathname }: URL): string {
  const text = `${protocol}${protocol === "data:" ? "" : "//"}${host}${pathname}`;
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
