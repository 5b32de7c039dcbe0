/**
 * Writes the files of a new part, adds it to the lists that it belongs to, and prints what is left to do.
 *
 * Run: `deno task new kernel|sink|hook|rule|integrator|optimizer NAME`
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";
import { kindOf, type Scaffold, scaffold, withAddition } from "./scaffold.ts";

/** Writes a scaffold below a folder. Throws before anything is written if a file exists, or a list has no place for it. */
export async function write({ files, additions }: Scaffold, root: URL): Promise<string[]> {
  const texts = new Map<string, string>();
  for (const addition of additions) {
    const { path } = addition;
    const text = texts.get(path) ?? await Deno.readTextFile(new URL(path, root));
    texts.set(path, withAddition(text, addition));
  }
  for (const [path, text] of files) {
    if (await exists(new URL(path, root))) {
      throw new Error(`Cannot write ${path}: the file exists. Choose another name`);
    }
    texts.set(path, text);
  }
  for (const [path, text] of texts) {
    await Deno.mkdir(new URL("./", new URL(path, root)), { recursive: true });
    await Deno.writeTextFile(new URL(path, root), text);
  }
  return [...texts.keys()];
}

async function exists(url: URL): Promise<boolean> {
  return await Deno.stat(url).then(() => true, () => false);
}

/** Formats TypeScript files: a long name makes lines longer. */
async function format(paths: readonly string[]): Promise<void> {
  const files = paths.filter((path) => path.endsWith(".ts"));
  const args = ["fmt", "--quiet", ...files];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) throw new Error(`deno fmt failed: ${new TextDecoder().decode(stderr)}`);
}

if (import.meta.main) {
  try {
    const plan = await scaffold(kindOf(Deno.args[0]), Deno.args[1]);
    const paths = await write(plan, ROOT);
    await format(paths);
    console.log(`Written:\n${paths.map((path) => `  ${path}`).join("\n")}`);
    console.log(`\nLeft to do:\n${plan.left.map((line, i) => `  ${i + 1}. ${line}`).join("\n")}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}
