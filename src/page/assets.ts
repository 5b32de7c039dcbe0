/**
 * Files of the page, which `deno task page` bundles and packs into `src/page/assets`.
 *
 * @module
 */

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
 * Opens a file of the page.
 *
 * @throws {Error} if the page was not built
 */
export async function openAsset(name: AssetName): Promise<PageAsset> {
  const { type, hash, text } = await packed(name);
  return { type, hash, zipped: bytesOf(text) };
}

async function packed(name: AssetName): Promise<PackedAsset> {
  // In a bundled package, the modules are JavaScript, beside the script of the bundle.
  const ending = /\.\w+$/.exec(import.meta.url)![0];
  const module = new URL(`./assets/${moduleOf(name)}.gen${ending}`, import.meta.url);
  try {
    return (await import(module.href)).ASSET;
  } catch (cause) {
    throw new Error(`Cannot open ${name}: the page is not built. Run: deno task page`, { cause });
  }
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
