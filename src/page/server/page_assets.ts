/**
 * Files of the page by their addresses.
 *
 * @module
 */

import { type AssetName, openAsset } from "../assets.ts";
import { ortFile } from "../ort_files.ts";
import type { PageAsset } from "./page_handler.ts";

const NAMES: Readonly<Record<string, AssetName>> = {
  "/": "page.html",
  "/app.css": "app.css",
  "/app.js": "app.js",
  "/viewer.js": "viewer.js",
  "/tab_worker.js": "tab_worker.js",
};

const opened = new Map<string, Promise<PageAsset>>();

/**
 * Returns a file of the page by the path of its address, such as `/app.js`; undefined if there is none.
 *
 * @throws {Error} if the page was not built
 */
export async function pageAsset(path: string): Promise<PageAsset | undefined> {
  if (path.startsWith("/ort/")) return await ortFile(path);
  if (!Object.hasOwn(NAMES, path)) return undefined;
  const known = opened.get(path);
  if (known !== undefined) return await known;
  const asset: Promise<PageAsset> = openAsset(NAMES[path]!).then(({ type, zipped }) => ({
    type,
    body: zipped,
    encoding: "gzip",
  }));
  opened.set(path, asset);
  asset.catch(() => opened.delete(path));
  return await asset;
}
