/**
 * Files of the page, which `deno task page` bundles and packs into `src/page/assets`.
 *
 * @module
 */

import { denoWords } from "../platform/program.ts";

/** Names of the files of the page, as in its addresses. */
export type AssetName = "page.html" | "app.css" | "app.js" | "viewer.js" | "tab_worker.js";

/** A file of the page. */
export interface PageAsset {
  /** Media type with its character set. */
  readonly type: string;
  /** Hash of the content, for caches: 16 hexadecimal digits. */
  readonly hash: string;
  /** Content, compressed by gzip. */
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/** A file of the page as it is packed into a module of `src/page/assets`. */
export interface PackedAsset {
  /** Media type with its character set. */
  readonly type: string;
  /** Hash of the content. */
  readonly hash: string;
  /** Content, compressed by gzip, as base64. */
  readonly text: string;
}

/**
 * Opens a file of the page. In a clone, the page is built first if it is missing or older than its sources.
 *
 * @throws {Error} if the page was not built, and cannot be built by this process; the message says how to build it
 */
export async function openAsset(name: AssetName): Promise<PageAsset> {
  await preparePage();
  const { type, hash, text } = await packed(name);
  return { type, hash, zipped: bytesOf(text) };
}

let prepared: Promise<void> | undefined;

/** Builds the page if this is a clone whose page is missing or older than its sources. Calls `onBuild` before. */
export function preparePage(onBuild: () => void = () => {}): Promise<void> {
  return prepared ??= prepare(onBuild);
}

async function prepare(onBuild: () => void): Promise<void> {
  if (!isSource()) return;
  let update: (onBuild: () => void) => Promise<void>;
  try {
    update = (await import(new URL("tools/page/build.ts", root()).href)).updatePage;
  } catch {
    return; // a package or an executable: it has its page, but no tools
  }
  await update(onBuild).catch((cause) => {
    throw notBuilt(cause);
  });
}

/** Returns whether this module is a source file on this machine, as in a clone. */
function isSource(): boolean {
  return import.meta.url.startsWith("file:") && import.meta.url.endsWith(".ts");
}

/** Returns the address of the folder of a clone. */
function root(): URL {
  return new URL("../../", import.meta.url);
}

async function packed(name: AssetName): Promise<PackedAsset> {
  // In a bundled package, the modules are JavaScript, beside the script of the bundle.
  const ending = /\.\w+$/.exec(import.meta.url)![0];
  const module = new URL(`./assets/${moduleOf(name)}.gen${ending}`, import.meta.url);
  try {
    return (await import(module.href)).ASSET;
  } catch (cause) {
    throw notBuilt(cause);
  }
}

function notBuilt(cause: unknown): Error {
  const reason = cause instanceof Error && cause.message.startsWith("Cannot bundle ")
    ? `. ${cause.message}`
    : "";
  const folder = isSource() ? ` in ${decodeURIComponent(root().pathname)}` : "";
  return new Error(
    `Cannot open the page: it is not built${reason}. Run${folder}: ${denoWords()} task page`,
    { cause },
  );
}

/** Returns the bytes of a text in base64. Node has no `Uint8Array.fromBase64`. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** Returns the name of the module with a file: `app_js` for `app.js`. */
export function moduleOf(name: AssetName): string {
  return name.replace(".", "_");
}
