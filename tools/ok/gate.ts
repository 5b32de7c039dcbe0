/**
 * The one gate: everything that must hold before a change goes in. It runs all steps even when one fails, so
 * that one run tells everything, and ends with what failed.
 *
 * `--tested` leaves the tests out, for a caller that has just run them on the same tree.
 *
 * @module
 */

import { longFiles } from "../architecture/sizes.ts";
import { sourceFiles } from "../architecture/source_files.ts";
import { ROOT } from "../check/entry_points.ts";

interface Step {
  name: string;
  args: string[];
}

/** The architecture, the README's commands and the exported names are tests, so `tests` covers them. */
const STEPS: readonly Step[] = [
  { name: "format", args: ["fmt", "--check"] },
  { name: "lint", args: ["lint"] },
  { name: "types", args: ["task", "check"] },
  { name: "doc lint", args: ["task", "doc:lint"] },
  { name: "supply", args: ["task", "supply"] },
  { name: "publish dry run", args: ["task", "publish:dry"] },
  { name: "sizes", args: ["task", "sizes"] },
  { name: "tests", args: ["task", "test"] },
  { name: "bench guard", args: ["task", "bench:table", "hooks", "--guard"] },
];

/** The tasks need not ask the registry again: `ok` depends on the task that has just decided. */
async function decidedSource(): Promise<string> {
  const standIn = new URL("tools/airgap/std_assert/deno.json", ROOT);
  return await Deno.stat(standIn).then(() => "local", () => "jsr");
}

async function run({ name, args }: Step, source: string): Promise<boolean> {
  console.log(`\n── ${name} ──`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    env: { STD: source },
  }).spawn().status;
  return success;
}

async function mentionLongFiles(): Promise<void> {
  const files = (await sourceFiles(ROOT)).filter((file) => /^(src|tools)\//.test(file));
  const texts = files.map(async (file): Promise<[string, string]> => [
    file,
    await Deno.readTextFile(new URL(file, ROOT)),
  ]);
  const long = longFiles(new Map(await Promise.all(texts)));
  if (long.length > 0) console.log(`\nlonger than files aim to be:\n  ${long.join("\n  ")}`);
}

if (import.meta.main) {
  const source = await decidedSource();
  const steps = STEPS.filter(({ name }) => name !== "tests" || !Deno.args.includes("--tested"));
  const failed: string[] = [];
  for (const step of steps) if (!await run(step, source)) failed.push(step.name);
  await mentionLongFiles();
  console.log(failed.length === 0 ? "\ngate: ok" : `\ngate: FAILED at ${failed.join(", ")}`);
  Deno.exit(failed.length === 0 ? 0 : 1);
}
