/**
 * Attacks Hooke with kills, damage, violence and races, and writes a table of what came of it.
 *
 * Run: `deno task attack [--hours N] [--only NAME] [--seed N] [--out FILE]`
 *
 * The standard run takes about an hour; `--hours` scales the number of cases. It ends with 1 if a case failed. With
 * `--out docs/attack.md` it writes that page.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { type Attack, Trial } from "./attack.ts";
import { type Conditions, pageOf, type Row, tableOf } from "./page.ts";
import { BIT_ATTACKS } from "./bits.ts";
import { CELL_ATTACK } from "./cells.ts";
import { EXPLOSION_ATTACK } from "./explosions.ts";
import { FAR_ATTACK } from "./far.ts";
import { KILL_ATTACKS } from "./kills.ts";
import { RACE_ATTACK } from "./races.ts";
import { READER_ATTACKS } from "./readers.ts";
import { SOAK } from "./soak.ts";

/** All attacks, in the order of the table. */
export const ATTACKS: readonly Attack[] = [
  ...KILL_ATTACKS,
  ...READER_ATTACKS,
  ...BIT_ATTACKS,
  RACE_ATTACK,
  CELL_ATTACK,
  FAR_ATTACK,
  EXPLOSION_ATTACK,
  SOAK,
];

/** Number of failures of an attack that are printed. */
const SHOWN = 5;

const HELP = `Usage: deno task attack [--hours N] [--only NAME] [--seed N] [--out FILE]

  --hours N    how long it takes, about (1); the number of cases grows with it
  --only NAME  only the attacks whose name contains NAME
  --seed N     another seed (1)
  --out FILE   write a page with the table, as docs/attack.md is

Attacks: ${ATTACKS.map(({ name }) => name).join(", ")}`;

/** Tries one attack with a part of its cases, at least one. */
export async function attackWith(attack: Attack, share: number, seed: number): Promise<Row> {
  const trial = new Trial(Math.max(1, Math.round(attack.cases * share)), seed);
  const began = performance.now();
  try {
    await attack.run(trial);
  } catch (error) {
    trial.fail(`the attack itself ended: ${error instanceof Error ? error.stack : error}`);
  }
  return { attack, trial, seconds: (performance.now() - began) / 1000 };
}

/** Returns what a run depends on, as it begins. */
async function conditionsOf(
  { hours, seed, only }: Pick<Conditions, "hours" | "seed"> & {
    readonly only?: string | undefined;
  },
): Promise<Conditions> {
  const commit = await git("rev-parse", "--short=12", "HEAD");
  const changed = await git("status", "--porcelain", "--untracked-files=no", "--", "src", "wasm");
  const { os, arch } = Deno.build;
  return {
    hours,
    seed,
    ...only === undefined ? {} : { only },
    commit: commit === "" ? "unknown" : changed === "" ? commit : `${commit}, with changes`,
    runtime: `Deno ${Deno.version.deno}, ${os} ${arch}, ${navigator.hardwareConcurrency} cores`,
    load: [Deno.loadavg()[2]!],
  };
}

/** Returns what git says; nothing if there is no repository. */
async function git(...args: string[]): Promise<string> {
  const cwd = new URL("../../", import.meta.url);
  try {
    const { stdout } = await new Deno.Command("git", { args, cwd, stderr: "null" }).output();
    return new TextDecoder().decode(stdout).trim();
  } catch {
    return "";
  }
}

/** Writes the page, laid out as `deno fmt` does. */
async function writePage(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", path] }).output();
}

function chosen(only: string | undefined): readonly Attack[] {
  if (only === undefined) return ATTACKS;
  const found = ATTACKS.filter(({ name }) => name.includes(only));
  if (found.length > 0) return found;
  console.error(`No attack is named "${only}"; there are ${ATTACKS.map((a) => a.name).join(", ")}`);
  Deno.exit(2);
}

if (import.meta.main) {
  const options = parseArgs(Deno.args, {
    string: ["hours", "only", "seed", "out"],
    boolean: ["help"],
    unknown(argument) {
      console.error(`Unknown argument ${argument}\n\n${HELP}`);
      Deno.exit(2);
    },
  });
  if (options.help) {
    console.log(HELP);
    Deno.exit(0);
  }
  const hours = Number(options.hours ?? 1), seed = Number(options.seed ?? 1);
  if (!(hours > 0) || !Number.isInteger(seed)) {
    console.error("--hours must be above 0 and --seed a whole number");
    Deno.exit(2);
  }
  const rows: Row[] = [], conditions = await conditionsOf({ hours, seed, only: options.only });
  for (const attack of chosen(options.only)) {
    const row = await attackWith(attack, hours, seed);
    rows.push(row);
    const { trial, seconds } = row;
    console.log(
      `${
        trial.failures.length === 0 ? "held  " : "FAILED"
      } ${attack.name}: ${trial.tried} cases, ` +
        `${trial.failures.length} failed (${seconds.toFixed(0)} s)`,
    );
    for (const failure of trial.failures.slice(0, SHOWN)) console.log(`       ${failure}`);
  }
  const table = tableOf(rows);
  console.log(`\n${table}`);
  if (options.out !== undefined) {
    const load = [...conditions.load, Deno.loadavg()[2]!];
    await writePage(options.out, pageOf(rows, { ...conditions, load }));
  }
  Deno.exit(rows.every(({ trial }) => trial.failures.length === 0) ? 0 : 1);
}
