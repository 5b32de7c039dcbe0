/**
 * Writing of structures as extended XYZ.
 *
 * @module
 */

import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { Batch, type BatchInput } from "../batch.ts";
import { atomicMass, atomicSymbol } from "../elements.ts";
import { type Column, type ColumnType, isTaken, MEANINGS, RESERVED } from "./columns.ts";
import { transposed } from "./frame.ts";
import { quote, writeNumber, writeValue } from "./values.ts";
import { BUILT_IN, type FieldInfo, type NumericArray } from "../fields/fields.ts";
import { show } from "../../base/show.ts";
import { System } from "../system.ts";

/** Options of `writeExtxyz`. */
export interface ExtxyzOptions {
  /**
   * True to write the velocities a second time as momenta in ASE's unit, because ASE reads only these. Readers of
   * this package use the velocities. @default false
   */
  readonly momenta?: boolean;
}

/** A column and its values. */
interface Written extends Column {
  /** Atom `a` has the values from `a * width` on; the symbols of the elements are no numbers, so that they have none. */
  readonly values: NumericArray;
}

const NO_VALUES = new Float64Array(0);

/** Built-in fields per atom that become columns if the system has them. */
const KNOWN = ["velocities", "forces", "charges", "images", "categories"] as const;

/** Built-in fields per system that become keys of the same name. */
const KEYS = ["systemId", "status", "stepsDone", "dofRemoved"];

/**
 * Returns the text of an extended XYZ file with one frame per system, for ASE, OVITO and {@linkcode readExtxyz}.
 * Numbers have enough digits to restore the same bits.
 *
 * Columns hold the elements, the positions and every other field per atom, and the masses if they differ from those
 * of the elements. Keys hold the cell, pbc, energy, stress, every other field per system, and `info`. Energies,
 * forces and stresses that have not been computed (NaN) are omitted, and so are fields per edge, which the format
 * cannot hold. When the file is read, a custom field per system becomes part of `info`. A key of `info` that has the
 * name of a field per system is not written.
 *
 * @throws {TypeError} if a value of `info` is not plain data, if a key of `info` has a built-in meaning, or if a
 * custom field per atom has the name of a built-in column
 * @throws {Error} if an engine holds fields of the batch
 *
 * @example
 *
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { parseExtxyz, writeExtxyz } from "@hooke/hooke/batch/extxyz";
 * import { assertEquals } from "@std/assert";
 *
 * const argon = fcc({ element: "Ar", a: 5.26 });
 * const [back] = parseExtxyz(writeExtxyz(argon));
 * assertEquals(back!.positions, argon.positions);
 * ```
 */
export function writeExtxyz(systems: BatchInput, options: ExtxyzOptions = {}): string {
  const list = systems instanceof Batch
    ? systems.systems()
    : systems instanceof System
    ? [systems]
    : Array.from(systems, (one) => one instanceof System ? one : new System(one));
  return list.map((system) => {
    const { head, rows } = frameOf(system, options);
    return head + rows;
  }).join("");
}

/** A frame in two parts. */
export interface FrameText {
  /** The number of atoms and the comment, with their newlines. */
  readonly head: string;
  /** The rows. */
  readonly rows: string;
}

/** Returns a frame in two parts. Throws as {@linkcode writeExtxyz} does. */
export function frameOf(system: System, { momenta = false }: ExtxyzOptions): FrameText {
  const columns = [
    ...knownColumns(system),
    ...momenta && system.has("velocities") ? [momentaOf(system)] : [],
    ...system.fields().filter(isOwnColumn).map((info) => ownColumn(system, info)),
  ];
  return {
    head: `${system.nodeCount}\n${commentOf(system, columns)}\n`,
    rows: rowsOf(system, columns),
  };
}

