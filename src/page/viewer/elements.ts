/**
 * Radii and colors of elements in pictures.
 *
 * The radii are the covalent radii of B. Cordero et al., Dalton Trans. (2008) 2832–2838, doi:10.1039/b801115j, so that
 * atoms with a bond touch.
 *
 * @module
 */

/** Covalent radii from hydrogen to curium, pm. */
// deno-fmt-ignore -- a table
const RADII: readonly number[] = [
  31, 28, 128, 96, 84, 76, 71, 66, 57, 58, 166, 141, 121, 111, 107, 105, 102, 106, 203, 176, 170, 160, 153, 139,
  139, 132, 126, 124, 132, 122, 122, 120, 119, 120, 120, 116, 220, 195, 190, 175, 164, 154, 147, 146, 142, 139, 145,
  144, 142, 139, 139, 138, 139, 140, 244, 215, 207, 204, 203, 201, 199, 198, 198, 196, 194, 192, 192, 189, 190, 187,
  187, 175, 170, 162, 151, 144, 141, 136, 136, 132, 145, 146, 148, 140, 150, 150, 260, 221, 215, 206, 200, 196, 190,
  187, 180, 169,
];

/** Colors that chemists expect, or that tell neighbors in the table of elements apart. */
const COLORS: Readonly<Record<string, string>> = {
  H: "#f2f2f2",
  He: "#c9f2f5",
  Li: "#a56cd6",
  Be: "#b5d94a",
  B: "#f0a58a",
  C: "#4d4d4d",
  N: "#3b6fe0",
  O: "#e0352b",
  F: "#7fd65a",
  Ne: "#a0dfee",
  Na: "#8f5bd0",
  Mg: "#5cb85c",
  Al: "#b8a4a4",
  Si: "#d9b382",
  P: "#f08c1e",
  S: "#e8cf2e",
  Cl: "#2fbf4a",
  Ar: "#62c7d9",
  K: "#7b46bd",
  Ca: "#4aa84a",
  Ti: "#a9afb8",
  Cr: "#7d92c4",
  Mn: "#9a74c2",
  Fe: "#d9692f",
  Co: "#e07f9f",
  Ni: "#5fbf7a",
  Cu: "#c77838",
  Zn: "#7f82a8",
  Br: "#a33327",
  Kr: "#54b0cc",
  Ag: "#b9bec4",
  I: "#8b2f9e",
  Xe: "#4698b8",
  Pt: "#ccd2da",
  Au: "#f0c52d",
  Pb: "#5b6470",
};

/** Returns the radius of an element, Å. */
export function radiusOf(number: number): number {
  return (RADII[number - 1] ?? 150) / 100;
}

/** Red, green and blue, from 0 to 255. */
export type Color = readonly [number, number, number];

/** Returns the color of an element. Elements without a usual color get hues that differ from those of their neighbors. */
export function colorOf(number: number, symbol: string): Color {
  const known = COLORS[symbol];
  if (known !== undefined) {
    return [1, 3, 5].map((at) => parseInt(known.slice(at, at + 2), 16)) as unknown as Color;
  }
  const hue = (number * 137) % 360;
  return [0, 120, 240].map((at) =>
    Math.round(148 + 42 * Math.cos((hue - at) * Math.PI / 180))
  ) as unknown as Color;
}

/** Returns a color mixed with another one, as text for SVG. */
export function mixed(color: Color, other: Color, share: number): string {
  const text = color.map((value, k) =>
    Math.round(value + (other[k]! - value) * share).toString(16).padStart(2, "0")
  );
  return `#${text.join("")}`;
}
