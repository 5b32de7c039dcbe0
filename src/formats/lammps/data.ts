/**
 * The data files of LAMMPS.
 *
 * @module
 */

import { atomicMass, atomicSymbol } from "../../batch/elements.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import {
  type FormatOptions,
  type FrameWriter,
  type StructureFormat,
  textWriter,
} from "../format.ts";
import type { StructureSource } from "../source.ts";
import { TextLines } from "../text_lines.ts";
import { type Box, boxOf, orient } from "./box.ts";
import { numberOfType, type TypeHint, typesOf } from "./atom_types.ts";
import { UNITS } from "./units.ts";

/** LAMMPS data files of the atom styles atomic, charge, molecular and full. */
export const lammpsData: StructureFormat = {
  name: "LAMMPS data",
  frames: "one",
  read: readData,
  write: dataWriter,
};

/** Columns of atom styles: where the type, the charge and the coordinates are. */
const STYLES: Readonly<
  Record<string, { readonly type: number; readonly charge?: number; readonly x: number }>
> = {
  atomic: { type: 1, x: 2 },
  charge: { type: 1, charge: 2, x: 3 },
  molecular: { type: 2, x: 3 },
  bond: { type: 2, x: 3 },
  angle: { type: 2, x: 3 },
  full: { type: 2, charge: 3, x: 4 },
};

/** Contents of a data file. */
interface Data {
  readonly counts: Map<string, number>;
  readonly bounds: Map<string, readonly number[]>;
  readonly sections: Map<string, Section>;
  units: "metal" | "real" | undefined;
  /** Periodicity in the comment of files of Hooke; other files have none, and are periodic. */
  pbc: readonly boolean[];
}

interface Section {
  /** Comment after the name, which is the atom style after `Atoms`. */
  readonly comment: string | undefined;
  readonly rows: readonly Row[];
}

interface Row {
  readonly words: readonly string[];
  readonly comment: string | undefined;
  readonly line: number;
}

function* readData(source: StructureSource, options: FormatOptions): Generator<System, void> {
  const lines = new TextLines(source, "LAMMPS data");
  const data = readSections(lines, options);
  const atoms = data.sections.get("Atoms");
  if (atoms === undefined) throw lines.error("the file must have a section Atoms", null);
  const count = data.counts.get("atoms");
  if (count !== atoms.rows.length) {
    throw lines.error(
      `the header declares ${count ?? "no"} atoms, but Atoms has ${atoms.rows.length}`,
      null,
    );
  }
  yield systemOfData(describe(data, atoms, lines, options));
}

function describe(
  data: Data,
  atoms: Section,
  lines: TextLines,
  options: FormatOptions,
): ConstructorParameters<typeof System>[0] {
  const style = styleOf(atoms, lines), box = readBox(data, lines), hints = readMasses(data, lines);
  const rows = atoms.rows.toSorted((a, b) => number(a, 0, lines) - number(b, 0, lines));
  const images = rows.every(({ words }) => words.length >= style.x + 6);
  const types = rows.map((row) => number(row, style.type, lines));
  const velocity = UNITS[options.units ?? data.units ?? "metal"].velocity;
  const velocities = readVelocities(data, rows, velocity, lines);
  const positions = rows.flatMap((row) =>
    [0, 1, 2].map((k) => {
      // Image flags move an atom by whole lattice vectors.
      const shift = images
        ? [0, 1, 2].reduce(
          (sum, i) => sum + number(row, style.x + 3 + i, lines) * box.cell[3 * i + k]!,
          0,
        )
        : 0;
      return number(row, style.x + k, lines) + shift;
    })
  );
  return {
    numbers: rows.map((row, i) => elementFor(types[i]!, hints, row, lines, options)),
    positions,
    masses: types.map((type, i) =>
      hints.get(type)?.mass ?? fallbackMass(types[i]!, hints, rows[i]!, lines, options)
    ),
    cell: box.cell,
    pbc: data.pbc,
    fields: { type: { values: types, level: "node", dtype: "i32", fill: 0 } },
    ...style.charge !== undefined &&
      { charges: rows.map((row) => number(row, style.charge!, lines)) },
    ...velocities !== undefined && { velocities },
  };
}

