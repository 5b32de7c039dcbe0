/**
 * Descriptions of structures and trajectories.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { sparkline } from "../picture.ts";
import { readStructures } from "../run/structures.ts";
import type { Inspection } from "./inspection.ts";

/** Width of plots in characters. */
export const WIDTH = 60;

/** Describes the structures of a file. */
export async function inspectStructures(
  file: string,
  signal?: AbortSignal,
): Promise<Inspection> {
  const systems = (await readStructures(file, {}, signal)).map(({ system }) => system);
  const formulas = Map.groupBy(systems, formulaOf);
  const atoms = systems.map(({ nodeCount }) => nodeCount);
  const [least, most] = [
    atoms.reduce((a, b) => Math.min(a, b)),
    atoms.reduce((a, b) => Math.max(a, b)),
  ];
  const energies = systems.flatMap(({ energy }) => energy ?? []);
  const [first] = systems;
  const periodic = systems.filter(({ pbc }) => pbc.includes(1)).length;
  const shown = [...formulas].slice(0, 8).map(([formula, { length }]) =>
    length === 1 ? formula : `${formula} (${length})`
  );
  return {
    lines: [
      `${file}: ${systems.length === 1 ? "1 structure" : `${systems.length} structures`}`,
      `  atoms     ${least === most ? least : `${least} to ${most}`}`,
      `  formulas  ${shown.join(", ")}${
        formulas.size > 8 ? `, and ${formulas.size - 8} others` : ""
      }`,
      `  periodic  ${periodic === systems.length ? "all" : periodic === 0 ? "none" : periodic}`,
      ...(periodic > 0 ? [`  cell      ${cellText(first!)} (first structure)`] : []),
      `  fields    ${fieldsOf(first!).join(", ")}`,
      ...plotLines("energy", energies, "eV"),
    ],
    data: {
      type: "structures",
      structures: systems.length,
      atoms: [least, most],
      formulas: Object.fromEntries([...formulas].map(([name, all]) => [name, all.length])),
      periodic,
      fields: fieldsOf(first!),
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

function formulaOf({ symbols }: System): string {
  const counts = Map.groupBy(symbols, (symbol) => symbol);
  return [...counts].map(([symbol, { length }]) => symbol + (length === 1 ? "" : length)).join("");
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
