/**
 * Checks the types of everything that must run in a page against the browser's library instead of Deno's, so
 * that a `Deno.` in it is an error.
 *
 * The options are those of deno.json with another `lib`. They are written to a throw-away file, because a
 * second committed one would drift from the first, and `deno check` takes no libraries on its command line.
 *
 * @module
 */

import { entryPoints, ROOT } from "./entry_points.ts";

/** Entry points that are for Deno only. */
const NOT_FOR_BROWSERS = ["./cli"];

const BROWSER_LIBRARIES = ["esnext", "dom", "dom.iterable", "dom.asynciterable"];

/** Checks these modules, and what they import, as a page would see them. */
export async function checkForBrowser(
  modules: readonly string[],
): Promise<{ success: boolean; output: string }> {
  const folder = await Deno.makeTempDir();
  try {
    const config = `${folder}/deno.json`;
    await Deno.writeTextFile(config, JSON.stringify(await browserConfig()));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--config", config, ...modules],
      cwd: ROOT,
    }).output();
    return { success, output: new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function browserConfig(): Promise<unknown> {
  const { name, compilerOptions, imports, nodeModulesDir } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", ROOT)),
  );
  const own = Object.entries(await entryPoints()).map(([entry, file]) => [
    `${name}${entry.slice(".".length)}`,
    file,
  ]);
  return {
    imports: { ...imports, ...Object.fromEntries(own) },
    nodeModulesDir,
    lock: false,
    compilerOptions: { ...compilerOptions, lib: BROWSER_LIBRARIES },
  };
}

if (import.meta.main) {
  const modules = Object.entries(await entryPoints())
    .filter(([name]) => !NOT_FOR_BROWSERS.includes(name))
    .map(([, module]) => module);
  const { success, output } = await checkForBrowser(modules);
  console.error(output.trimEnd());
  Deno.exit(success ? 0 : 1);
}
