import { gzipSync } from "node:zlib";
import { ROOT } from "../check/entry_points.ts";

/** A script of a page, and the sizes that its bundle may have. */
export interface PageBudget {
  /** Name of the file in tools/sizes/pages, without extension. */
  readonly name: string;
  /** Largest size of the files that the page loads before it runs, in bytes after gzip. */
  readonly start: number;
  /** Largest size of a bundle in one file, including everything that is loaded late, in bytes after gzip. */
  readonly whole: number;
}

/** The budgets, slightly above the sizes that have been reached. The aims are 15 kB and 200 kB. */
export const BUDGETS: readonly PageBudget[] = [
  { name: "hook", start: 9_000, whole: 9_000 },
  { name: "hooks", start: 32_000, whole: 32_000 },
  { name: "atoms", start: 184_000, whole: 260_000 },
  { name: "viewer", start: 25_000, whole: 68_000 },
];

/** Sizes of the bundle of a page, in bytes after gzip. */
export type BundleSize = Omit<PageBudget, "name">;

/** Bundles a page with `deno bundle`, and returns its sizes. */
export async function bundleSize(name: string): Promise<BundleSize> {
  const folder = await Deno.makeTempDir();
  try {
    const whole = `${folder}/whole.js`, parts = `${folder}/parts`;
    await bundle(name, `--output=${whole}`);
    await bundle(name, "--code-splitting", `--outdir=${parts}`);
    const texts = new Map<string, string>();
    for await (const { name: file } of Deno.readDir(parts)) {
      texts.set(file, await Deno.readTextFile(`${parts}/${file}`));
    }
    const loaded = loadedFirst(texts, `${name}.js`);
    return {
      start: loaded.reduce((sum, file) => sum + zipped(texts.get(file)!), 0),
      whole: zipped(await Deno.readTextFile(whole)),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Bundles a page, minified. `where` are the flags that say where the output goes. */
export async function bundle(name: string, ...where: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", "--minify", ...where, `${PAGES}${name}.ts`],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`deno bundle failed: ${new TextDecoder().decode(stderr)}`);
}

/** Folder of the pages, from the root. */
const PAGES = "tools/sizes/pages/";

/** Returns the files that a script loads before it runs, with the script itself. `texts` are all files by name. */
export function loadedFirst(texts: ReadonlyMap<string, string>, script: string): string[] {
  const loaded = new Set([script]);
  for (const file of loaded) {
    for (const [, name] of texts.get(file)!.matchAll(STATIC_IMPORT)) loaded.add(name!);
  }
  return [...loaded];
}

/** An import or export from another file of a minified bundle. An import by a call has a parenthesis instead. */
const STATIC_IMPORT = /\b(?:import|from)"\.\/([^"]+)"/g;

function zipped(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}
