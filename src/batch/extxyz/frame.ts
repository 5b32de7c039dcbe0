/**
 * Conversion of the parsed words of an XYZ frame to a system.
 *
 * @module
 */

import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { atomicMass, atomicNumber, isSymbol, LARGEST_NUMBER } from "../elements.ts";
import { type Column, meaningOf, MEANINGS, RESERVED } from "./columns.ts";
import { flatRows } from "./header.ts";
import { bad } from "./lines.ts";
import { readBoolean, readNumber, type Value } from "./values.ts";
import { BUILT_IN, MOVE_MASK } from "../fields/fields.ts";
import type { SystemInput, UserField } from "../system_input.ts";

/** A column, its words for all atoms in order (`column.width` words per atom), and the line of the first atom. */
export interface Words {
  readonly column: Column;
  readonly words: string[];
  readonly firstLine: number;
}

/** Keys of the comment that become fields of the system if their values are integers of 0 or more. */
const COUNTS = ["status", "stepsDone", "dofRemoved"] as const;

type Draft = { -readonly [K in keyof SystemInput]: SystemInput[K] } & {
  fields: Record<string, UserField>;
  info: Record<string, Value>;
};

/**
 * Converts the pairs and columns of a frame to the input of the `System` constructor.
 *
 * @throws {SyntaxError} if a word does not fit its column; the message names the line
 */
export function describe(pairs: Map<string, Value>, all: readonly Words[]): SystemInput {
  const draft: Draft = { positions: [], fields: {}, info: {} };
  const known = new Map<string, Words>();
  for (const words of all) {
    const meaning = meaningOf(words.column);
    const other = meaning === undefined ? undefined : known.get(meaning);
    if (meaning === undefined) addOwnColumn(draft, words);
    else if (other === undefined || comesBefore(words, other, meaning)) known.set(meaning, words);
  }
  addKnownColumns(draft, known, all[0]!.firstLine);
  addPairs(draft, pairs);
  return draft;
}

function comesBefore(a: Words, b: Words, meaning: string): boolean {
  const names = MEANINGS[meaning]!;
  return names.indexOf(a.column.name) < names.indexOf(b.column.name);
}

function addKnownColumns(draft: Draft, known: ReadonlyMap<string, Words>, line: number): void {
  const [numbers, symbols] = [known.get("numbers"), known.get("symbols")];
  draft.numbers = numbers === undefined ? elementsIn(symbols!.words, line) : numbersOf(numbers);
  draft.positions = numbersOf(known.get("positions")!);
  for (
    const name of ["velocities", "forces", "masses", "charges", "images", "categories"] as const
  ) {
    const words = known.get(name);
    if (words !== undefined) draft[name] = numbersOf(words);
  }
  const momenta = known.get("momenta");
  if (momenta !== undefined && draft.velocities === undefined) {
    const masses = draft.masses as ArrayLike<number> | undefined;
    draft.velocities = velocitiesOf(numbersOf(momenta), draft.numbers as ArrayLike<number>, masses);
  }
}

/**
 * Converts momenta of ASE to velocities, Å/fs. ASE's unit of momentum is √(amu·eV), which corresponds to a unit of
 * time of Å·√(amu/eV).
 */
function velocitiesOf(
  momenta: ArrayLike<number>,
  numbers: ArrayLike<number>,
  masses: ArrayLike<number> | undefined,
): Float64Array {
  return Float64Array.from(momenta, (p, i) => {
    const atom = Math.floor(i / 3);
    // The check of the whole system reports an unknown atomic number later.
    const mass = masses?.[atom] ?? MASSES[numbers[atom]!] ?? 1;
    return p / (mass * TIME_UNIT_FS);
  });
}

const MASSES: readonly number[] = Array.from(
  { length: LARGEST_NUMBER + 1 },
  (_, number) => atomicMass(number),
);

/** Returns the atomic numbers of species. A structure has few different ones, so that each is read once. */
function elementsIn(words: readonly string[], line: number): number[] {
  const known = new Map<string, number>();
  return words.map((word, atom) => {
    const number = known.get(word) ?? readElement(word, line + atom);
    known.set(word, number);
    return number;
  });
}

/**
 * Returns the atomic number of a species. Like ASE, it accepts symbols in any case. It also accepts atomic numbers,
 * which some plain files have instead of symbols.
 */
function readElement(word: string, line: number): number {
  const symbol = word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
  if (isSymbol(symbol)) return atomicNumber(symbol);
  if (/^\d{1,3}$/.test(word)) return Number(word);
  const plain = /^[A-Z][a-z]?(?=[\d+\-_.]+[a-z\d+-]*$)/.exec(word)?.[0] ?? "";
  const cure = isSymbol(plain) ? `, such as ${plain}` : "";
  throw bad(`each species must be an element${cure}`, line, word);
}

function numbersOf({ column, words, firstLine }: Words): number[] {
  const { name, type, width } = column;
  return words.map((word, i) => {
    const value = type === "L" ? readBoolean(word) : readNumber(word);
    if (value !== undefined && (type !== "I" || Number.isSafeInteger(value))) return Number(value);
    const kind = { R: "numbers", I: "whole numbers", L: "T or F", S: "" }[type];
    throw bad(`${name} must be ${kind}`, firstLine + Math.floor(i / width), word);
  });
}

/**
 * Adds a custom column as a field. Two kinds of columns become lists in `info` instead: text, which a field cannot
 * hold, and columns that have a built-in name but another type or width.
 */
function addOwnColumn(draft: Draft, all: Words): void {
  const { name, type, width } = all.column;
  const isOther = BUILT_IN.has(name) || RESERVED.includes(name);
  if (type === "S" || isOther) {
    const key = isOther ? `${name}_per_atom` : name;
    setOwn(draft.info, key, type === "S" ? all.words : numbersOf(all));
    return;
  }
  const values = numbersOf(all);
  const isSmall = values.every((x) => x >= -2147483648 && x <= 2147483647);
  const dtype = type === "L" ? "u8" : type === "I" && isSmall ? "i32" : "f64";
  // ASE omits the mask in frames without fixed atoms, so a missing mask means that all atoms move.
  const fill = name === MOVE_MASK ? { fill: 1 } : {};
  setOwn(draft.fields, name, { level: "node", width, dtype, values, ...fill });
}

function addPairs(draft: Draft, pairs: Map<string, Value>): void {
  for (const [key, value] of pairs) {
    if (key === "Lattice") draft.cell = flatRows(value) as number[];
    else if (key === "pbc") draft.pbc = value === 0 || value === 1 ? value === 1 : value as boolean;
    else if (key === "energy") draft.energy = value as number;
    else if (key === "stress") draft.stress = transposed(flatRows(value) as number[]);
    else if (key === "systemId" && isCount(value)) draft.id = value;
    else if ((COUNTS as readonly string[]).includes(key) && isCount(value)) {
      draft[key as typeof COUNTS[number]] = value;
    } else setOwn(draft.info, key, value);
  }
}

function isCount(value: Value): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 2147483647;
}

/**
 * Transposes nine numbers, because matrices in the comment are in column-major order. Other lists are returned
 * unchanged.
 */
export function transposed(matrix: readonly number[]): readonly number[] {
  return matrix.length === 9
    ? matrix.map((_, i) => matrix[3 * (i % 3) + Math.floor(i / 3)]!)
    : matrix;
}

/**
 * Defines an own property. An assignment to a name such as `__proto__`, which a file may contain, would set the
 * prototype.
 */
function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