function fallbackMass(
  type: number,
  hints: ReadonlyMap<number, TypeHint>,
  row: Row,
  lines: TextLines,
  options: FormatOptions,
): number {
  return atomicMass(elementFor(type, hints, row, lines, options));
}

function elementFor(
  type: number,
  hints: ReadonlyMap<number, TypeHint>,
  row: Row,
  lines: TextLines,
  options: FormatOptions,
): number {
  const found = numberOfType(type, hints.get(type), options);
  if (found !== undefined) return found;
  lines.number = row.line;
  throw lines.error(
    `the element of type ${type} is unknown: its mass must be that of an element, or pass \`types\`, ` +
      "the elements of types 1, 2, …",
    null,
  );
}

/** Splits the file into the header and its sections. */
function readSections(lines: TextLines, options: FormatOptions): Data {
  const data: Data = {
    counts: new Map(),
    bounds: new Map(),
    sections: new Map(),
    units: undefined,
    pbc: [true, true, true],
  };
  readComment(lines.need("the comment"), data, { lines, isKnown: options.units !== undefined });
  for (let line = lines.nextUnlessBlank(); line !== undefined; line = lines.nextUnlessBlank()) {
    const { words, comment } = split(line);
    if (words.length === 0) continue;
    if (/^[A-Z]/.test(words[0]!)) {
      data.sections.set(words.join(" "), { comment, rows: readRows(lines) });
    } else readHeaderLine(words, data, lines);
  }
  return data;
}

/** Reads the units that LAMMPS writes into the first line, and the periodicity that Hooke writes there. */
function readComment(
  comment: string,
  data: Data,
  { lines, isKnown }: { readonly lines: TextLines; readonly isKnown: boolean },
): void {
  const units = /\bunits\s*=\s*(\w+)/.exec(comment)?.[1];
  if (units === "metal" || units === "real") data.units = units;
  else if (units !== undefined && !isKnown) {
    throw lines.error("the units must be metal or real", units);
  }
  const pbc = /\bpbc\s*=\s*([TF]) ([TF]) ([TF])/.exec(comment)?.slice(1);
  if (pbc !== undefined) data.pbc = pbc.map((flag) => flag === "T");
}

function readHeaderLine(words: readonly string[], data: Data, lines: TextLines): void {
  const values = words.filter((word) => /^[-+.\d]/.test(word)).map((word) =>
    lines.parse(word, "each number")
  );
  const name = words.slice(values.length).join(" ");
  if (values.length === 1) data.counts.set(name, values[0]!);
  else data.bounds.set(name, values);
}

/** Reads the rows of a section, up to the blank line before the next one. */
function readRows(lines: TextLines): Row[] {
  const rows: Row[] = [];
  while (lines.peek()?.trim() === "") lines.next();
  for (;;) {
    const next = lines.peek();
    if (next === undefined || next.trim() === "" || /^\s*[A-Z]/.test(next)) return rows;
    const { words, comment } = split(lines.next()!);
    if (words.length > 0) rows.push({ words, comment, line: lines.number });
  }
}

function split(line: string): { readonly words: string[]; readonly comment: string | undefined } {
  const [text = "", ...rest] = line.split("#");
  return {
    words: text.trim().split(/\s+/).filter((word) => word !== ""),
    comment: rest.length === 0 ? undefined : rest.join("#").trim(),
  };
}

/** Returns the columns of the style that the comment names. */
function styleOf({ comment, rows }: Section, lines: TextLines): (typeof STYLES)[string] {
  const named = comment?.split(/\s+/)[0];
  if (named !== undefined && Object.hasOwn(STYLES, named)) return STYLES[named]!;
  lines.number = rows[0]?.line ?? lines.number;
  throw lines.error(
    `the atom style must follow the word Atoms, as in "Atoms # atomic" (one of ${
      Object.keys(STYLES).join(", ")
    })`,
    named ?? null,
  );
}

