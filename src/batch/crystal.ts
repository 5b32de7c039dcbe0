/**
 * Structures for tests and examples: crystals and random displacements.
 *
 * @module
 */

import { gaussians, philox, Stream } from "../kernels/philox.ts";
import { checkOptions } from "../base/check_options.ts";
import { seedWords } from "./seed.ts";
import { show } from "../base/show.ts";
import { assemble } from "./store.ts";
import { storeOf, System, systemOf } from "./system.ts";

/** Options of `fcc`. */
export interface CrystalOptions {
  /** Symbol of the element. */
  readonly element: string;
  /** Edge length of the cubic cell, Å. */
  readonly a: number;
  /** Number of cubic cells: one number for all three directions, or one for each. @default 1 */
  readonly cells?: number | readonly [number, number, number];
}

/** Positions of the four atoms of a cubic cell, in units of half its edge. */
const FCC = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] as const;

/**
 * Builds a perfect face-centered cubic crystal, periodic in all directions, with four atoms per
 * cell.
 *
 * @throws {TypeError} for an unknown option
 * @throws {RangeError} if the element is unknown, the edge is not above 0, or a count is below 1
 *
 * @example
 *
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const argon = fcc({ element: "Ar", a: 5.26, cells: 3 });
 * assertEquals(argon.nodeCount, 108);
 * assertEquals(argon.cell[0], 3 * 5.26);
 * ```
 */
export function fcc(options: CrystalOptions): System {
  checkOptions("build a crystal", options, ["element", "a", "cells"]);
  const { element, a, cells = 1 } = options;
  if (typeof a !== "number" || !(a > 0 && a < Infinity)) {
    throw new RangeError(
      `Cannot build a crystal: its lattice constant a must be above 0 Å and finite; got ${show(a)}`,
    );
  }
  const counts = typeof cells === "number" ? [cells, cells, cells] : cells;
  const [nx, ny, nz] = counts;
  if (counts.length !== 3 || !counts.every((n) => Number.isInteger(n) && n >= 1)) {
    throw new RangeError(
      `Cannot build a crystal: cells must be a positive integer or three of them; got ${
        show(cells)
      }`,
    );
  }
  const positions: number[] = [];
  for (let x = 0; x < nx!; x++) {
    for (let y = 0; y < ny!; y++) {
      for (let z = 0; z < nz!; z++) {
        for (const [i, j, k] of FCC) {
          positions.push((x + i / 2) * a, (y + j / 2) * a, (z + k / 2) * a);
        }
      }
    }
  }
  const symbols = new Array<string>(positions.length / 3).fill(element);
  return new System({ symbols, positions, cell: [nx! * a, ny! * a, nz! * a] });
}

/**
 * Returns a copy of a system in which each coordinate is displaced by a normally distributed random number. The copy
 * has no energy, forces and stress, because they belong to the old positions.
 *
 * @param stdev standard deviation of each displacement, Å
 * @param seed a whole number 0 … 2⁵³ − 1; equal seeds give equal displacements for any system id
 * @throws {RangeError} if the standard deviation is negative or not finite, or the seed is invalid
 *
 * @example
 *
 * ```ts
 * import { fcc, rattle } from "@hooke/hooke/batch";
 * import { assertEquals, assertNotEquals } from "@std/assert";
 *
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * assertNotEquals(rattle(crystal, 0.1, 1).positions, crystal.positions);
 * assertEquals(rattle(crystal, 0.1, 1).positions, rattle(crystal, 0.1, 1).positions);
 * ```
 */
export function rattle(system: System, stdev: number, seed: number = 0): System {
  const action = "rattle a system";
  const [low, high] = seedWords(seed, action);
  if (typeof stdev !== "number" || !(stdev >= 0 && stdev < Infinity)) {
    throw new RangeError(
      `Cannot ${action}: the standard deviation must be 0 or more and finite; got ${show(stdev)}`,
    );
  }
  const store = assemble([{ store: storeOf(system), index: 0 }], () => "the system");
  for (const old of ["energy", "forces", "stress"]) store.fields.delete(old);
  const copy = systemOf(store);
  const words = new Uint32Array(4);
  const normal = new Float64Array(4);
  const { positions } = copy;
  for (let atom = 0; atom < copy.nodeCount; atom++) {
    philox(atom, 0, 0, Stream.RATTLE, low, high, words);
    gaussians(words, normal);
    for (let k = 0; k < 3; k++) {
      positions[3 * atom + k] = positions[3 * atom + k]! + stdev * normal[k]!;
    }
  }
  return copy;
}
