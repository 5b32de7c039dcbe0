/**
 * Elements as files write them.
 *
 * @module
 */

import { atomicMass, atomicNumber, isSymbol, LARGEST_NUMBER } from "../batch/elements.ts";

/** Symbols of the isotopes of hydrogen, with their masses in amu. */
const ISOTOPES: Readonly<Record<string, number>> = { D: 2.01410178, T: 3.01604928 };

/** Returns the mass of deuterium and tritium, amu; `undefined` for any other label. */
export function isotopeMass(label: string): number | undefined {
  return ISOTOPES[/^([DT])(?![a-z])/.exec(label.trim())?.[1] ?? ""];
}

/**
 * Returns the atomic number of the element with which a label of an atom begins. Unlike in `elementOf`, a second
 * letter belongs to the symbol only if it is a small letter, or if the first letter alone is no element: `"HO1"` is
 * hydrogen, `"Ho1"` holmium, `"LI1"` lithium. Returns `undefined` for words such as `"Wat"`.
 */
export function elementOfLabel(label: string): number | undefined {
  const [, symbol = ""] = /^([A-Z][a-z]?)(?![a-z])/.exec(label.trim()) ?? [];
  return symbol === "" ? undefined : symbolNumber(symbol) ?? elementOf(label);
}

/**
 * Returns the atomic number of the element with which a label begins: `"Fe3+"`, `"O1"` and `"CA"` (as a symbol in
 * capitals) give iron, oxygen and calcium. Returns `undefined` if the label does not begin with an element.
 */
export function elementOf(label: string): number | undefined {
  const letters = /^[A-Za-z]{1,2}/.exec(label.trim())?.[0] ?? "";
  for (const length of [2, 1]) {
    if (letters.length < length) continue;
    const symbol = letters[0]!.toUpperCase() + letters.slice(1, length).toLowerCase();
    if (isSymbol(symbol) && symbol !== "X") return atomicNumber(symbol);
    if (length === 1 && symbol in ISOTOPES) return 1;
  }
  return undefined;
}

/** Returns the atomic number of an element's symbol in any case, or `undefined` for any other word. */
export function symbolNumber(word: string): number | undefined {
  const symbol = word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
  if (symbol in ISOTOPES) return 1;
  return isSymbol(symbol) && symbol !== "X" ? atomicNumber(symbol) : undefined;
}

/** Returns the element whose mass is within 0.05 amu of a mass, and nearest; `undefined` if there is none. */
export function elementOfMass(mass: number): number | undefined {
  let best: number | undefined, least = 0.05;
  for (let number = 1; number <= LARGEST_NUMBER; number++) {
    const difference = Math.abs(atomicMass(number) - mass);
    if (difference < least) [best, least] = [number, difference];
  }
  return best;
}
