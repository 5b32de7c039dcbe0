/**
 * The text dumps of LAMMPS.
 *
 * @module
 */

import { atomicSymbol } from "../../batch/elements.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import { symbolNumber } from "../element.ts";
import {
  type FormatOptions,
  type FrameWriter,
  type StructureFormat,
  textWriter,
  undamaged,
} from "../format.ts";
import { toCartesian } from "../fractional.ts";
import type { StructureSource } from "../source.ts";
import { TextLines } from "../text_lines.ts";
import { type Box, boxOf, orient } from "./box.ts";
import { numberOfType, typesOf } from "./atom_types.ts";
import { type UnitFactors, UNITS } from "./units.ts";

/** LAMMPS dumps of the styles atom and custom. Atoms are sorted by their ids. */
export const lammpsDump: StructureFormat = {
  name: "LAMMPS dump",
  frames: "many",
  read: (source, options) => undamaged(readDump(source, options)),
  readDamaged: readDump,
  write: dumpWriter,
};

/** Columns of positions in the order of preference: unwrapped, wrapped, and scaled by the box. */
const POSITIONS: readonly { readonly names: readonly string[]; readonly isScaled: boolean }[] = [
  { names: ["xu", "yu", "zu"], isScaled: false },
  { names: ["x", "y", "z"], isScaled: false },
  { names: ["xsu", "ysu", "zsu"], isScaled: true },
  { names: ["xs", "ys", "zs"], isScaled: true },
];

function* readDump(
  source: StructureSource,
  options: FormatOptions,
): Generator<System | SyntaxError, void> {
  const lines = new TextLines(source, "LAMMPS dump");
  let head: Head = { units: options.units ?? "metal", step: 0, atoms: 0, box: undefined },
    count = 0;
  for (let line = lines.nextUnlessBlank(); line !== undefined;) {
    try {
      const item = itemIn(line, lines);
      if (item.startsWith("ATOMS")) {
        const columns = item.split(/\s+/).slice(1);
        yield readFrame({ columns, ...withBox(head, lines) }, UNITS[head.units], lines, options);
        count++;
      } else head = readItem(item, head, lines, options);
      line = lines.nextUnlessBlank();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      yield error;
      count++;
      head = { ...head, atoms: 0, box: undefined };
      line = nextFrame(lines);
    }
  }
  if (count === 0) throw lines.error("the file must have a frame (ITEM: ATOMS)", null);
}

/** What stands before the atoms of a frame. */
interface Head {
  readonly units: "metal" | "real";
  readonly step: number;
  readonly atoms: number;
  readonly box: { readonly box: Box; readonly pbc: boolean[] } | undefined;
}

function itemIn(line: string, lines: TextLines): string {
  const item = /^ITEM:\s*(.*)$/.exec(line)?.[1];
  if (item === undefined) throw lines.error('a line "ITEM: …" must stand here');
  return item;
}

function withBox({ atoms, step, box }: Head, lines: TextLines): Omit<Frame, "columns"> {
  if (box === undefined) throw lines.error("ITEM: BOX BOUNDS must come before ITEM: ATOMS", null);
  return { atoms, step, ...box };
}

/** Reads an item that is not the list of atoms. Returns the head with its value. */
function readItem(item: string, head: Head, lines: TextLines, options: FormatOptions): Head {
  if (item.startsWith("BOX BOUNDS")) return { ...head, box: readBox(item, lines) };
  if (item === "TIMESTEP") return { ...head, step: lines.numbers(1, "the step")[0]! };
  if (item === "NUMBER OF ATOMS") {
    return { ...head, atoms: lines.numbers(1, "the number of atoms")[0]! };
  }
  const value = lines.need(`the value of ${item}`).trim();
  if (item !== "UNITS" || options.units !== undefined) return head;
  return { ...head, units: readUnits(value, lines) };
}

/**
 * Goes to the beginning of the next frame after a damaged one. A frame with too few atoms ends there, so that the line
 * that was read last may be it.
 */
