/**
 * The columns of extended XYZ: `Properties=species:S:1:pos:R:3`.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Real, integer, text, logical. */
export type ColumnType = "R" | "I" | "S" | "L";

/** Some columns of one name. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** How many columns. */
  readonly width: number;
}

/** What files without `Properties` have. */
export const PLAIN_COLUMNS: readonly Column[] = [
  { name: "species", type: "S", width: 1 },
  { name: "pos", type: "R", width: 3 },
];

/** What a column means by each of its names. Where a file has several names of one field, the first wins. */
export const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  numbers: ["Z", "numbers"],
  symbols: ["species", "symbols"],
  positions: ["pos", "positions"],
  velocities: ["vel", "velo", "velocities", "velocity"],
  momenta: ["momenta"],
  forces: ["forces", "force"],
  masses: ["masses", "mass"],
  charges: ["charge", "charges", "initial_charges"],
  images: ["images"],
  categories: ["categories"],
};

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(MEANINGS).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
);

/** The types and the width a column must have to mean what its name says. */
const SHAPES: Readonly<Record<string, readonly [types: string, width: number]>> = {
  numbers: ["I", 1],
  symbols: ["S", 1],
  positions: ["RI", 3],
  velocities: ["RI", 3],
  momenta: ["RI", 3],
  forces: ["RI", 3],
  masses: ["RI", 1],
  charges: ["RI", 1],
  images: ["I", 3],
  categories: ["I", 1],
};

/** What a column of this name and shape means, or `undefined` for a user's own. */
export function meaningOf({ name, type, width }: Column): string | undefined {
  const field = BY_NAME.get(name);
  if (field === undefined) return undefined;
  const [types, columns] = SHAPES[field]!;
  return types.includes(type) && width === columns ? field : undefined;
}

/** Keys of the comment that are not of `info`. */
export const RESERVED: readonly string[] = ["Lattice", "Properties", "pbc", "energy", "stress"];

/** Whether a column of this name has a meaning of its own. */
export function isTaken(name: string): boolean {
  return BY_NAME.has(name);
}

/**
 * The columns that `Properties` declares.
 *
 * @throws {SyntaxError} for anything but triplets of name, type and width, for a name that comes twice, and without
 * elements or positions
 */
export function readColumns(text: unknown): Column[] {
  const parts = typeof text === "string" ? text.split(":") : [];
  const columns: Column[] = [], names = new Set<string>();
  for (let i = 0; i < parts.length; i += 3) {
    const [name, type, width] = [parts[i]!, parts[i + 1], Number(parts[i + 2])];
    const ok = name !== "" && (type === "R" || type === "I" || type === "S" || type === "L") &&
      /^\d{1,6}$/.test(parts[i + 2] ?? "") && width > 0;
    if (!ok || names.has(name)) throw badColumns(text);
    names.add(name);
    columns.push({ name, type, width });
  }
  const meanings = columns.map(meaningOf);
  const isComplete = meanings.includes("positions") &&
    (meanings.includes("symbols") || meanings.includes("numbers"));
  if (!isComplete) throw badColumns(text);
  return columns;
}

function badColumns(text: unknown): SyntaxError {
  return new SyntaxError(
    `Cannot read columns as Properties must be name:type:width …, types R, I, S, L, each name once, with species:S:1 (or Z:I:1) and pos:R:3: current value is ${
      show(text)
    }`,
  );
}
