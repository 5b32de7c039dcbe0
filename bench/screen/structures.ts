/**
 * Structures to screen: rattled crystals of argon of 8 to 64 atoms.
 *
 * @module
 */

import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { fcc, rattle, type System } from "../../src/batch/mod.ts";

/** Numbers of cells of four atoms: 8 to 64 atoms. */
const CELLS = [[2, 1, 1], [3, 1, 1], [2, 2, 1], [3, 2, 1], [2, 2, 2], [3, 2, 2], [
  4,
  2,
  2,
]] as const;

/** Structures in one text. More would only need memory. */
const AT_ONCE = 500;

/** Returns a structure, which depends only on its index. */
function structure(index: number): System {
  const cells = CELLS[index % CELLS.length]!;
  return rattle(fcc({ element: "Ar", a: 5.26, cells }), 0.15, index);
}

/** Writes structures to a file of extended XYZ. */
export async function writeStructures(path: string, count: number): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter(), encoder = new TextEncoder();
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    const texts = Array.from({ length }, (_, i) => writeExtxyz(structure(from + i)));
    await writer.write(encoder.encode(texts.join("")));
  }
  await writer.close();
}
