/**
 * Descriptions of structures and trajectories.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { atomicSymbol } from "../../batch/elements.ts";
import type { CommandRun } from "../frame/command.ts";
import { sparkline } from "../picture.ts";
import { ProgressLine } from "../run/progress_line.ts";
import { eachStructure } from "../run/structures.ts";
import type { Inspection } from "./inspection.ts";

/** Width of plots in characters. */
export const WIDTH = 60;

/** What is counted while the structures of a file are read. */
class Counts {
  first: System | undefined;
  structures = 0;
  periodic = 0;
  least = Infinity;
  most = 0;
  readonly formulas = new Map<string, number>();
  readonly energies: number[] = [];

  add(system: System): void {
    const { nodeCount, pbc, energy } = system, formula = formulaOf(system);
    this.first ??= system;
    this.structures++;
    if (pbc.includes(1)) this.periodic++;
    this.least = Math.min(this.least, nodeCount);
    this.most = Math.max(this.most, nodeCount);
    this.formulas.set(formula, (this.formulas.get(formula) ?? 0) + 1);
    if (energy !== undefined) this.energies.push(energy);
  }
}

/** Time after which the number of structures that were read is shown, ms. */
const PATIENCE = 1000;

/** Describes the structures of a file. */
export async function inspectStructures(file: string, run: CommandRun): Promise<Inspection> {
  const counts = new Counts(), line = new ProgressLine(run, { quiet: false, delay: PATIENCE });
  for await (const { system } of eachStructure(file, {}, run.signal)) {
    counts.add(system);
    line.show(() => `${file}: ${counts.structures} structures read`);
  }
  line.clear();
  return inspectionOf(file, counts);
}

function inspectionOf(file: string, counts: Counts): Inspection {
  const { structures, periodic, least, most, formulas, energies } = counts, first = counts.first!;
  const shown = [...formulas].slice(0, 8).map(([formula, count]) =>
    count === 1 ? formula : `${formula} (${count})`
  );
  return {
    lines: [
      `${file}: ${structures === 1 ? "1 structure" : `${structures} structures`}`,
      `  atoms     ${least === most ? least : `${least} to ${most}`}`,
      `  formulas  ${shown.join(", ")}${
        formulas.size > 8 ? `, and ${formulas.size - 8} others` : ""
      }`,
      `  periodic  ${periodic === structures ? "all" : periodic === 0 ? "none" : periodic}`,
      ...(periodic > 0 ? [`  cell      ${cellText(first)} (first structure)`] : []),
      `  fields    ${fieldsOf(first).join(", ")}`,
      ...plotLines("energy", energies, "eV"),
    ],
    data: {
      type: "structures",
      structures,
      atoms: [least, most],
      formulas: Object.fromEntries(formulas),
      periodic,
      fields: fieldsOf(first),
      energies,
    },
  };
}

/** Returns lines with a plot of values and their range; no lines if there are fewer than two finite values. */
export function plotLines(name: string, all: readonly number[], unit: string): string[] {
  const values = all.filter(Number.isFinite);
  if (values.length < 2) return values.map((value) => `  ${name}    ${value} ${unit}`);
  const [least, most] = [
    values.reduce((a, b) => Math.min(a, b)),
    values.reduce((a, b) => Math.max(a, b)),
  ];
  const range = `${+least.toPrecision(6)} to ${+most.toPrecision(6)}${unit && ` ${unit}`}`;
  return [`  ${sparkline(values, WIDTH)}  ${name}, ${range}`];
}

function formulaOf({ numbers }: System): string {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return Array.from(counts, ([number, count]) => atomicSymbol(number) + (count === 1 ? "" : count))
    .join("");
}

function fieldsOf(system: System): string[] {
  const known = ["velocities", "forces", "energy", "stress", "charges"];
  return ["numbers", "positions", ...known.filter((name) => system.has(name as "forces"))];
}

/** Returns the lengths and angles of a cell. */
function cellText({ cell }: System): string {
  const rows = [0, 3, 6].map((at) => [cell[at]!, cell[at + 1]!, cell[at + 2]!]);
  const lengths = rows.map((row) => Math.hypot(...row));
  const angle = (i: number, j: number) => {
    const dot = rows[i]!.reduce((sum, x, k) => sum + x * rows[j]![k]!, 0);
    return Math.acos(dot / lengths[i]! / lengths[j]!) * 180 / Math.PI;
  };
  const angles = [angle(1, 2), angle(0, 2), angle(0, 1)];
  return `${lengths.map((x) => +x.toFixed(4)).join(" × ")} Å, ${
    angles.map((x) => +x.toFixed(2)).join("°, ")
  }°`;
}
