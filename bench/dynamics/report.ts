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
import { isMeasured } from "../row.ts";
import { show } from "../show.ts";
import { formatRow, settingOf } from "../table.ts";
import { occasion, writeRow } from "../written.ts";
import { type Alone, measureAlone } from "./alone.ts";

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

/** Measures all rows, and writes them into the table. Returns the ids of those that could not be measured. */
async function measure(peers: string | undefined, venvs: string | undefined): Promise<string[]> {
  const setting = await settingOf({ ...peers && { peers }, ...venvs && { venvs } });
  const missing: string[] = [];
  for (const row of rows) {
    const when = occasion();
    const result = await row.run({ ...setting, makes: true });
    console.log(formatRow(row, result));
    if (isMeasured(result)) await writeRow(rows, row, { result, when });
    else missing.push(row.id);
  }
  return missing;
}

if (import.meta.main) {
  const { peers, venvs } = parseArgs(Deno.args, { string: ["peers", "venvs"] });
  const missing = await measure(peers, venvs);
  const where = machine();
  const figures: Figures = {
    bySize: await measureAlone("bySize"),
    byCount: await measureAlone("byCount"),
    memory: await measureAlone("memory"),
    growth: await measureAlone("growth"),
  };
  const text = [where, figuresOf(figures)].join("\n\n");
  await Deno.writeTextFile(PAGE, replaceWritten(await Deno.readTextFile(PAGE), text));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", fileURLToPath(PAGE)] }).output();
  if (missing.length > 0) {
    console.error(`Not measured: ${missing.join(", ")}`);
    Deno.exit(1);
  }
}
