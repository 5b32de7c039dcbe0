/**
 * Structures and batches of structures: atoms, cells, files, velocities.
 *
 * @example
 * ```ts
 * import { Batch, System } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const dimer = new System({ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] });
 * const batch = Batch.from([dimer, dimer]);
 * assertEquals(batch.nodeCount, 4);
 * ```
 *
 * @module
 */

export type { Systems } from "./batch.ts";
export { Batch } from "./batch.ts";
export type { CellInput } from "./cell.ts";
export { cellVolume, invertCell } from "./cell.ts";
export type { CrystalOptions } from "./crystal.ts";
export { fcc, rattle } from "./crystal.ts";
export { atomicMass, atomicNumber, atomicSymbol } from "./elements.ts";
export { parseExtxyz, readExtxyz } from "./extxyz_read.ts";
export type { ExtxyzOptions } from "./extxyz_write.ts";
export { writeExtxyz } from "./extxyz_write.ts";
export type {
  BuiltInFields,
  BuiltInName,
  DType,
  FieldInfo,
  Level,
  NumericArray,
} from "./fields.ts";
export type { FieldOptions, NumericInput } from "./field_values.ts";
export type { FieldHolder } from "./holder.ts";
export type { Neighbours } from "./neighbours.ts";
export { NeighbourList, neighbourList } from "./neighbours.ts";
export type { NeighbourEdges } from "./neighbours_edges.ts";
export type { NeighbourMatrix } from "./neighbours_matrix.ts";
export type {
  NeighbourFormat,
  NeighbourListOptions,
  NeighbourMatrixOptions,
  NeighbourOptions,
} from "./neighbours_options.ts";
export type { NeighbourSource } from "./neighbours_source.ts";
export type { SavedBatch, SavedField } from "./saved_batch.ts";
export type { Selection } from "./selection.ts";
export type { Info } from "./store.ts";
export { System } from "./system.ts";
export type { SystemInput, UserField } from "./system_input.ts";
export { degreesOfFreedom, kineticEnergies, temperatureOf } from "./temperature.ts";
export type { VelocityOptions } from "./velocities.ts";
export { initVelocities } from "./velocities.ts";
export { unwrappedPositions, wrapPositions } from "./wrap.ts";
export type { SavedResident, StateShape } from "./resident.ts";
export type { ArraysOf, Uploaded, Visited } from "./resident.ts";
export { ResidentBatch } from "./resident.ts";
