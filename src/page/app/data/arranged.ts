/**
 * Order and filter of the structures of a screening.
 *
 * @module
 */

import type { StructureRow } from "../../protocol.ts";
import { countText, numberText } from "../format.ts";

/** Column of the table of structures. */
export interface Column {
  readonly id: "name" | "status" | "step" | "energy" | "perAtom" | "fmax" | "atoms";
  readonly label: string;
  readonly isNumber: boolean;
  /** Returns what rows are ordered by. */
  value(row: StructureRow): string | number | undefined;
  /** Returns the text of a cell. */
  text(row: StructureRow): string;
}

/** Columns of the table, in order. */
export const COLUMNS: readonly Column[] = [
  {
    id: "name",
    label: "Structure",
    isNumber: false,
    value: ({ name }) => name,
    text: ({ name }) => name,
  },
  {
    id: "status",
    label: "Status",
    isNumber: false,
    value: ({ status }) => status,
    text: ({ status, reason }) => reason === undefined ? status : `${status}: ${reason}`,
  },
  numbers("step", "Steps", ({ step }) => step, countText),
  numbers("atoms", "Atoms", ({ atoms }) => atoms, countText),
  numbers("energy", "Energy, eV", ({ energy }) => energy, fixed(4)),
  numbers("perAtom", "eV/atom", energyPerAtom, fixed(5)),
  numbers("fmax", "fmax, eV/Å", ({ fmax }) => fmax, fixed(4)),
];

/** Returns a function that writes numbers with the same number of decimals, so that they align. */
function fixed(digits: number): (value: number) => string {
  return (value) =>
    Math.abs(value) < 1e7 ? value.toFixed(digits).replace("-", "−") : numberText(value);
}

function numbers(
  id: Column["id"],
  label: string,
  value: (row: StructureRow) => number | undefined,
  text: (value: number) => string,
): Column {
  return {
    id,
    label,
    isNumber: true,
    value,
    text(row) {
      const number = value(row);
      return number === undefined ? "–" : text(number);
    },
  };
}

/** Returns the energy per atom, eV. */
export function energyPerAtom({ energy, atoms }: StructureRow): number | undefined {
  return energy === undefined || !atoms ? undefined : energy / atoms;
}

/** Order of the rows. */
export interface Order {
  readonly column: Column["id"];
  readonly isDescending: boolean;
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** Returns those structures that fit a filter, in order. Rows without a value are last. */
export function arranged(
  rows: readonly StructureRow[],
  { column, isDescending }: Order,
  { text, status }: { readonly text: string; readonly status: string },
): readonly StructureRow[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const shown = rows.filter((row) => {
    if (status !== "all" && row.status !== status) return false;
    const all = `${row.name} ${row.reason ?? ""}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const { value } = COLUMNS.find(({ id }) => id === column)!;
  const sign = isDescending ? -1 : 1;
  return shown.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    return sign *
      (typeof left === "number" && typeof right === "number"
        ? left - right
        : NAMES.compare(String(left), String(right)));
  });
}
