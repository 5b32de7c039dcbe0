/**
 * Runs the tables of measured promises: `deno task bench:table [group …] [--json] [--guard]`.
 *
 * Each `bench/<group>_table.ts` default-exports its rows. Without arguments all groups run. `--json` prints
 * one line per row for programs; `--guard` exits with 1 when a value is over twice its limit, which is loose
 * enough for a busy machine and tight enough to notice a lost order of magnitude.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import type { BenchResult, BenchRow } from "./row.ts";

/** All groups, in the order of the issues. A group without a module has not been written yet. */
const GROUPS = ["hooks", "dynamics", "onnx", "gpu", "training", "sinks", "engines"];

/**
 * What counts as nothing where the limit is 0. A measured average of zero bytes per event is never exactly
 * zero; the smallest object, made at one event in twenty-four, is half a byte per event.
 */
const EPSILON = 0.5;

/** How a value stands to its limit: `far` is what the guard refuses. */
export function judge({ limit }: Pick<BenchRow, "limit">, value: number): "good" | "over" | "far" {
  if (value <= limit) return "good";
  return value <= (limit === 0 ? EPSILON : 2 * limit) ? "over" : "far";
}

/** One row for people. */
export function formatRow(row: BenchRow, result: BenchResult): string {
  const unit = row.unit === "x" ? "×" : ` ${row.unit}`;
  const verdict = { good: "good", over: "OVER", far: "FAR OVER" }[judge(row, result.value)];
  const note = result.note === undefined ? "" : `\n${" ".repeat(12)}${result.note}`;
  return `${row.id.padEnd(12)}${row.name.padEnd(72)} ${
    `${show(result.value)}${unit}`.padStart(10)
  }` +
    `   at most ${`${show(row.limit)}${unit}`.padEnd(8)} ${verdict}${note}`;
}

/** One row for programs. */
export function formatJson({ id, limit, unit }: BenchRow, { value, runs }: BenchResult): string {
  return JSON.stringify({ id, value, limit, unit, runs });
}

function show(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}

/** The rows of a group, or `undefined` when nobody has written it yet. */
async function loadGroup(group: string): Promise<BenchRow[] | undefined> {
  const module = new URL(`./${group}_table.ts`, import.meta.url);
  const exists = await Deno.stat(module).then(() => true, () => false);
  return exists ? (await import(module.href)).default : undefined;
}

/** Measures the rows one after another, never together, and returns the ids that are far over their limit. */
async function runGroup(rows: readonly BenchRow[], json: boolean): Promise<string[]> {
  const far: string[] = [];
  for (const row of rows) {
    const result = await row.run();
    console.log(json ? formatJson(row, result) : formatRow(row, result));
    if (judge(row, result.value) === "far") far.push(row.id);
  }
  return far;
}

function refuse(what: string): never {
  console.error(`Cannot run the tables as ${what}; the groups are ${GROUPS.join(", ")}`);
  Deno.exit(2);
}

if (import.meta.main) {
  const { _: named, json, guard } = parseArgs(Deno.args, {
    boolean: ["json", "guard"],
    string: "_",
    unknown: (arg, key) => key === undefined || refuse(`${arg} is no option`),
  });
  const unknown = named.find((group) => !GROUPS.includes(String(group)));
  if (unknown !== undefined) refuse(`"${unknown}" is no group`);
  const far: string[] = [];
  for (const group of named.length > 0 ? named.map(String) : GROUPS) {
    const rows = await loadGroup(group);
    if (rows === undefined) console.error(`${group}: not measured yet`);
    else far.push(...await runGroup(rows, json));
  }
  if (guard && far.length > 0) {
    console.error(`Over twice the limit: ${far.join(", ")}`);
    Deno.exit(1);
  }
}
