/**
 * The table of `hooke bench`.
 *
 * @module
 */

import type { AutoChoice } from "./cases.ts";
import type { Figures } from "./measure.ts";

/** A device with its figures, or with the reason why there are none. */
export interface BenchRow {
  readonly name: string;
  readonly figures?: Figures;
  readonly missing?: string;
}

/** Result of the command. */
export interface BenchResult {
  /** Name of the potential. */
  readonly model: string;
  /** Name of the structure. */
  readonly structure: string;
  /** Number of atoms of all copies. */
  readonly atoms: number;
  readonly copies: number;
  /** Time step, fs. */
  readonly dt: number;
  /** Number of processors of the machine. */
  readonly processors: number;
  readonly rows: readonly BenchRow[];
  /** The device that `--device auto` takes. */
  readonly auto: AutoChoice;
  /** True for an ONNX file. */
  readonly isOnnx: boolean;
}

const HEAD = ["device", "ms/step", "atom-steps/s", "ns/day", "opening", "memory"];

/** Returns the lines of the table, and what `--device auto` takes. */
export function benchText(result: BenchResult): string[] {
  const { model, structure, atoms, copies, dt, rows } = result;
  const measured = rows.filter(({ figures }) => figures !== undefined);
  const table = [HEAD, ...measured.map(({ name, figures }) => cellsOf(name, figures!))];
  const widths = HEAD.map((_, i) => Math.max(...table.map((cells) => cells[i]!.length)));
  const lines = table.map((cells) =>
    cells.map((cell, i) => i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]! + 2)).join(
      "",
    )
  );
  return [
    `${model}, ${structure}${
      copies === 1 ? "" : `, ${copies} copies`
    }: ${atoms} atoms, NVE with ${dt} fs`,
    "",
    ...measured.length === 0 ? [] : lines,
    ...rows.flatMap(({ name, missing }) =>
      missing === undefined ? [] : [`${name}: not measured: ${missing}`]
    ),
    ...measured.flatMap(({ name, figures }) =>
      figures!.note === undefined ? [] : [`${name}: ${figures!.note}`]
    ),
    "",
    ...choiceText(result),
  ];
}

function cellsOf(name: string, figures: Figures): string[] {
  const { msPerStep, atomStepsPerSecond, nsPerDay, openingSeconds, memoryBytes } = figures;
  return [
    name,
    String(+msPerStep.toPrecision(3)),
    atomStepsPerSecond.toExponential(2),
    String(+nsPerDay.toPrecision(3)),
    `${openingSeconds.toFixed(2)} s`,
    memoryBytes === undefined ? "unknown" : `+${Math.round(memoryBytes / 1e6)} MB`,
  ];
}

/** Returns what `--device auto` takes and why, and the options of the fastest device if it is another one. */
function choiceText({ rows, auto, isOnnx }: BenchResult): string[] {
  const reason = auto.reason === "" ? "" : `, because ${auto.reason}`;
  const lines = [`--device auto takes ${auto.name}${reason}`];
  if (!isOnnx) lines.push("Without --device, built-in potentials run on wasm with 1 thread.");
  const step = (row: BenchRow | undefined) => row?.figures?.msPerStep ?? Infinity;
  const own = rows.find(({ name }) => name.startsWith(auto.name));
  const fastest = rows.reduce<BenchRow | undefined>(
    (best, row) => step(row) < step(best) ? row : best,
    undefined,
  );
  if (fastest === undefined || own === undefined || fastest === own) return lines;
  const ratio = step(own) / step(fastest);
  if (!(ratio < Infinity && ratio > 1.05)) return lines;
  lines.push(
    `${fastest.name} is ${ratio.toFixed(2)} times as fast: pass ${
      optionsFor(fastest.name, isOnnx)
    }`,
  );
  return lines;
}

function optionsFor(name: string, isOnnx: boolean): string {
  const [, device] = /^(\w+)/.exec(name)!, [, threads] = /(\d+) threads/.exec(name) ?? [];
  const wanted = device === "webgpu"
    ? ["--device webgpu"]
    : ["--device wasm", ...isOnnx ? [`--runtime ${device === "native" ? "native" : "web"}`] : []];
  return [...wanted, ...threads === undefined ? [] : [`--threads ${threads}`]].join(" ");
}
