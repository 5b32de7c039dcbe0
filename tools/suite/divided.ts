import { sourceFiles } from "../architecture/source_files.ts";
import { ROOT } from "../check/entry_points.ts";

/**
 * Finds the test files of which each suite runs a part: those that import tests/suite.ts, or a module of the tests that
 * does.
 */
export async function dividedFiles(): Promise<Set<string>> {
  const files = (await sourceFiles(ROOT)).filter((file) => /^tests\/.*\.ts$/.test(file));
  const imports = new Map(
    await Promise.all(files.map(async (file) => [file, await importsOf(file)] as const)),
  );
  const divided = new Set(["tests/suite.ts"]);
  for (let before = 0; before < divided.size;) {
    before = divided.size;
    for (const [file, imported] of imports) {
      if (imported.some((one) => divided.has(one))) divided.add(file);
    }
  }
  // A slow test that imports it, such as by way of a helper, is slow all the same.
  return new Set([...divided].filter((file) => /(?<!_slow)_test\.ts$/.test(file)));
}

/** The files that a module imports by relative paths, as paths from the root. */
async function importsOf(file: string): Promise<string[]> {
  const url = new URL(file, ROOT);
  const text = await Deno.readTextFile(url);
  return [...text.matchAll(/^(?:import|export|\}) .*?from "(\.\.?\/[^"]+)";$/gm)]
    .map(([, path]) => new URL(path!, url).href.slice(ROOT.href.length));
}
