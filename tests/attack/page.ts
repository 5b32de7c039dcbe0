/**
 * The page docs/attack.md.
 *
 * @module
 */

import type { Attack, Trial } from "./attack.ts";

/** Result of one attack. */
export interface Row {
  readonly attack: Attack;
  readonly trial: Trial;
  readonly seconds: number;
}

/** Conditions of a run. */
export interface Conditions {
  /** The commit that was attacked. */
  readonly commit: string;
  /** The value of `--hours`. */
  readonly hours: number;
  readonly seed: number;
  /** The value of `--only`, if it was given. */
  readonly only?: string;
  /** The runtime and the machine, without its name. */
  readonly runtime: string;
  /** Load averages of 15 minutes at the beginning and at the end. */
  readonly load: readonly number[];
}

/** Number of failures of an attack that the page shows. */
const SHOWN = 3;

/** Returns the table. */
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
    "| attack | test and required result | cases | outcomes | failed | time |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n") + "\n";
}

/** Returns the page: what an attack is, under which conditions it was run, the table, failures, and the soak. */
export function pageOf(rows: readonly Row[], conditions: Conditions): string {
  const sections = [
    INTRODUCTION,
    conditionsOf(conditions),
    tableOf(rows).trimEnd(),
    failuresOf(rows),
    soakOf(rows),
  ];
  return `${sections.join("\n\n")}\n`;
}

const INTRODUCTION = `# Attack

An attack tries one kind of misuse many times. The attacks kill processes, damage inputs, flip bits on a disk, start
one run in two processes, use cells and distances that are hard for numerics, use time steps that explode, and run
for a long time. Each case must end with the results of an undisturbed run, or with a readable error. Otherwise it
has failed.

\`deno task attack\` runs all attacks in about an hour and prints this table. \`--hours N\` scales the number of cases,
\`--only NAME\` runs the attacks whose name contains \`NAME\`, \`--seed N\` tries other cases, and
\`--out docs/attack.md\` writes this page. The slow suite tries a small part of each attack.`;

function conditionsOf({ commit, hours, seed, only, runtime, load }: Conditions): string {
  const [begin, end = "unknown"] = load.map((one) => one.toFixed(1));
  return [
    "## Conditions",
    "",
    `- commit: ${commit}`,
    `- run: \`--hours ${hours} --seed ${seed}${only === undefined ? "" : ` --only "${only}"`}\``,
    `- runtime: ${runtime}`,
    `- load average of 15 minutes: ${begin} at the beginning, ${end} at the end`,
    "",
    "## Outcomes",
  ].join("\n");
}

function failuresOf(rows: readonly Row[]): string {
  const failed = rows.filter(({ trial }) => trial.failures.length > 0);
  const cases = rows.reduce((sum, { trial }) => sum + trial.tried, 0).toLocaleString("en");
  if (failed.length === 0) return `None of ${cases} cases failed.`;
  const count = failed.reduce((sum, { trial }) => sum + trial.failures.length, 0);
  const lines = failed.flatMap(({ attack, trial }) =>
    trial.failures.slice(0, SHOWN).map((text) => `- ${attack.name}: \`${firstLine(text)}\``)
  );
  return [`${count} of ${cases} cases failed, of each attack the first ${SHOWN}:`, "", ...lines]
    .join("\n");
}

/** Returns the first line of an error, which has neither paths of a machine nor quotes that would end it. */
function firstLine(text: string): string {
  return text.split("\n")[0]!.replaceAll(/(file:\/\/)?\/[^\s:]*\/(?=[^\s/])/g, "…/").replaceAll(
    "`",
    "'",
  ).slice(0, 200);
}

function soakOf(rows: readonly Row[]): string {
  const notes = rows.flatMap(({ trial }) => trial.notes);
  const text = notes.length === 0
    ? "The soak was not run."
    : notes.map((one) => `- ${one}`).join("\n");
  return `## Soak\n\n${text}`;
}
