/**
 * Runs the tables of measured promises:
 * `deno task bench:table [group or row …] [--write] [--json] [--guard] [--peers DIR] [--venvs DIR]`.
 *
 * Each `bench/<group>_table.ts` default-exports its rows. Without arguments all groups run. A row is named by its id,
 * and `training/8` also names `training/8-64`. `--write` writes each row into bench/README.md, with the date and the
 * load before its measurement; the line of a row that could not be measured stays as it is. `--json` prints one line per row for programs; `--guard` exits with 1 when a value is
 * over twice its limit, which is loose enough for a busy machine and tight enough to notice a lost order of magnitude.
 *
 * Rows that compare with programs of others need the folder of peers: the one beside the project, with those
 * environments that are there, or `--peers`, whose environments are made in `--venvs` where they are missing.
 * A row without its peer says so. The guard runs none of them.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { judge } from "./judge.ts";
import { type BenchResult, type BenchRow, type BenchSetting, isMeasured } from "./row.ts";
import type { NotMeasured } from "./row.ts";
import { show } from "./show.ts";
import { checkTable, occasion, writeRow } from "./written.ts";

/** All groups, in the order of the issues. A group without a module has not been written yet. */
const GROUPS = [
  "hooks",
  "dynamics",
  "onnx",
  "gpu",
  "training",
  "sinks",
  "engines",
  "start",
  "screen",
  "page",
];

/** Default folder of the peers. */
const PEERS = new URL("../../shared/peers", import.meta.url), WORK = "/tmp/hooke_peers";

/** One row for people. */
export function formatRow(row: BenchRow, result: BenchResult | NotMeasured): string {
  const unit = row.unit === "x" ? "×" : ` ${row.unit}`;
  const [value, verdict, more] = isMeasured(result)
    ? [`${show(result.value)}${unit}`, VERDICTS[judge(row, result.value)], result.note]
    : ["–", "NOT MEASURED", result.missing];
  const note = more === undefined ? "" : `\n${" ".repeat(17)}${more}`;
  return `${row.id.padEnd(17)}${row.name.padEnd(72)} ${value.padStart(10)}` +
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

/** Options of a run of the tables. */
interface Asked {
  readonly json: boolean;
  readonly guard: boolean;
  readonly write: boolean;
  /** Names of groups and rows to measure. If it is empty, all are measured. */
  readonly only: readonly string[];
}

/** Returns true if the names include the row, its group, or the part of its id before a hyphen. */
export function isNamed(id: string, names: readonly string[]): boolean {
  return names.length === 0 ||
    names.some((name) => id === name || id.startsWith(`${name}/`) || id.startsWith(`${name}-`));
}

/** Measures the rows one after another, never together. */
async function runGroup(
  rows: readonly BenchRow[],
  setting: BenchSetting,
  { json, guard, write, only }: Asked,
): Promise<Report> {
  const far: string[] = [], missing: string[] = [];
  for (const row of rows.filter(({ id }) => isNamed(id, only))) {
    const when = occasion();
    const result = await row.run(setting);
    if (write && isMeasured(result)) await writeRow(rows, row, { result, when });
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
  const { _: named, json, guard, write, peers, venvs } = parseArgs(Deno.args, {
    boolean: ["json", "guard", "write"],
    string: ["peers", "venvs", "_"],
    unknown: (arg, key) => key === undefined || refuse(`${arg} is no option`),
  });
  const only = named.map(String), groups = only.map((name) => name.split("/")[0]!);
  const unknown = groups.find((group) => !GROUPS.includes(group));
  if (unknown !== undefined) refuse(`"${unknown}" is no group`);
  const setting = await settingOf({ guard, ...peers && { peers }, ...venvs && { venvs } });
  const far: string[] = [], missing: string[] = [];
  for (const group of groups.length > 0 ? new Set(groups) : GROUPS) {
    const rows = await loadGroup(group);
    if (rows === undefined) {
      console.error(`${group}: not measured yet`);
      continue;
    }
    const absent = only.find((name) =>
      name.startsWith(`${group}/`) && !rows.some(({ id }) => isNamed(id, [name]))
    );
    if (absent !== undefined) refuse(`"${absent}" is no row`);
    if (write) await checkTable(group);
    const report = await runGroup(rows, setting, { json, guard, write, only });
    far.push(...report.far);
    missing.push(...report.missing);
  }
  if (missing.length > 0) console.error(`Not measured: ${missing.join(", ")}`);
  if (guard && far.length > 0) {
    console.error(`Over twice the limit: ${far.join(", ")}`);
    Deno.exit(1);
  }
}
