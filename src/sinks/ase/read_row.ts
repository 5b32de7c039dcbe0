/**
 * Conversion of a row of ASE's tables to a system.
 *
 * @module
 */

import { reasonOf } from "../../base/show.ts";
import { type FieldInfo, MOVE_MASK, type NumericArray } from "../../batch/fields/fields.ts";
import { atomicMass, LARGEST_NUMBER } from "../../batch/elements.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import type { SystemInput, UserField } from "../../batch/system_input.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { asDeclared, DECLARED, readDeclared } from "../declared_fields.ts";
import { readConstraints } from "../../formats/ase/constraints.ts";
import {
  bad,
  dataOf,
  floats,
  hasTwoCharges,
  integers,
  numbersOf,
  objectOf,
  real,
} from "./cells.ts";
import type { Row } from "./database.ts";
import { COUNTS, CUSTOM_COLUMNS, hasColumn } from "./names.ts";
import { listsOf, Table } from "./packed.ts";
import { momentaOf } from "./write_row.ts";

type Draft = { -readonly [K in keyof SystemInput]: SystemInput[K] } & {
  fields: Record<string, UserField>;
  info: Record<string, unknown>;
};

/** Built-in fields without a column. Rows that Hooke wrote have them in `data`. */
const IN_DATA = ["images", "categories", "edges", "shifts", "stress"] as const;

