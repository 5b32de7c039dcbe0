/**
 * Conversion and check of user input for one system.
 *
 * @module
 */

import { isZeroRow, readCell } from "./cell.ts";
import { checkStore } from "./saved/check_store.ts";
import { atomicMass, atomicNumber, isSymbol, LARGEST_NUMBER } from "./elements.ts";
import { BUILT_IN, dtypeOf, type FieldInfo, type NumericArray } from "./fields/fields.ts";
import {
  copyValues,
  declareField,
  type FieldOptions,
  type NumericInput,
} from "./fields/field_values.ts";
import { show } from "../base/show.ts";
import type { Field, Info, Store } from "./store.ts";
import type { SystemInput, UserField } from "./system_input.ts";

/** Members of the input that are copied to the built-in fields of the same name. */
const PLAIN = [
  "velocities",
  "charges",
  "forces",
  "images",
  "categories",
  "energy",
  "status",
  "stepsDone",
  "dofRemoved",
  "edges",
  "shifts",
] as const;

/** Names of all members of the input. */
const MEMBERS: ReadonlySet<string> = new Set([
  "symbols",
  "numbers",
  "positions",
  "cell",
  "pbc",
  "masses",
  "stress",
  "id",
  "info",
  "fields",
  ...PLAIN,
]);

/** Largest system id. */
const LARGEST_ID = 2147483647;

/**
 * Creates the store of one system. If `isData` is true, positions, velocities and the cell may be NaN or infinite, as
 * in the frames of a diverged run.
 *
 * @throws {TypeError} if a value is of the wrong kind, or a member is unknown
 * @throws {RangeError} if a value or a length is impossible; the message names the atom
 */
export function readSystem(input: SystemInput, action: string, isData: boolean = false): Store {
  checkMembers(input, action);
  const numbers = readNumbers(input, action);
  const fields = new Map<string, Field>();
  const store: Store = {
    nodeOffsets: Int32Array.of(0, numbers.length),
    edgeOffsets: Int32Array.of(0, countEdges(input, action)),
    fields,
    infos: [readInfo(input.info, action)],
  };
  readBuiltIn(input, numbers, store, action, isData);
  for (const [name, field] of Object.entries(input.fields ?? {})) {
    fields.set(name, readUserField(name, field, store, action));
  }
  checkStore(store, action, () => "", { isData });
  return store;
}

/** Converts the members of the input that are built-in fields, and adds them to the store. */
function readBuiltIn(
  input: SystemInput,
  numbers: Int32Array,
  store: Store,
  action: string,
  isData: boolean,
): void {
  const put = (name: string, values: NumericArray) => {
    store.fields.set(name, { info: BUILT_IN.get(name)!, values });
  };
  const copy = (name: string, values: NumericInput | number) =>
    put(name, copyField(values, BUILT_IN.get(name)!, store, action));
  put("numbers", numbers);
  copy("positions", input.positions);
  if (input.masses === undefined) put("masses", massesOf(numbers));
  else copy("masses", input.masses);
  const cell = input.cell === undefined
    ? new Float64Array(9)
    : readCell(input.cell, action, isData);
  put("cell", cell);
  put("pbc", readPbc(input.pbc, cell, action));
  for (const name of PLAIN) {
    const values = input[name];
    if (values !== undefined) copy(name, values);
  }
  if (input.stress !== undefined) copy("stress", fullStress(input.stress));
  if (input.id !== undefined) copy("systemId", readId(input.id, action));
}

function massesOf(numbers: Int32Array): Float64Array {
  const masses = new Float64Array(numbers.length);
  for (let atom = 0; atom < masses.length; atom++) masses[atom] = atomicMass(numbers[atom]!);
  return masses;
}

function checkMembers(input: unknown, action: string): void {
  if (typeof input !== "object" || input === null) {
    throw new TypeError(
      `Cannot ${action}: a system must be an object with symbols and positions, or a System; got ${
        show(input)
      }`,
    );
  }
  for (const key of Object.keys(input)) {
    if (MEMBERS.has(key)) continue;
    throw new TypeError(
      `Cannot ${action}: its members must be among ${[...MEMBERS].join(", ")}; ` +
        `got ${show(key)}. Pass a custom field as a member of "fields"`,
    );
  }
}

function readNumbers({ symbols, numbers }: SystemInput, action: string): Int32Array {
  const given: unknown = symbols ?? numbers;
  const isList = Array.isArray(given) || ArrayBuffer.isView(given) && "length" in given;
  if (!isList || symbols !== undefined && numbers !== undefined) {
    throw new TypeError(
      `Cannot ${action}: either symbols or numbers must be a list of elements; got symbols ${
        show(symbols)
      } and numbers ${show(numbers)}`,
    );
  }
  const list = given as ArrayLike<unknown>;
  if (list.length === 0) {
    throw new RangeError(`Cannot ${action}: a system must have at least one atom; got 0`);
  }
  const read = new Int32Array(list.length);
  for (let atom = 0; atom < list.length; atom++) read[atom] = readElement(list[atom], atom, action);
  return read;
}

