/**
 * Attacks Hooke with kills, damage, violence and races, and writes a table of what came of it.
 *
 * Run: `deno task attack [--hours N] [--only NAME] [--seed N] [--out FILE]`
 *
 * The standard run takes about an hour; `--hours` scales the number of cases. It ends with 1 if a case failed.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { type Attack, Trial } from "./attack.ts";
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

/** How many failures of an attack are printed. */
const SHOWN = 5;

/** A row of the table. */
interface Row {
  readonly attack: Attack;
  readonly trial: Trial;
  readonly seconds: number;
}

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

/** Writes the table. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ attack, trial, seconds }) => {
    const outcomes = [...trial.outcomes].map(([outcome, count]) => `${count} ${outcome}`);
    const cells = [
      attack.name,
      attack.aim,
      trial.tried,
      outcomes.join(", "),
      trial.failures.length,
    ];
    return `| ${cells.join(" | ")} | ${Math.round(seconds)} s |`;
  });
  return [
    "| attack | what must come of it | cases | outcomes | failed | time |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n") + "\n";
}

function chosen(only: string | undefined): readonly Attack[] {
  if (only === undefined) return ATTACKS;
  const found = ATTACKS.filter(({ name }) => name.includes(only));
  if (found.length > 0) return found;
  console.error(`No attack is named "${only}"; there are ${ATTACKS.map((a) => a.name).join(", ")}`);
  Deno.exit(2);
}

if (import.meta.main) {
  const options = parseArgs(Deno.args, { string: ["hours", "only", "seed", "out"] });
  const hours = Number(options.hours ?? 1), seed = Number(options.seed ?? 1);
  if (!(hours > 0) || !Number.isInteger(seed)) {
    console.error("--hours must be above 0 and --seed a whole number");
    Deno.exit(2);
  }
  const rows: Row[] = [];
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
  if (options.out !== undefined) await Deno.writeTextFile(options.out, table);
  Deno.exit(rows.every(({ trial }) => trial.failures.length === 0) ? 0 : 1);
}