/** Returns the system of a row. Throws a SyntaxError that names the row if it is not valid. */
export function systemOfRow(row: Row, path: string): System {
  try {
    return readRow(row);
  } catch (cause) {
    throw new SyntaxError(
      `Cannot read ${path}: row ${row["id"]} is not a valid system: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

function readRow(row: Row): System {
  const numbers = numbersOf(row);
  // A name in a file must not reach a prototype: `__proto__` is a name like any other.
  const [fields, info] = [Object.create(null), Object.create(null)];
  const draft: Draft = { numbers, positions: [], fields, info };
  readAtoms(row, draft, numbers.length);
  readResults(row, draft, numbers.length);
  const pairs = new Map(Object.entries(objectOf(row["key_value_pairs"] ?? "{}")));
  const data = new Map(Object.entries(dataOf(row["data"] ?? "null")));
  const declared = data.get(DECLARED);
  const isOurs = declared !== undefined;
  readCustomColumns(row, draft, numbers.length);
  const constraints = readConstrained(row, draft, numbers.length);
  const edges = data.get("edges");
  const edgeCount = isOurs && edges instanceof Table ? edges.shape[0]! : 0;
  if (isOurs) readCustomFields(readDeclared(declared), { draft, pairs, data, edgeCount });
  if (isOurs && "initial_charges" in draft.fields && row["charges"] === null) delete draft.charges;
  const velocities = isOurs ? data.get("velocities") : undefined;
  if (isOurs) takeBuiltIn(draft, data);
  readPairs(draft, pairs, data);
  if (constraints !== undefined) draft.info["constraints"] = constraints;
  return withVelocities(draft, velocities, floats(row, "momenta", 3 * numbers.length));
}

function readAtoms(row: Row, draft: Draft, atoms: number): void {
  const positions = floats(row, "positions", 3 * atoms);
  if (positions === undefined) throw bad("positions", row["positions"]);
  draft.positions = positions;
  const cell = floats(row, "cell", 9);
  if (cell !== undefined) draft.cell = cell;
  const pbc = Number(row["pbc"] ?? 0);
  if (!Number.isInteger(pbc) || pbc < 0 || pbc > 7) throw bad("pbc", row["pbc"]);
  draft.pbc = [pbc & 1, (pbc >> 1) & 1, pbc >> 2];
  const masses = floats(row, "masses", atoms);
  if (masses !== undefined) draft.masses = masses;
}

function readResults(row: Row, draft: Draft, atoms: number): void {
  const energy = real(row, "energy");
  if (energy !== undefined) draft.energy = energy;
  const forces = floats(row, "forces", 3 * atoms);
  if (forces !== undefined) draft.forces = forces;
  const stress = floats(row, "stress", 6);
  if (stress !== undefined) draft.stress = stress;
  const charges = floats(row, "charges", atoms) ?? floats(row, "initial_charges", atoms);
  if (charges !== undefined) draft.charges = charges;
  const calculator = row["calculator"];
  if (typeof calculator !== "string" || calculator === "hooke") return;
  draft.info["calculator"] = calculator;
  const parameters = objectOf(row["calculator_parameters"] ?? "{}");
  if (Object.keys(parameters).length > 0) draft.info["calculator_parameters"] = parameters;
}

/** Adds the columns that are custom fields in Hooke to the draft of the system. */
function readCustomColumns(row: Row, draft: Draft, atoms: number): void {
  for (const [name, { level, dtype, width, fill }] of Object.entries(CUSTOM_COLUMNS)) {
    if (name === "initial_charges" && !hasTwoCharges(row)) continue;
    const values = dtype === "i32"
      ? integers(row, name, atoms)
      : level === "node"
      ? floats(row, name, atoms)
      : width === 1
      ? real(row, name)
      : floats(row, name, width);
    if (values !== undefined) draft.fields[name] = { level, dtype, width, fill, values };
  }
}

function readConstrained(row: Row, draft: Draft, atoms: number): unknown {
  const text = row["constraints"];
  if (text === null || text === undefined) return undefined;
  if (typeof text !== "string") throw bad("constraints", text);
  const { mask, others } = readConstraints(text, atoms);
  if (mask !== undefined) {
    const width = mask.length / atoms;
    draft.fields[MOVE_MASK] = { level: "node", dtype: "u8", width, fill: 1, values: mask };
  }
  return others.length === 0 ? undefined : others;
}

/** The parts of a row in which the values of declared fields are looked up. */
interface Places {
  readonly draft: Draft;
  readonly pairs: Map<string, unknown>;
  readonly data: Map<string, unknown>;
  readonly edgeCount: number;
}

function readCustomFields(declared: readonly FieldInfo[], places: Places): void {
  const { draft, edgeCount } = places;
  const rows = { node: draft.numbers!.length, edge: edgeCount, system: 1 };
  for (const info of declared) {
    const values = valuesOf(info, places);
    draft.fields[info.name] = fieldOf(info, asDeclared(values, info, rows[info.level]));
  }
}

function valuesOf(info: FieldInfo, { draft, pairs, data }: Places): unknown {
  const { name, width } = info;
  const atoms = draft.numbers!.length;
  const column = draft.fields[name]?.values;
  if (column !== undefined && !data.has(name)) return column;
  if (name === MOVE_MASK && !data.has(name)) return new Uint8Array(atoms * width).fill(1);
  if (name === "initial_charges" && hasColumn(info)) return draft.charges;
  if (hasColumn(info) && info.level === "system") return new Float64Array(width).fill(NaN);
  const values = pairs.has(name) ? pairs.get(name) : data.get(name);
  pairs.delete(name);
  data.delete(name);
  return values instanceof Table ? values.values : values;
}

function fieldOf({ level, dtype, width, unit, fill }: FieldInfo, values: NumericArray): UserField {
  return { level, dtype, width, unit, values, ...(fill === undefined ? {} : { fill }) };
}

function takeBuiltIn(draft: Draft, data: Map<string, unknown>): void {
  for (const name of IN_DATA) {
    const values = data.get(name);
    if (values instanceof Table) draft[name] = values.values;
    data.delete(name);
  }
  if (data.has("energy") && draft.energy === 0) draft.energy = -0;
  data.delete("energy");
  data.delete(DECLARED);
  data.delete("velocities");
}

/** Adds the remaining pairs and data to the system's built-in fields and `info`. */
function readPairs(
  draft: Draft,
  pairs: ReadonlyMap<string, unknown>,
  data: ReadonlyMap<string, unknown>,
): void {
  for (const [key, value] of pairs) {
    const isCount = COUNTS.includes(key) && Number.isInteger(value) && (value as number) >= 0 &&
      (value as number) <= 2147483647;
    if (!isCount) draft.info[key] = value;
    else Object.assign(draft, { [key === "systemId" ? "id" : key]: value });
  }
  for (const [key, value] of data) {
    const name = Object.hasOwn(draft.info, key) ? `data_${key}` : key;
    draft.info[name] = listsOf(value);
  }
}

/** Returns the system with its exact velocities, unless another program has changed the momenta since. */
function withVelocities(
  draft: Draft,
  velocities: unknown,
  momenta: Float64Array | undefined,
): System {
  if (momenta === undefined) return systemOfData(draft);
  if (velocities instanceof Table) {
    const system = systemOfData({ ...draft, velocities: velocities.values });
    if (momentaOf(system)!.every((p, i) => isSame(p, momenta[i]!))) return system;
  }
  const masses =
    (draft.masses ?? Float64Array.from(draft.numbers as Int32Array, massOf)) as ArrayLike<number>;
  const of = momenta.map((p, i) => p / (masses[Math.floor(i / 3)]! * TIME_UNIT_FS));
  return systemOfData({ ...draft, velocities: of });
}

/** Returns whether two numbers are equal; NaN equals NaN. */
function isSame(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/**
 * Returns the mass of an element, amu; 1 for a number without an element, which is refused later with the rest of the
 * system.
 */
function massOf(number: number): number {
  return number >= 0 && number <= LARGEST_NUMBER ? atomicMass(number) : 1;
}
