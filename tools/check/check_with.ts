/**
 * `deno check` with other compiler options than those of deno.json. They are written to a throw-away file, because a
 * second committed one would drift from the first, and `deno check` takes none on its command line.
 *
 * @module
 */

import { entryPoints, ROOT } from "./entry_points.ts";

/** Result of a type check, with the output of the compiler. */
export interface Checked {
  success: boolean;
  output: string;
}

/** Compiler options as they stand in a deno.json. */
export type CompilerOptions = Readonly<Record<string, unknown>>;

/** Checks these modules, and what they import, with what is made of the package's own compiler options. */
export async function checkWith(
  modules: readonly string[],
  change: (own: CompilerOptions) => CompilerOptions,
): Promise<Checked> {
  const folder = await Deno.makeTempDir();
  try {
    const config = `${folder}/deno.json`;
    await Deno.writeTextFile(config, JSON.stringify(await configWith(change)));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--config", config, ...modules],
      cwd: ROOT,
    }).output();
    return { success, output: new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function configWith(change: (own: CompilerOptions) => CompilerOptions): Promise<unknown> {
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
    compilerOptions: change(compilerOptions),
  };
}
