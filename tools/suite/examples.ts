/**
 * Finds the examples in documentation: the TypeScript blocks of pages and of doc comments.
 *
 * @module
 */

/** A block of TypeScript. */
export interface Example {
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /** Expected output of the program: the `text` block after it. */
  readonly output?: string;
}

/**
 * Returns the examples of a page (`.md`) or a module (`.ts`): what `deno test --doc` finds there. Blocks marked `ignore`
 * are left out.
 */
export function examplesOf(path: string, text: string): Example[] {
  return path.endsWith(".md") ? blocksOf(text, 1) : commentsOf(text);
}

function commentsOf(text: string): Example[] {
  return [...text.matchAll(/^ *\/\*\*\n[\s\S]*?\*\//gm)].flatMap(({ index, 0: comment }) =>
    blocksOf(comment.replace(/^ *\* ?/gm, ""), lineAt(text, index))
  );
}

function blocksOf(text: string, firstLine: number): Example[] {
  const blocks = [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(({ index, 1: language, 2: code }, i): Example[] => {
    if (language !== "ts") return [];
    const next = blocks[i + 1];
    return [{
      line: firstLine + lineAt(text, index),
      code: code!,
      ...next?.[1] === "text" ? { output: next[2]! } : {},
    }];
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/**
 * Writes examples as modules, and beside them one module with a test per example.
 *
 * `deno test --doc` runs each example in an isolate of its own, which loads Hooke anew, and does not compare what it
 * prints. Here the examples of a share have one isolate, and print what the page says. Their types are checked by
 * `deno test --no-run --doc`.
 *
 * @param paths pages and modules, from the root
 * @param root where they are
 * @param folder where to write
 * @returns the module with the tests, which has none if there are no examples
 */
export async function writeExamples(
  paths: readonly string[],
  root: URL,
  folder: string,
): Promise<string> {
  const tests: string[] = [];
  for (const path of paths) {
    const url = new URL(path, root);
    for (const { line, code, output } of examplesOf(path, await Deno.readTextFile(url))) {
      const name = `example_${tests.length}.ts`;
      await Deno.writeTextFile(`${folder}/${name}`, withAbsoluteImports(code, url));
      const title = JSON.stringify(`${path}, line ${line}`);
      const shown = JSON.stringify(output);
      tests.push(`Deno.test(${title}, () => runExample(() => import("./${name}"), ${shown}));\n`);
    }
  }
  const runner = JSON.stringify(new URL("run_example.ts", import.meta.url).href);
  const all = `import { runExample } from ${runner};\n${tests.join("")}`;
  await Deno.writeTextFile(`${folder}/all_test.ts`, all);
  return `${folder}/all_test.ts`;
}

function withAbsoluteImports(code: string, url: URL): string {
  return code.replace(
    /\bfrom "(\.\.?\/[^"]+)"/g,
    (_, path) => `from ${JSON.stringify(new URL(path, url).href)}`,
  );
}
