/**
 * The code of the packages for npm and JSR: bundled, with chunks that entry points share.
 *
 * @module
 */

import { entryPoints, ROOT } from "../check/entry_points.ts";
import { writePage } from "../page/build.ts";
import { filesIn } from "./files_in.ts";
import { run } from "./run.ts";
import { withWorkerScripts, WORKERS } from "./worker_scripts.ts";

/** The command, which `bin/hooke.js` runs. */
export const COMMAND = "src/cli/command.ts";

/**
 * Writes the entry points, the scripts of workers, the command and the chunks that they share into a folder, with source
 * maps, and the page.
 *
 * @param imports names that deno.json maps to packages; those of `@std` become part of the bundle
 * @param flags further flags of `deno bundle`
 */
export async function writeBundle(
  out: string,
  imports: readonly string[],
  flags: readonly string[] = [],
): Promise<void> {
  await bundle(out, imports, flags);
  await withWorkerScripts(out);
  await withoutMachinePaths(out);
  await writePage(out);
}

/** Bundles the entry points, the scripts of workers and the command. Packages of npm are imported, not bundled. */
async function bundle(
  out: string,
  imports: readonly string[],
  flags: readonly string[],
): Promise<void> {
  const external = imports.filter((name) => !name.startsWith("@std/"))
    .flatMap((name) => ["--external", name, "--external", `${name}/*`]);
  const entries = [...Object.values(await entryPoints()).map(pathOf), ...WORKERS, COMMAND];
  await run(Deno.execPath(), [
    "bundle",
    "--platform=browser", // no import of node:module, and no banner: the code finds its host by itself
    "--code-splitting",
    "--sourcemap=linked",
    ...external,
    ...flags,
    `--outdir=${out}`,
    ...entries,
  ]);
}

/** Names the sources in source maps by their paths from the root. The bundler names them relative to the map. */
async function withoutMachinePaths(dist: string): Promise<void> {
  const absolute = await Deno.realPath(dist);
  for (const path of filesIn(dist, ".js.map")) {
    const map = JSON.parse(await Deno.readTextFile(`${dist}/${path}`));
    const sources = map.sources.map((source: string) => {
      const { href } = new URL(source, `file://${absolute}/${path}`);
      return href.startsWith(ROOT.href)
        ? `hooke:///${pathOf(href)}`
        : href.replace(/^.*\//, "hooke:///");
    });
    await Deno.writeTextFile(`${dist}/${path}`, JSON.stringify({ ...map, sources }));
  }
}

function pathOf(address: string): string {
  return address.slice(ROOT.href.length);
}