function nextFrame(lines: TextLines): string | undefined {
  if (lines.peek() === undefined) return undefined; // no line follows the beginning of a frame
  let line: string | undefined = lines.line;
  while (line !== undefined && !/^ITEM:\s*TIMESTEP/.test(line)) line = lines.next();
  return line;
}

function readUnits(name: string, lines: TextLines): "metal" | "real" {
  if (name === "metal" || name === "real") return name;
  throw lines.error("the units must be metal or real", name);
}

/** Reads the bounds. With tilts, LAMMPS writes the bounds of the box around the tilted cell. */
function readBox(item: string, lines: TextLines): { readonly box: Box; readonly pbc: boolean[] } {
  const words = item.split(/\s+/).slice(2);
  if (words.includes("abc")) throw lines.error("a box of general lattice vectors is not supported");
  const isTilted = words.includes("xy");
  const flags = words.filter((word) => /^[pfsm]{2}$/.test(word));
  const rows = [0, 1, 2].map(() => lines.numbers(isTilted ? 3 : 2, "each bound"));
  const [xy = 0, xz = 0, yz = 0] = isTilted ? rows.map((row) => row[2]!) : [];
  const bounds = rows.map(([low, high]) => [low!, high!]);
  bounds[0]![0]! -= Math.min(0, xy, xz, xy + xz);
  bounds[0]![1]! -= Math.max(0, xy, xz, xy + xz);
  bounds[1]![0]! -= Math.min(0, yz);
  bounds[1]![1]! -= Math.max(0, yz);
  if (bounds.some(([low, high]) => !(high! > low!))) {
    throw lines.error("each upper bound must be above the lower bound", null);
  }
  const pbc = flags.length === 3 ? flags.map((flag) => flag === "pp") : [true, true, true];
  return { box: boxOf(bounds, [xy, xz, yz]), pbc };
}

interface Frame {
  readonly columns: readonly string[];
  readonly atoms: number;
  readonly step: number;
  readonly box: Box;
  readonly pbc: boolean[];
}

function readFrame(
  frame: Frame,
  units: UnitFactors,
  lines: TextLines,
  options: FormatOptions,
): System {
  const { columns, box, pbc, step } = frame, at = (name: string) => columns.indexOf(name);
  const rows = readRows(frame, lines);
  const vectors = (names: readonly string[], factor: number) =>
    names.every((name) => at(name) >= 0)
      ? rows.flatMap((row) => names.map((name) => lines.parse(row[at(name)], name) * factor))
      : undefined;
  const velocities = vectors(["vx", "vy", "vz"], units.velocity),
    forces = vectors(["fx", "fy", "fz"], units.force);
  const { topology } = options;
  if (topology !== undefined && topology.nodeCount !== rows.length) {
    throw lines.error(
      `the frame has ${rows.length} atoms, but the topology has ${topology.nodeCount}`,
      null,
    );
  }
  return systemOfData({
    numbers: topology?.numbers ?? rows.map((row) => elementFor(row, at, lines, options)),
    ...topology !== undefined && { masses: topology.masses },
    positions: readPositions(vectors, box, lines),
    cell: box.cell,
    pbc,
    stepsDone: step,
    ...velocities !== undefined && { velocities },
    ...forces !== undefined && { forces },
    ...at("q") >= 0 && { charges: rows.map((row) => lines.parse(row[at("q")], "q")) },
  });
}

/** Reads the rows of a frame and sorts them by id. */
function readRows({ atoms, columns }: Frame, lines: TextLines): string[][] {
  if (!(Number.isInteger(atoms) && atoms > 0)) {
    throw lines.error(
      "ITEM: NUMBER OF ATOMS must come before ITEM: ATOMS, and be 1 or more",
      String(atoms),
    );
  }
  const id = columns.indexOf("id");
  const rows = Array.from({ length: atoms }, (_, i) => {
    const words = lines.need(`atom ${i + 1} of ${atoms}`).trim().split(/\s+/);
    if (words.length < columns.length) {
      throw lines.error(`each atom must have ${columns.length} columns`);
    }
    return words;
  });
  return id < 0 ? rows : rows.sort((a, b) => Number(a[id]) - Number(b[id]));
}

