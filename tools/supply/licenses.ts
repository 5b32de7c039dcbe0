/**
 * Licenses of packages, as these state them.
 *
 * @module
 */

import type { Package } from "./packages.ts";

/** Returns the licenses of those packages that Deno has fetched to this machine, by `name@version`. */
export async function licensesInCache(packages: readonly Package[]): Promise<[string, string][]> {
  const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(info.stdout));
  const found: [string, string][] = [];
  for (const { name, version } of packages) {
    const path = `${npmCache}/registry.npmjs.org/${name}/${version}/package.json`;
    const text = await Deno.readTextFile(path).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    });
    if (text === undefined) continue;
    const { license } = JSON.parse(text);
    found.push([`${name}@${version}`, typeof license === "string" ? license : "unknown"]);
  }
  return found;
}
