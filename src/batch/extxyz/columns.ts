/**
 * The columns of an extended XYZ file, which `Properties=species:S:1:pos:R:3` declares.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Type of a column: `R` is real, `I` integer, `S` text and `L` logical. */
export type ColumnType = "R" | "I" | "S" | "L";

/** Adjacent columns with one name, such as the three of `pos`. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Number of columns. */
  readonly width: number;
}

/** Columns of files without `Properties`. */
export const PLAIN_COLUMNS: readonly Column[] = [
  { name: "species", type: "S", width: 1 },
  { name: "pos", type: "R", width: 3 },
];

/** Names of the columns that hold each field. If a file has several of them, the first name in the list is used. */
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

/** Types and width that columns must have to be read as a field. Otherwise they are custom arrays. */
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

/** Returns the field that columns of this name, type and width hold, or `undefined` for custom columns. */
export function meaningOf({ name, type, width }: Column): string | undefined {
  const field = BY_NAME.get(name);
  if (field === undefined) return undefined;
  const [types, columns] = SHAPES[field]!;
  return types.includes(type) && width === columns ? field : undefined;
}

/** Keys of the comment that are not part of `info`. */
export const RESERVED: readonly string[] = ["Lattice", "Properties", "pbc", "energy", "stress"];

/** Returns whether a column name belongs to a field in {@linkcode MEANINGS}. */
export function isTaken(name: string): boolean {
  return BY_NAME.has(name);
}

/**
 * Parses the columns that `Properties` declares.
 *
 * @throws {SyntaxError} if the text is not a list of name, type and width, if a name is repeated, or if there is no
 * column for elements or positions
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
    `Cannot read columns: Properties must be a list name:type:width:name:type:width… with unique names and the types R, I, S or L, ` +
      `and must contain species:S:1 (or Z:I:1) and pos:R:3; got ${show(text)}`,
  );
}