function readPositions(
  vectors: (names: readonly string[], factor: number) => number[] | undefined,
  { cell, corner }: Box,
  lines: TextLines,
): ArrayLike<number> {
  for (const { names, isScaled } of POSITIONS) {
    const rows = vectors(names, 1);
    if (rows === undefined) continue;
    return isScaled ? toCartesian(rows, cell).map((x, i) => x + corner[i % 3]!) : rows;
  }
  throw lines.error(
    "the columns must contain positions: x y z, xu yu zu, xs ys zs or xsu ysu zsu",
    null,
  );
}

function elementFor(
  row: readonly string[],
  at: (name: string) => number,
  lines: TextLines,
  options: FormatOptions,
): number {
  const element = at("element") < 0 ? undefined : symbolNumber(row[at("element")]!);
  if (element !== undefined && options.types === undefined) return element;
  const mass = at("mass") < 0 ? undefined : lines.parse(row[at("mass")], "mass");
  const type = Number(row[at("type")] ?? NaN);
  const number = numberOfType(type, mass === undefined ? undefined : { mass }, options);
  if (number !== undefined) return number;
  throw lines.error(
    "the dump must have a column element or mass; otherwise pass `types`, the elements of types 1, 2, …, " +
      "or a `topology`",
    null,
  );
}

function dumpWriter(options: FormatOptions): FrameWriter {
  return textWriter((system) => dumpText(system, options));
}

function dumpText(system: System, options: FormatOptions): string {
  const { cell, corner, positions, turn } = orient(system), types = typesOf(system, options);
  const units = options.units ?? "metal", factors = UNITS[units];
  const parts: [names: string, values: ArrayLike<number>, factor: number][] = [[
    "x y z",
    positions,
    1,
  ]];
  if (system.has("velocities")) {
    parts.push(["vx vy vz", turn(system.get("velocities")), 1 / factors.velocity]);
  }
  const forces = system.has("forces") ? system.get("forces") : undefined;
  if (forces?.every(Number.isFinite)) parts.push(["fx fy fz", turn(forces), 1 / factors.force]);
  const rows = Array.from(system.numbers, (number, i) => {
    const values = parts.map(([, list, f]) =>
      `${list[3 * i]! * f} ${list[3 * i + 1]! * f} ${list[3 * i + 2]! * f}`
    );
    return `${i + 1} ${types.indexOf(number) + 1} ${atomicSymbol(number)} ${values.join(" ")}\n`;
  });
  const step = system.has("stepsDone") ? system.get("stepsDone")[0] : 0;
  return `ITEM: UNITS\n${units}\nITEM: TIMESTEP\n${step}\nITEM: NUMBER OF ATOMS\n${system.nodeCount}\n${
    boxText(cell, corner, system.pbc)
  }ITEM: ATOMS id type element ${parts.map(([names]) => names).join(" ")}\n${rows.join("")}`;
}

function boxText(
  cell: ArrayLike<number>,
  corner: readonly number[],
  pbc: ArrayLike<number>,
): string {
  const [xy, xz, yz] = [cell[3]!, cell[6]!, cell[7]!];
  const flags = Array.from(pbc, (flag) => flag === 1 ? "pp" : "ff").join(" ");
  const low = [...corner], high = corner.map((x, k) => x + cell[4 * k]!);
  low[0]! += Math.min(0, xy, xz, xy + xz);
  high[0]! += Math.max(0, xy, xz, xy + xz);
  low[1]! += Math.min(0, yz);
  high[1]! += Math.max(0, yz);
  const isTilted = [xy, xz, yz].some((x) => x !== 0),
    tilts = isTilted ? [` ${xy}`, ` ${xz}`, ` ${yz}`] : ["", "", ""];
  return `ITEM: BOX BOUNDS ${isTilted ? "xy xz yz " : ""}${flags}\n${
    low.map((x, k) => `${x} ${high[k]}${tilts[k]}\n`).join("")
  }`;
}
