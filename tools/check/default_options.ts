/**
 * Checks the types of every entry point with the compiler's default options. Users who copy the sources of the
 * package into their own folder have these options. Code that is correct with the stricter options of deno.json can
 * have errors with them.
 *
 * @module
 */

import { type Checked, checkWith } from "./check_with.ts";
import { entryPoints } from "./entry_points.ts";

/** Entry points that need the types of pages, which the default options lack. */
const FOR_PAGES = ["./viewer"];

/** Checks these modules, and what they import, as a folder without compiler options would see them. */
export function checkWithDefaults(modules: readonly string[]): Promise<Checked> {
  return checkWith(modules, () => ({}));
}

if (import.meta.main) {
  const modules = Object.entries(await entryPoints())
    .filter(([name]) => !FOR_PAGES.includes(name))
    .map(([, module]) => module);
  const { success, output } = await checkWithDefaults(modules);
  console.error(output.trimEnd());
  Deno.exit(success ? 0 : 1);
}
