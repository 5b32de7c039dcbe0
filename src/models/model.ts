/**
 * What a model of the forces is, to an engine.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../backend/backend.ts";
import type { NumericArray } from "../batch/fields/fields.ts";
import type { ResidentBatch } from "../batch/resident/resident_batch.ts";

/** What a model may give. */
export type ModelOutput = "energy" | "forces" | "stress";

/** Which outputs are wanted besides the forces, in one evaluation. */
export interface Wanted {
  /** Potential energies. */
  readonly energy: boolean;
  /** Virials, from which stresses come. */
  readonly stress: boolean;
}

/** A potential energy, with its gradient: what makes the atoms of a batch move. */
export interface Model {
  /** What it is called. */
  readonly name: string;
  /** What it gives. Engines need `"forces"`. */
  readonly gives: readonly ModelOutput[];
  /**
   * Fields of the batch that it writes besides, which hooks may read.
   *
   * @default none
   */
  readonly fields?: readonly string[];
  /**
   * True if results stay the same when a system is translated, as those of all potentials between atoms do. Only then
   * are the positions of systems that are far away relative to an origin of each system, where float32 is exact enough.
   *
   * @default false: positions are where atoms are
   */
  readonly isInvariant?: boolean;
  /**
   * Makes it ready for a batch. `warn` passes on what the user should know and what does not stop a run. Throws a
   * RangeError where it does not know an atom of it, naming system and atom.
   */
  open(state: ResidentBatch, warn?: (message: string) => void): OpenModel;
}

/**
 * A model on a batch. All it does is add: to the field `forces`, to `energy`, and to the state `virial` (nine per
 * system, Σ f ⊗ r). Systems at rest must stay as they are. It has `calls`, or `compute`, or both, done in this order;
 * `add` may follow.
 */
export interface OpenModel {
  /** Kernels that add its part; pairs that it asked the state for are up to date when they run. */
  calls?(wanted: Wanted): readonly KernelCall[];
  /** The same by a visit, for models that are no kernels. */
  compute?(wanted: Wanted): void | PromiseLike<void>;
  /** Kernels that add what `compute` has left in buffers of its own. */
  add?(wanted: Wanted): readonly KernelCall[];
  /**
   * What it last gave for a system that is not finite, for the error of a run that ends by it: `"forces of atom 3 is
   * NaN"`.
   */
  fault?(system: number): PromiseLike<string | undefined>;
  /** Gives back what it has for the batch, besides what the state keeps. */
  close?(): void | PromiseLike<void>;
}

/** The buffers that models add to. */
export interface Outputs {
  /** eV/Å, three per atom. */
  readonly forces: Buffer<"real">;
  /** eV, one per system. */
  readonly energy: Buffer<"f64">;
  /** Σ f ⊗ r, eV, nine per system. */
  readonly virial: Buffer<"f64">;
}

/**
 * A copy of a field, though an engine may hold it: models may be opened in the middle of a run. It is as of now; in the
 * loop of a device, as of when engines last looked, which they do before they open anything there.
 */
export function valuesOf(state: ResidentBatch, field: string): NumericArray {
  return state.mirroredField(field);
}

/** The buffers that models add to. */
export function outputsOf(state: ResidentBatch): Outputs {
  return {
    forces: state.field("forces"),
    energy: state.field<"f64">("energy"),
    virial: state.state("virial", {
      dtype: "f64",
      level: "system",
      width: 9,
      isShared: true,
    }),
  };
}
