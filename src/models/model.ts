/**
 * The interface between engines and models of forces.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../backend/backend.ts";
import type { NumericArray } from "../batch/fields/fields.ts";
import type { ResidentBatch } from "../batch/resident/resident_batch.ts";

/** An output that a model may have. */
export type ModelOutput = "energy" | "forces" | "stress";

/** Outputs that one evaluation computes in addition to the forces. */
export interface Wanted {
  /** True if potential energies are needed. */
  readonly energy: boolean;
  /** True if virials, from which stresses are computed, are needed. */
  readonly stress: boolean;
}

/** A potential energy and its gradient, which moves the atoms. */
export interface Model {
  /** Name of the model, for error messages and logs. */
  readonly name: string;
  /** Outputs of the model. Engines require `"forces"`. */
  readonly gives: readonly ModelOutput[];
  /**
   * Program that computes the model on the processor, for run logs: its name, the number of threads, and the reason for
   * the choice.
   *
   * @default undefined: kernels compute the model
   */
  readonly runtime?: string;
  /**
   * Names of further fields of the batch that the model writes and hooks may read.
   *
   * @default undefined
   */
  readonly fields?: readonly string[];
  /**
   * True if a translation of a system does not change the results, as for all potentials between atoms. Only then are
   * the positions of a system far from zero stored relative to an origin near it, for which float32 is precise
   * enough.
   *
   * @default false: positions are absolute
   */
  readonly isInvariant?: boolean;
  /**
   * Prepares the model for a batch. `warn` receives warnings that do not stop a run. Throws a RangeError that names
   * the system and the atom if the batch contains an element that the model does not know.
   */
  open(state: ResidentBatch, warn?: (message: string) => void): OpenModel;
}

/**
 * A model that is prepared for a batch. It adds its results to the field `forces`, to the field `energy`, and to the
 * state `virial` (Σ f ⊗ r, nine numbers per system). It must not change inactive systems. It has `calls`, `compute`
 * or both, which run in this order, and optionally `add`, which runs last.
 */
export interface OpenModel {
  /**
   * Returns kernel calls that add the results. The pair lists that the model has requested are up to date when the
   * calls run.
   */
  calls?(wanted: Wanted): readonly KernelCall[];
  /** Computes the results on the host. Models that consist only of kernels do not need it. */
  compute?(wanted: Wanted): void | PromiseLike<void>;
  /** Returns kernel calls that add the results which `compute` has stored in buffers of the model. */
  add?(wanted: Wanted): readonly KernelCall[];
  /**
   * Describes a value of the last evaluation that is not finite in a system, such as `"forces of atom 3 is NaN"`;
   * undefined if all values are finite. The engine adds the description to the error that ends the run.
   */
  fault?(system: number): PromiseLike<string | undefined>;
  /** Frees the resources that `open` has allocated, except those that the state manages. */
  close?(): void | PromiseLike<void>;
}

/** Buffers to which models add their results. */
export interface Outputs {
  /** Forces in eV/Å, three per atom. */
  readonly forces: Buffer<"real">;
  /** Energies in eV, one per system. */
  readonly energy: Buffer<"f64">;
  /** Virials Σ f ⊗ r in eV, nine per system. */
  readonly virial: Buffer<"f64">;
}

/**
 * Returns a copy of a field. It works while an engine holds the batch, because models may be opened during a run. On
 * a GPU the values are those of the last read-back; engines read back before they open a model there.
 */
export function valuesOf(state: ResidentBatch, field: string): NumericArray {
  return state.mirroredField(field);
}

/**
 * Returns the buffers to which models add their results.
 *
 * @example
 * ```ts
 * import { openBackend } from "@hooke/hooke/backend";
 * import { Batch, ResidentBatch } from "@hooke/hooke/batch";
 * import { outputsOf } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const backend = openBackend("reference");
 * const state = new ResidentBatch(Batch.from([{ symbols: ["H"], positions: [0, 0, 0] }]), backend);
 * const { forces, energy } = outputsOf(state);
 * assertEquals([state.view(forces).length, state.view(energy).length], [3, 1]);
 * ```
 */
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