function readBox(data: Data, lines: TextLines): Box {
  const bounds = ["xlo xhi", "ylo yhi", "zlo zhi"].map((name) => {
    const pair = data.bounds.get(name);
    if (pair?.length === 2 && pair[1]! > pair[0]!) return pair;
    throw lines.error(`the header must have two bounds, "${name}"`, null);
  });
  return boxOf(bounds, data.bounds.get("xy xz yz") ?? []);
}

function readMasses(data: Data, lines: TextLines): Map<number, TypeHint> {
  const rows = data.sections.get("Masses")?.rows ?? [];
  return new Map(rows.map((row) => [
    number(row, 0, lines),
    { mass: number(row, 1, lines), ...row.comment !== undefined && { comment: row.comment } },
  ]));
}

function readVelocities(
  data: Data,
  atoms: readonly Row[],
  factor: number,
  lines: TextLines,
): number[] | undefined {
  const rows = data.sections.get("Velocities")?.rows;
  if (rows === undefined) return undefined;
  const byId = new Map(rows.map((row) => [row.words[0]!, row]));
  return atoms.flatMap(({ words: [id] }) => {
    const row = byId.get(id!);
    if (row === undefined) throw lines.error(`atom ${id} has no velocity`, null);
    return [1, 2, 3].map((k) => number(row, k, lines) * factor);
  });
}

function number(row: Row, column: number, lines: TextLines): number {
  const value = row.words[column] === undefined ? NaN : Number(row.words[column]);
  if (Number.isFinite(value)) return value;
  lines.number = row.line;
  throw lines.error(`column ${column + 1} must be a number`, row.words.join(" "));
}

function dataWriter(options: FormatOptions): FrameWriter {
  return textWriter((system) => dataText(system, options));
}

function dataText(system: System, options: FormatOptions): string {
  const { cell, corner, positions, turn } = orient(system);
  const types = typesOf(system, options), units = options.units ?? "metal";
  const charges = system.has("charges") ? system.get("charges") : undefined;
  const tilts = [cell[3]!, cell[6]!, cell[7]!];
  const rows = Array.from(system.numbers, (number, i) => {
    const charge = charges === undefined ? "" : ` ${charges[i]}`;
    return `${i + 1} ${types.indexOf(number) + 1}${charge} ${triple(positions, i)}\n`;
  });
  const box = ["x", "y", "z"].map((axis, k) =>
    `${corner[k]} ${corner[k]! + cell[4 * k]!} ${axis}lo ${axis}hi\n`
  );
  const masses = types.map((number, i) =>
    `${i + 1} ${atomicMass(number)} # ${atomicSymbol(number)}\n`
  );
  const pbc = Array.from(system.pbc, (flag) => flag === 1 ? "T" : "F").join(" ");
  return `written by Hooke, units = ${units}, pbc = ${pbc}\n\n${system.nodeCount} atoms\n${types.length} atom types\n\n${
    box.join("")
  }${tilts.some((x) => x !== 0) ? `${tilts.join(" ")} xy xz yz\n` : ""}\nMasses\n\n${
    masses.join("")
  }\nAtoms # ${charges === undefined ? "atomic" : "charge"}\n\n${rows.join("")}${
    velocitiesText(system, turn, UNITS[units].velocity)
  }`;
}

function velocitiesText(
  system: System,
  turn: (vectors: ArrayLike<number>) => ArrayLike<number>,
  factor: number,
): string {
  if (!system.has("velocities")) return "";
  const velocities = Array.from(turn(system.get("velocities")), (v) => v / factor);
  return `\nVelocities\n\n${
    Array.from(system.numbers, (_, i) => `${i + 1} ${triple(velocities, i)}\n`).join("")
  }`;
}

function triple(values: ArrayLike<number>, i: number): string {
  return `${values[3 * i]} ${values[3 * i + 1]} ${values[3 * i + 2]}`;
}