function rowsOf({ nodeCount, numbers }: System, [, ...others]: readonly Written[]): string {
  // Texts are added to one string. Lists of words would be most of the garbage of a run that writes structures.
  let rows = "";
  for (let atom = 0; atom < nodeCount; atom++) {
    rows += atomicSymbol(numbers[atom]!);
    for (const { type, width, values } of others) {
      for (let i = atom * width; i < (atom + 1) * width; i++) {
        rows += type === "L" ? (values[i] === 1 ? " T" : " F") : ` ${writeNumber(values[i]!)}`;
      }
    }
    rows += "\n";
  }
  return rows;
}

function knownColumns(system: System): Written[] {
  const { masses, numbers } = system;
  const columns: Written[] = [
    { name: "species", type: "S", width: 1, values: NO_VALUES },
    numberColumn("pos", system.positions, 3, "R"),
  ];
  for (const field of KNOWN) {
    if (!system.has(field)) continue;
    const { width, dtype } = BUILT_IN.get(field)!;
    const values = system.get(field);
    if (field === "forces" && isUnknown(values)) continue;
    columns.push(numberColumn(MEANINGS[field]![0]!, values, width, dtype === "i32" ? "I" : "R"));
  }
  if (masses.some((mass, atom) => mass !== atomicMass(numbers[atom]!))) {
    columns.push(numberColumn("masses", masses, 1, "R"));
  }
  return columns;
}

function momentaOf(system: System): Written {
  const { masses } = system;
  const momenta = system.get("velocities").map((v, i) =>
    v * masses[Math.floor(i / 3)]! * TIME_UNIT_FS
  );
  return numberColumn("momenta", momenta, 3, "R");
}

function numberColumn(
  name: string,
  values: NumericArray,
  width: number,
  type: ColumnType,
): Written {
  return { name, type, width, values };
}

function isOwnColumn({ level, name }: FieldInfo): boolean {
  return level === "node" && !BUILT_IN.has(name);
}

function ownColumn(system: System, { name, dtype, width }: FieldInfo): Written {
  if (isTaken(name) || BUILT_IN.has(name)) {
    throw new TypeError(
      `Cannot write extxyz: a custom field must not have the name of a built-in column or key; got ${
        show(name)
      }`,
    );
  }
  const values = system.get(name);
  if (dtype === "u8" && values.every((x: number) => x <= 1)) {
    return { name, type: "L", width, values };
  }
  return numberColumn(name, values, width, dtype === "f64" || dtype === "f32" ? "R" : "I");
}

function commentOf(system: System, columns: readonly Column[]): string {
  const pairs: string[] = [];
  const add = (key: string, text: string) => pairs.push(`${quote(key)}=${quote(text)}`);
  if (system.cell.some((x) => x !== 0)) add("Lattice", numbers(system.cell));
  add("Properties", columns.map(({ name, type, width }) => `${name}:${type}:${width}`).join(":"));
  add("pbc", Array.from(system.pbc, (flag) => flag === 1 ? "T" : "F").join(" "));
  if (system.energy !== undefined) add("energy", writeNumber(system.energy));
  if (system.has("stress") && !isUnknown(system.get("stress"))) {
    add("stress", numbers(transposed(Array.from(system.get("stress")))));
  }
  const own = system.fields().filter(({ level, name }) =>
    level === "system" && (!BUILT_IN.has(name) || KEYS.includes(name))
  );
  for (const { name } of own) add(checkedKey(name), numbers(system.get(name)));
  for (const [key, value] of Object.entries(system.info)) {
    if (own.some(({ name }) => name === key)) continue;
    add(checkedKey(key), writeValue(value, key));
  }
  return pairs.join(" ");
}

function checkedKey(key: string): string {
  if (key !== "" && !RESERVED.includes(key) && !/[\n\r]/.test(key)) return key;
  throw new TypeError(
    `Cannot write extxyz: a key of info must not be empty, contain a line break, or be one of ${
      RESERVED.join(", ")
    }; got ${show(key)}`,
  );
}

function numbers(values: ArrayLike<number>): string {
  return Array.from(values, writeNumber).join(" ");
}

/** Returns whether all values are NaN. */
function isUnknown(values: NumericArray): boolean {
  return values.every((x: number) => Number.isNaN(x));
}
