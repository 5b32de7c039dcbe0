/**
 * Structures and batches of structures, with their positions, cells, velocities and other fields. `./batch/extxyz`
 * reads and writes files, and `./batch/neighbors` finds neighbors.
 *
 * @example
 *
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

export type { BatchInput } from "./batch.ts";
export { Batch } from "./batch.ts";
export type { CellInput } from "./cell.ts";
export { cellVolume, invertCell } from "./cell.ts";
export type { CrystalOptions } from "./crystal.ts";
export { fcc, rattle } from "./crystal.ts";
export { atomicMass, atomicNumber, atomicSymbol } from "./elements.ts";
export type {
  BuiltInFields,
  BuiltInName,
  DType,
  FieldInfo,
  Level,
  NumericArray,
} from "./fields/fields.ts";
export type { FieldOptions, NumericInput } from "./fields/field_values.ts";
export type { FieldHolder, HeldValues, RoundedValues } from "./fields/holder.ts";
export type { RunFrame } from "./resident/run_frame.ts";
export type { SavedBatch, SavedField } from "./saved/saved_batch.ts";
export type { Selection, SlotRange } from "./selection.ts";
export type { Info } from "./store.ts";
export { System } from "./system.ts";
export type { SystemInput, UserField } from "./system_input.ts";
export { degreesOfFreedom, kineticEnergies, temperatureOf } from "./temperature.ts";
export type { VelocityOptions } from "./velocities.ts";
export { initVelocities } from "./velocities.ts";
export { unwrappedPositions, wrapPositions } from "./wrap.ts";
export type { StateShape } from "./resident/column.ts";
export type { Uploaded } from "./resident/residency.ts";
export type { SavedResident } from "./resident/snapshots.ts";
export type { ArraysOf, NamedBuffers } from "./resident/with_arrays.ts";
export type { Origins } from "./resident/origins.ts";
export { ResidentBatch } from "./resident/resident_batch.ts";
