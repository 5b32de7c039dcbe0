/**
 * Elements of LAMMPS atom types.
 *
 * @module
 */

import { atomicMass, atomicSymbol } from "../../batch/elements.ts";
import type { System } from "../../batch/system.ts";
import { elementOf, elementOfMass, symbolNumber } from "../element.ts";
import type { FormatOptions } from "../format.ts";

/** Returns the atomic numbers of the option `types`. Throws a TypeError for a word that is not an element. */
export function numbersOfTypes(types: readonly string[]): number[] {
  return types.map((word) => {
    const number = symbolNumber(word);
    if (number !== undefined) return number;
    throw new TypeError(`types must be symbols of elements; got ${JSON.stringify(word)}`);
  });
}

/** Facts about a type in a file. */
export interface TypeHint {
  readonly mass?: number;
  /** Comment after the mass, which is the element in files of ASE, OVITO and others. */
  readonly comment?: string;
}

/** Returns the atomic number of a type; `undefined` if neither the option nor the file determines it. */
export function numberOfType(
  type: number,
  hint: TypeHint | undefined,
  { types }: FormatOptions,
): number | undefined {
  if (types !== undefined) return numbersOfTypes(types)[type - 1];
  if (hint?.mass === undefined) return undefined;
  const named = hint.comment === undefined
    ? undefined
    : symbolNumber(hint.comment) ?? elementOf(hint.comment);
  const isNamed = named !== undefined && Math.abs(atomicMass(named) - hint.mass) < 0.5;
  return isNamed ? named : elementOfMass(hint.mass);
}

/** The elements of a system in the order of their first atoms: types 1, 2, … of a file to write. */
export function typesOf(system: System, { types }: FormatOptions): number[] {
  const numbers = types === undefined ? [...new Set(system.numbers)] : numbersOfTypes(types);
  const missing = system.numbers.find((number) => !numbers.includes(number));
  if (missing === undefined) return numbers;
  throw new TypeError(
    `types must contain all elements of the system; got no ${atomicSymbol(missing)}`,
  );
}
