/**
 * Rows of the benchmark of starting programs. bench/README.md describes them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { middle } from "./dynamics/cpu.ts";
import type { BenchResult, BenchRow, BenchSetting, NotMeasured } from "./row.ts";
import { buildPrebuilt } from "../tools/prebuilt/build.ts";
import { startTimes } from "./start/times.ts";

/** Root of the project. */
const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Rounds of all programs, for a measurement and for the guard. */
const ROUNDS = 31, QUICK_ROUNDS = 7;

/** Runs the first example of the README over a prebuilt package and over the sources, against an empty script. */
async function firstExample(
  { isQuick }: BenchSetting,
): Promise<BenchResult | NotMeasured> {
  // A busy machine changes ratios little, but milliseconds as much as it likes.
  if (isQuick) return { missing: "milliseconds need a quiet machine" };
  const folder = await Deno.makeTempDir();
  try {
    await buildPrebuilt(`${folder}/prebuilt`, { types: false });
    const run = ["run", "--no-check", "--allow-read", "--allow-write"];
    const times = await startTimes({
      empty: [...run, await userScript(`${folder}/empty`, ROOT, "")],
      prebuilt: [
        ...run,
        await userScript(`${folder}/user`, `${folder}/prebuilt`, await exampleOfReadme()),
      ],
      sources: [...run, await userScript(`${folder}/clone`, ROOT, await exampleOfReadme())],
    }, ROUNDS);
    const floor = middle(times.empty);
    return {
      value: middle(times.prebuilt) - floor,
      runs: times.prebuilt.map((time) => time - floor),
      note: `an empty script takes ${floor.toFixed(0)} ms; with the sources of a clone instead: ${
        (middle(times.sources) - floor).toFixed(0)
      } ms more`,
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the first program of the README. */
async function exampleOfReadme(): Promise<string> {
  const page = await Deno.readTextFile(`${ROOT}README.md`);
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  if (program === undefined) throw new Error("README.md has no program");
  return program;
}

/** Writes a script into a folder of a user with a linked package. Returns the path of the script. */
async function userScript(folder: string, linked: string, program: string): Promise<string> {
  await Deno.mkdir(folder);
  const config = { links: [linked], imports: { "@hooke/hooke": "jsr:@hooke/hooke" } };
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
  await Deno.writeTextFile(`${folder}/my_loop.ts`, program);
  return `${folder}/my_loop.ts`;
}

/** Compares the help of the command with a script that only parses its arguments. */
async function help({ isQuick }: BenchSetting): Promise<BenchResult> {
  // The flags of the task `hooke`. Without the first, Deno reads all files that any command might load.
  const flags = ["run", "--unstable-lazy-dynamic-imports", "--allow-read", "--allow-write=."];
  const { command, parser } = await startTimes({
    command: [...flags, "src/cli/main.ts", "--help"],
    parser: [...flags, pathOf("start/parser.ts")],
  }, isQuick ? QUICK_ROUNDS : ROUNDS);
  const [ours, floor] = [middle(command), middle(parser)];
  return {
    value: ours / floor,
    runs: command.map((time) => time / floor),
    note: `${ours.toFixed(0)} ms against ${floor.toFixed(0)} ms`,
  };
}

/** Returns the path of a script of this folder. */
function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

const rows: BenchRow[] = [
  {
    id: "start/1",
    name: "first example of the README, prebuilt, more than an empty script, wall",
    limit: 60,
    unit: "ms",
    run: firstExample,
  },
  {
    id: "start/2",
    name: "hooke --help, against a script that imports the argument parser, wall",
    limit: 1.3,
    unit: "x",
    run: help,
  },
];

export default rows;
