/**
 * Checks the types of every entry point with the compiler's default options. Users who copy the sources of the
 * package into their own folder have these options. Code that is correct with the stricter options of deno.json can
 * have errors with them.
 *
 * @module
 */

import { type Checked, checkWith } from "./check_with.ts";
import { entryPoints } from "./entry_points.ts";

/** Checks these modules, and what they import, as a folder without compiler options would see them. */
export function checkWithDefaults(modules: readonly string[]): Promise<Checked> {
  return checkWith(modules, () => ({}));
}

if (import.meta.main) {
  const { success, output } = await checkWithDefaults(Object.values(await entryPoints()));
  console.error(output.trimEnd());
  Deno.exit(success ? 0 : 1);
}
