/**
 * Checks the types of everything that must run in a page against the browser's library instead of Deno's, so
 * that a `Deno.` in it is an error.
 *
 * The options are those of deno.json with another `lib`.
 *
 * @module
 */

import { type Checked, checkWith } from "./check_with.ts";
import { presentFiles } from "../page/bundles.ts";
import { entryPoints, ROOT } from "./entry_points.ts";

/** Entry points that are for Deno only. */
const NOT_FOR_BROWSERS = ["./cli"];

const BROWSER_LIBRARIES = ["esnext", "dom", "dom.iterable", "dom.asynciterable"];

/** Checks these modules, and what they import, as a page would see them. */
export function checkForBrowser(modules: readonly string[]): Promise<Checked> {
  return checkWith(modules, (own) => ({ ...own, lib: BROWSER_LIBRARIES }));
}

if (import.meta.main) {
  const modules = Object.entries(await entryPoints())
    .filter(([name]) => !NOT_FOR_BROWSERS.includes(name))
    .map(([, module]) => module);
  const scripts = presentFiles().filter(({ source }) => source.endsWith(".ts"))
    .map(({ source }) => new URL(source, ROOT).href);
  const { success, output } = await checkForBrowser([...modules, ...scripts]);
  console.error(output.trimEnd());
  Deno.exit(success ? 0 : 1);
}