function readElement(element: unknown, atom: number, action: string): number {
  if (typeof element === "string" && isSymbol(element)) return atomicNumber(element);
  const isNumber = typeof element === "number" && Number.isInteger(element) && element >= 0 &&
    element <= LARGEST_NUMBER;
  if (isNumber) return element;
  throw new RangeError(
    `Cannot ${action}: the element of atom ${atom} must be a symbol or an atomic number from 0 to ${LARGEST_NUMBER}; got ${
      show(element)
    }`,
  );
}

function readPbc(pbc: SystemInput["pbc"], cell: Float64Array, action: string): Uint8Array {
  if (pbc === undefined) {
    return Uint8Array.from([0, 1, 2], (row) => isZeroRow(cell, row) ? 0 : 1);
  }
  const three: unknown = typeof pbc === "boolean" ? [pbc, pbc, pbc] : pbc;
  const isThree = (Array.isArray(three) || ArrayBuffer.isView(three) && "length" in three) &&
    three.length === 3 &&
    Array.from(three as ArrayLike<unknown>).every((x) =>
      typeof x === "boolean" || x === 0 || x === 1
    );
  if (isThree) return Uint8Array.from(three as ArrayLike<number>, Number);
  throw new TypeError(
    `Cannot ${action}: pbc must be one or three booleans; got ${show(pbc)}`,
  );
}

/**
 * Expands a stress of six numbers in Voigt order (xx, yy, zz, yz, xz, xy) to nine. Returns any other value unchanged.
 */
function fullStress(stress: NumericInput): NumericInput {
  if (stress.length !== 6 || typeof stress[0] !== "number") return stress;
  const [xx, yy, zz, yz, xz, xy] = Array.from(stress as ArrayLike<number>);
  return [xx!, xy!, xz!, xy!, yy!, yz!, xz!, yz!, zz!];
}

function readId(id: unknown, action: string): number {
  if (Number.isInteger(id) && (id as number) >= 0 && (id as number) <= LARGEST_ID) {
    return id as number;
  }
  throw new RangeError(
    `Cannot ${action}: its id must be an integer from 0 to ${LARGEST_ID}; got ${show(id)}`,
  );
}

function readInfo(info: unknown, action: string): Info {
  if (info === undefined) return {};
  if (typeof info === "object" && info !== null && !Array.isArray(info)) return { ...info };
  throw new TypeError(
    `Cannot ${action}: info must be an object; got ${show(info)}`,
  );
}

/**
 * Returns the number of edges: that of `edges` or, without `edges`, that of the first custom field per edge; 0 if the
 * input has neither.
 */
function countEdges({ edges, shifts, fields }: SystemInput, action: string): number {
  if (edges !== undefined) return rowCount(edges, 2);
  if (shifts !== undefined) {
    throw new TypeError(
      `Cannot ${action}: edges are required with shifts, because each shift belongs to an edge. Pass edges, or leave out shifts`,
    );
  }
  for (const field of Object.values(fields ?? {})) {
    if (field?.level === "edge" && typeof field.values === "object") {
      return rowCount(field.values, widthOf(field));
    }
  }
  return 0;
}

function rowCount(values: NumericInput, width: number): number {
  return typeof values[0] === "object" ? values.length : Math.floor(values.length / width);
}

function widthOf({ width, values }: UserField): number {
  const first = typeof values === "object" ? values[0] : undefined;
  return width ?? (typeof first === "object" ? first.length : 1);
}

function readUserField(name: string, field: UserField, store: Store, action: string): Field {
  if (typeof field !== "object" || field === null || !("values" in field)) {
    throw new TypeError(
      `Cannot ${action}: the field "${name}" must be an object with values, such as { values, level: "node" }; got ${
        show(field)
      }`,
    );
  }
  if (BUILT_IN.has(name)) {
    throw new TypeError(
      `Cannot ${action}: the built-in field "${name}" must be a member of the system; move it out of "fields"`,
    );
  }
  const dtype = field.dtype ?? dtypeOf(field.values) ?? "f64";
  const options: FieldOptions = { ...field, dtype, width: widthOf(field) };
  const info = declareField(name, options, action);
  return { info, values: copyField(field.values, info, store, action) };
}

function copyField(
  values: NumericInput | number,
  info: FieldInfo,
  store: Store,
  action: string,
): NumericArray {
  const rows = info.level === "system"
    ? 1
    : (info.level === "node" ? store.nodeOffsets : store.edgeOffsets)[1]!;
  const list = typeof values === "number" && info.level === "system" ? [values] : values;
  return copyValues(list as NumericInput, info, rows, action);
}
