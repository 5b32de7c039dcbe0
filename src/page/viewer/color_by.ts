/**
 * Colors of atoms: by element, or by a value per atom.
 *
 * @module
 */

import { atomicSymbol, LARGEST_NUMBER } from "../../batch/elements.ts";
import type { ViewerFrame } from "../protocol.ts";
import { type Bytes, type ColorMap, colorMapOf } from "./color_map.ts";
import { colorOf } from "./elements.ts";

/** Colors by element. Any other choice is the name of a field. */
export const BY_ELEMENT = "element";

/** Units of fields with known names. */
const UNITS: Readonly<Record<string, string>> = {
  forces: "eV/Å",
  velocities: "Å/fs",
  charges: "e",
  masses: "amu",
  energies: "eV",
};

/** Returns the unit of a field; an empty text if it is not known. */
export function unitOf(field: string): string {
  return Object.hasOwn(UNITS, field) ? UNITS[field]! : "";
}

/** Values that a color map covers. */
export interface ColorScale {
  /** Name of the field. */
  readonly field: string;
  /** Unit; an empty text if it is not known. */
  readonly unit: string;
  /** Value with the first color. */
  readonly least: number;
  /** Value with the last color. */
  readonly most: number;
  /** True if values lie on both sides of zero, which has a color of its own then. */
  readonly isDiverging: boolean;
  /** True if the values are lengths of vectors. */
  readonly isLength: boolean;
}

/** Returns a value per atom of a field: the length of vectors; undefined if the frame has no such field. */
export function valuesOf(
  { fields, numbers }: ViewerFrame,
  field: string,
): Float32Array | undefined {
  const values = fields !== undefined && Object.hasOwn(fields, field) ? fields[field]! : undefined;
  if (values === undefined || values.length === numbers.length) return values;
  const width = values.length / numbers.length;
  return Float32Array.from(
    numbers,
    (_, i) => Math.hypot(...values.subarray(width * i, width * (i + 1))),
  );
}

/** Returns the scale of a field, which covers the values of this frame and those of an earlier scale. */
export function scaleOf(
  frame: ViewerFrame,
  field: string,
  before: ColorScale | undefined,
): ColorScale | undefined {
  const values = valuesOf(frame, field);
  if (values === undefined) return undefined;
  let [least, most] = before?.field === field ? [before.least, before.most] : [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const isLength = frame.fields![field]!.length !== frame.numbers.length;
  const isDiverging = least < 0 && most > 0;
  if (least > most) [least, most] = [0, 1]; // no finite value
  if (isLength) least = 0;
  if (isDiverging) [least, most] = [-Math.max(-least, most), Math.max(-least, most)];
  return { field, unit: unitOf(field), least, most, isDiverging, isLength };
}

/** Color of atoms without a finite value. */
const NO_VALUE = [128, 128, 128] as const;

/** Returns the colors of the atoms: 3 bytes each. */
export function atomColors(frame: ViewerFrame, scale: ColorScale | undefined): Uint8Array {
  const { numbers } = frame, colors = new Uint8Array(3 * numbers.length);
  const values = scale === undefined ? undefined : valuesOf(frame, scale.field);
  if (scale === undefined || values === undefined) {
    for (let i = 0; i < numbers.length; i++) {
      const [red, green, blue] = elementColor(numbers[i]!);
      colors[3 * i] = red;
      colors[3 * i + 1] = green;
      colors[3 * i + 2] = blue;
    }
    return colors;
  }
  const map: ColorMap = colorMapOf(scale.isDiverging), width = scale.most - scale.least || 1;
  values.forEach((value, i) => {
    colors.set(Number.isFinite(value) ? map((value - scale.least) / width) : NO_VALUE, 3 * i);
  });
  return colors;
}

/** Colors of elements that were asked for. */
const elementColors = new Map<number, Bytes>();

/** Returns the color of an element. */
export function elementColor(number: number): Bytes {
  const known = elementColors.get(number);
  if (known !== undefined) return known;
  const color = colorOf(number, symbolOf(number));
  elementColors.set(number, color);
  return color;
}

/** Returns the symbol of an element; X for numbers that are not elements. */
export function symbolOf(number: number): string {
  return number <= LARGEST_NUMBER ? atomicSymbol(number) : "X";
}

/** Returns the formula of a structure in Hill's order: carbon, hydrogen, then the others by their symbols. */
export function formulaOf({ numbers }: Pick<ViewerFrame, "numbers">): string {
  const counts = new Map<string, number>();
  for (const number of numbers) {
    const symbol = symbolOf(number);
    counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  }
  const first = counts.has("C") ? ["C", "H"].filter((symbol) => counts.has(symbol)) : [];
  const others = [...counts.keys()].filter((symbol) => !first.includes(symbol)).sort();
  return [...first, ...others].map((symbol) => {
    const count = counts.get(symbol)!;
    return count === 1 ? symbol : `${symbol}${count}`;
  }).join("");
}
