/**
 * Runs the tables of measured promises:
 * `deno task bench:table [group …] [--json] [--guard] [--peers DIR] [--venvs DIR]`.
 *
 * Each `bench/<group>_table.ts` default-exports its rows. Without arguments all groups run. `--json` prints
 * one line per row for programs; `--guard` exits with 1 when a value is over twice its limit, which is loose
 * enough for a busy machine and tight enough to notice a lost order of magnitude.
 *
 * Rows that compare with programs of others need the folder of peers: the one beside the project, with those
 * environments that are there, or `--peers`, whose environments are made in `--venvs` where they are missing.
 * A row without its peer says so. The guard runs none of them.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { type BenchResult, type BenchRow, type BenchSetting, isMeasured } from "./row.ts";
import type { NotMeasured } from "./row.ts";
import { show } from "./show.ts";

/** All groups, in the order of the issues. A group without a module has not been written yet. */
const GROUPS = ["hooks", "dynamics", "onnx", "gpu", "training", "sinks", "engines"];

/**
 * Largest value that counts as 0 if the limit is 0. A measured average of zero bytes per event is never exactly zero.
 * The smallest object, made at one event in twenty-four, is half a byte per event.
 */
const EPSILON = 0.5;

/** Default folder of the peers. */
const PEERS = new URL("../../shared/peers", import.meta.url), WORK = "/tmp/hooke_peers";

/** Compares a value with its limit. The guard fails if the result is `far`. */
export function judge({ limit }: Pick<BenchRow, "limit">, value: number): "good" | "over" | "far" {
  if (value <= limit) return "good";
  return value <= (limit === 0 ? EPSILON : 2 * limit) ? "over" : "far";
}

/** One row for people. */
export function formatRow(row: BenchRow, result: BenchResult | NotMeasured): string {
  const unit = row.unit === "x" ? "×" : ` ${row.unit}`;
  const [value, verdict, more] = isMeasured(result)
    ? [`${show(result.value)}${unit}`, VERDICTS[judge(row, result.value)], result.note]
    : ["–", "NOT MEASURED", result.missing];
  const note = more === undefined ? "" : `\n${" ".repeat(12)}${more}`;
  return `${row.id.padEnd(12)}${row.name.padEnd(72)} ${value.padStart(10)}` +
    `   at most ${`${show(row.limit)}${unit}`.padEnd(8)} ${verdict}${note}`;
}

const VERDICTS = { good: "good", over: "OVER", far: "FAR OVER" } as const;

/** One row for programs; the value of one that was not measured is null. */
export function formatJson(
  { id, limit, unit }: BenchRow,
  result: BenchResult | NotMeasured,
): string {
  const { value, runs } = isMeasured(result) ? result : { value: null, runs: [] };
  return JSON.stringify({ id, value, limit, unit, runs });
}

/** Returns the settings of a measurement from the options of the command. */
export async function settingOf(
  { peers, venvs = WORK, guard = false }: { peers?: string; venvs?: string; guard?: boolean },
): Promise<BenchSetting> {
  if (guard) return { work: venvs, makes: false, isQuick: true };
  if (peers !== undefined) return { peers: await Deno.realPath(peers), work: venvs, makes: true };
  const beside = await Deno.realPath(PEERS).catch(() => undefined);
  return { ...beside !== undefined && { peers: beside }, work: venvs, makes: false };
}

/** Loads the rows of a group; returns `undefined` if the group does not exist. */
async function loadGroup(group: string): Promise<BenchRow[] | undefined> {
  const module = new URL(`./${group}_table.ts`, import.meta.url);
  const exists = await Deno.stat(module).then(() => true, () => false);
  return exists ? (await import(module.href)).default : undefined;
}

/** Result of a group. */
interface Report {
  /** The ids far over their limit. */
  readonly far: readonly string[];
  readonly missing: readonly string[];
}

/** Measures the rows one after another, never together. */
async function runGroup(
  rows: readonly BenchRow[],
  setting: BenchSetting,
  { json, guard }: { json: boolean; guard: boolean },
): Promise<Report> {
  const far: string[] = [], missing: string[] = [];
  for (const row of rows) {
    const result = await row.run(setting);
    if (isMeasured(result) || !guard) {
      console.log(json ? formatJson(row, result) : formatRow(row, result));
    }
    if (!isMeasured(result)) missing.push(row.id);
    else if (judge(row, result.value) === "far") far.push(row.id);
  }
  return { far, missing };
}

function refuse(what: string): never {
  console.error(`Cannot run the tables: ${what}; the groups are ${GROUPS.join(", ")}`);
  Deno.exit(2);
}

if (import.meta.main) {
  const { _: named, json, guard, peers, venvs } = parseArgs(Deno.args, {
    boolean: ["json", "guard"],
    string: ["peers", "venvs", "_"],
    unknown: (arg, key) => key === undefined || refuse(`${arg} is no option`),
  });
  const unknown = named.find((group) => !GROUPS.includes(String(group)));
  if (unknown !== undefined) refuse(`"${unknown}" is no group`);
  const setting = await settingOf({ guard, ...peers && { peers }, ...venvs && { venvs } });
  const far: string[] = [], missing: string[] = [];
  for (const group of named.length > 0 ? named.map(String) : GROUPS) {
    const rows = await loadGroup(group);
    if (rows === undefined) {
      console.error(`${group}: not measured yet`);
      continue;
    }
    const report = await runGroup(rows, setting, { json, guard });
    far.push(...report.far);
    missing.push(...report.missing);
  }
  if (missing.length > 0) console.error(`Not measured: ${missing.join(", ")}`);
  if (guard && far.length > 0) {
    console.error(`Over twice the limit: ${far.join(", ")}`);
    Deno.exit(1);
  }
}
