/**
 * Measures all rows and figures of dynamics, and writes them into bench/README.md with machine and date:
 * `deno task bench:peers [--peers DIR] [--venvs DIR]`. Environments of the peers that are missing are made.
 *
 * @module
 */

import os from "node:os";
import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import rows from "../dynamics_table.ts";
import { type BenchResult, type BenchRow, isMeasured, type NotMeasured } from "../row.ts";
import { show } from "../show.ts";
import { formatRow, judge, settingOf } from "../table.ts";
import { type Alone, measureAlone } from "./alone.ts";

/** A row and what it came to. */
export type Measured = readonly [BenchRow, BenchResult | NotMeasured];

/** Figures that are reported below the table. */
export type Figures = Pick<Alone, "bySize" | "byCount" | "memory" | "growth">;

/** Between these lines of the page everything is written by this program. */
const BEGIN = "<!-- written by deno task bench:peers -->", END = "<!-- end -->";
const PAGE = new URL("../README.md", import.meta.url);

/** A page with another text between the two marks. Throws an `Error` when it has not both of them, in order. */
export function replaceWritten(page: string, text: string): string {
  const from = page.indexOf(BEGIN), to = page.indexOf(END, from);
  if (from === -1 || to === -1) {
    throw new Error(`Cannot write the table: the page must have the lines ${BEGIN} and ${END}`);
  }
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** The rows as a table of Markdown. */
export function tableOf(measured: readonly Measured[]): string {
  const lines = measured.map(([row, result]) => {
    const unit = row.unit === "x" ? "×" : ` ${row.unit}`;
    const [value, verdict, more] = isMeasured(result)
      ? [`${show(result.value)}${unit}`, judge(row, result.value), result.note ?? ""]
      : ["–", "not measured", result.missing];
    const cells = [row.id.split("/")[1], row.name, value, `${show(row.limit)}${unit}`];
    return [...cells, verdict === "far" ? "far over" : verdict, more].join(" | ");
  });
  const head = [
    "row | case | value | limit | result | what was measured",
    "--- | --- | --- | --- | --- | ---",
  ];
  return [...head, ...lines].map((line) => `| ${line} |`).join("\n");
}

/** Formats the figures as Markdown. */
export function figuresOf({ bySize, byCount, memory, growth }: Figures): string {
  return [
    seriesOf("atoms of one system", bySize),
    seriesOf("systems of 32 atoms", byCount),
    `A run of 108000 atoms takes ${memory.wasm} bytes per atom in the memory of the kernels (state and pairs) and ` +
    `${memory.batch} bytes per atom in the fields of the batch. The process grows by ${memory.process} bytes per atom. ` +
    `In ${growth.steps} steps of 108 atoms, the heap grows by ${show(growth.heap / 1e3)} kB, ` +
    `and the memory of the kernels by ${growth.wasm} B.`,
  ].join("\n\n");
}

function seriesOf(head: string, series: Readonly<Record<string, number>>): string {
  const cells = [
    Object.keys(series),
    Object.keys(series).map(() => "---"),
    Object.values(series).map(show),
  ];
  const names = [head, "---", "CPU ns per atom and step"];
  return cells.map((row, i) => `| ${[names[i], ...row].join(" | ")} |`).join("\n");
}

/** Describes the date, the runtime and the machine of the measurement. */
function machine(): string {
  const [cpu] = os.cpus(), date = new Date().toISOString().slice(0, 10);
  const load = Deno.loadavg()[0]!.toFixed(1);
  return `Measured on ${date}, Deno ${Deno.version.deno} (V8 ${Deno.version.v8}), ${os.cpus().length} cores of ` +
    `"${cpu!.model}" (${Deno.build.arch}, ${Deno.build.os}); load at the beginning ${load}.`;
}

async function measure(peers: string | undefined, venvs: string | undefined): Promise<Measured[]> {
  const setting = await settingOf({ ...peers && { peers }, ...venvs && { venvs } });
  const measured: Measured[] = [];
  for (const row of rows) {
    const result = await row.run({ ...setting, makes: true });
    console.log(formatRow(row, result));
    measured.push([row, result]);
  }
  return measured;
}

if (import.meta.main) {
  const { peers, venvs } = parseArgs(Deno.args, { string: ["peers", "venvs"] });
  const where = machine();
  const measured = await measure(peers, venvs);
  const figures: Figures = {
    bySize: await measureAlone("bySize"),
    byCount: await measureAlone("byCount"),
    memory: await measureAlone("memory"),
    growth: await measureAlone("growth"),
  };
  const text = [where, tableOf(measured), figuresOf(figures)].join("\n\n");
  await Deno.writeTextFile(PAGE, replaceWritten(await Deno.readTextFile(PAGE), text));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", fileURLToPath(PAGE)] }).output();
  const missing = measured.filter(([, result]) => !isMeasured(result)).map(([row]) => row.id);
  if (missing.length > 0) {
    console.error(`Not measured: ${missing.join(", ")}`);
    Deno.exit(1);
  }
}
