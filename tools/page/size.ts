/**
 * Size of what the page loads at once.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { contentOf, presentFiles } from "./bundles.ts";

/** Largest size of the page without the worker that runs the library in the tab, bytes after gzip. */
export const PAGE_BUDGET = 250_000;

/** Returns the sizes of the files that the page loads at once, bytes after gzip. */
export async function pageSizes(): Promise<readonly (readonly [name: string, bytes: number])[]> {
  const sizes: [name: string, bytes: number][] = [];
  for (const file of presentFiles()) {
    if (file.name === "tab_worker.js") continue;
    sizes.push([file.name, gzipSync(await contentOf(file), { level: 9 }).length]);
  }
  return sizes;
}
