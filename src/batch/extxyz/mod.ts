/**
 * Readers and writers of structures in the extended XYZ format, compatible with ASE.
 *
 * @example
 *
 * ```ts
 * import { System } from "@hooke/hooke/batch";
 * import { parseExtxyz, writeExtxyz } from "@hooke/hooke/batch/extxyz";
 * import { assertEquals } from "@std/assert";
 *
 * const dimer = new System({ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] });
 * const [copy] = parseExtxyz(writeExtxyz(dimer));
 * assertEquals(copy!.symbols, ["Ar", "Ar"]);
 * ```
 *
 * @module
 */

export type { ParseExtxyzOptions } from "./read.ts";
export { parseExtxyz, readExtxyz } from "./read.ts";
export type { ExtxyzOptions } from "./write.ts";
export { writeExtxyz } from "./write.ts";
