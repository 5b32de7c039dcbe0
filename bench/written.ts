/**
 * Writes measured rows into bench/README.md. Each group has a table between two marks. A row that is measured again
 * replaces its line; the other lines remain.
 *
 * @module
 */

import os from "node:os";
import { fileURLToPath } from "node:url";
import type { BenchResult, BenchRow } from "./row.ts";
import { show } from "./show.ts";
import { judge } from "./judge.ts";

/** When and on which processor a row was measured. */
export interface Occasion {
  /** Date as YYYY-MM-DD. */
  readonly date: string;
  /** Average load of the minute before. */
  readonly load: number;
  /** The processor's widest vector instructions, which PyTorch and native code use, and WebAssembly does not. */
  readonly vectors: string;
}

const PAGE = new URL("./README.md", import.meta.url);
const END = "<!-- end -->";
const HEAD = [
  "| row | case | value | limit | result | measured | what was measured |",
  "| --- | --- | --- | --- | --- | --- | --- |",
];
const VERDICTS = { good: "good", over: "over", far: "far over" } as const;

/** Returns the mark before the table of a group. */
export function markOf(group: string): string {
  return `<!-- written by deno task bench:table ${group} --write -->`;
}

/** Returns the part of a row's id after the name of its group. */
function nameOf({ id }: Pick<BenchRow, "id">): string {
  return id.slice(id.indexOf("/") + 1);
}

/** Returns a row as a line of Markdown. */
export function lineOf(
  row: BenchRow,
  { value, note = "" }: BenchResult,
  { date, load, vectors }: Occasion,
): string {
  const unit = row.unit === "x" ? "×" : ` ${row.unit}`;
  const [measured, limit] = [value, row.limit].map((number) => `${show(number)}${unit}`);
  const cells = [nameOf(row), row.name, measured, limit, VERDICTS[judge(row, value)]];
  return `| ${[...cells, `${date}, load ${load.toFixed(1)}, ${vectors}`, note].join(" | ")} |`;
}

/**
 * Returns the page with these lines in the table of a group, sorted like `rows`. Lines of rows that do not exist any
 * more are removed. Throws an `Error` if the page has no table for the group.
 */
export function withLines(
  page: string,
  group: string,
  { rows, lines }: {
    readonly rows: readonly BenchRow[];
    readonly lines: ReadonlyMap<string, string>;
  },
): string {
  const mark = markOf(group), from = page.indexOf(mark), to = page.indexOf(END, from);
  if (from === -1 || to === -1) {
    throw new Error(`Cannot write the table: the page must have the lines ${mark} and ${END}`);
  }
  const begin = from + mark.length;
  const all = new Map(
    page.slice(begin, to).split("\n").filter((line) => line.startsWith("|")).slice(2)
      .map((line) => [line.split("|")[1]!.trim(), line] as const),
  );
  for (const [id, line] of lines) all.set(nameOf({ id }), line);
  const sorted = rows.map((row) => all.get(nameOf(row))).filter((line) => line !== undefined);
  return `${page.slice(0, begin)}\n\n${[...HEAD, ...sorted].join("\n")}\n\n${page.slice(to)}`;
}

/** Throws an `Error` if the page has no table for a group. */
export async function checkTable(group: string): Promise<void> {
  withLines(await Deno.readTextFile(PAGE), group, { rows: [], lines: new Map() });
}

/** Vector instructions as Linux calls them, the widest first, and their names in the tables. */
const VECTORS = [
  ["amx_tile", "AMX"],
  ["avx512f", "AVX-512"],
  ["avx2", "AVX2"],
  ["sse4_1", "SSE4.1"],
  ["asimd", "NEON"],
] as const;

/** Returns the date, the load, and the widest vector instructions of the machine. */
export function occasion(): Occasion {
  return {
    date: new Date().toISOString().slice(0, 10),
    load: os.loadavg()[0]!,
    vectors: widestVectors(),
  };
}

function widestVectors(): string {
  const flags = /^(?:flags|Features)\s*:(.*)$/m.exec(cpuInfo())?.[1]?.split(" ") ?? [];
  return VECTORS.find(([flag]) => flags.includes(flag))?.[1] ?? os.arch();
}

/** Returns Linux's description of the processors; other systems have none. */
function cpuInfo(): string {
  try {
    return Deno.readTextFileSync("/proc/cpuinfo");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Writes a measured row into its table. */
export async function writeRow(
  rows: readonly BenchRow[],
  row: BenchRow,
  { result, when }: { readonly result: BenchResult; readonly when: Occasion },
): Promise<void> {
  const page = await Deno.readTextFile(PAGE), group = row.id.slice(0, row.id.indexOf("/"));
  const lines = new Map([[row.id, lineOf(row, result, when)]]);
  await Deno.writeTextFile(PAGE, withLines(page, group, { rows, lines }));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", fileURLToPath(PAGE)] }).output();
}
