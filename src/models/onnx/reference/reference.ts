/**
 * Format of references: structures, and the energies, forces and stresses that a model must have for them.
 *
 * @module
 */

/** A structure of a reference. */
export interface OnnxReferenceStructure {
  /** Kind of structure, such as `"rattled crystal"`. */
  readonly label?: string;
  /** Symbol of the element of each atom. */
  readonly symbols: readonly string[];
  /** Positions in Å, three per atom. */
  readonly positions: readonly number[];
  /** Lattice vectors in Å, nine numbers; null for a molecule. */
  readonly cell: readonly number[] | null;
  /** Three flags: true for each lattice vector along which the structure repeats. */
  readonly pbc: readonly boolean[];
}

/** Largest accepted differences between a model and its reference. */
export interface OnnxReferenceTolerance {
  /** Largest difference of energies, in eV per atom. */
  readonly energy: number;
  /**
   * Largest difference of force components, relative to the largest force component of the structure, or to 1 eV/Å if
   * that is larger.
   */
  readonly forces: number;
  /**
   * Largest difference of stress components, relative to the largest stress component of the structure, or to 0.01
   * eV/Å³ if that is larger.
   */
  readonly stress: number;
}

/** Contents of a file `model.ref.json`. */
export interface OnnxReference {
  /** Always `"hooke-reference"`. */
  readonly format: "hooke-reference";
  /** Version of the format. */
  readonly version: 1;
  /** SHA-256 of the model's file, 64 hexadecimal digits in lower case. */
  readonly model: string;
  /** Name of the potential. */
  readonly name?: string;
  /** Programs that computed the reference, with their versions. */
  readonly producer?: string;
  /** Precision of the computation, such as `"float64"`. */
  readonly precision?: string;
  /** The structures. The lists below have one entry for each of them. */
  readonly structures: readonly OnnxReferenceStructure[];
  /** Energy of each structure in eV. */
  readonly energy: readonly number[];
  /** Forces in each structure in eV/Å, three numbers per atom. */
  readonly forces: readonly (readonly number[])[];
  /**
   * Stress dE/dε / V of each structure in eV/Å³, nine numbers, positive under tension; null for a structure without a
   * stress.
   */
  readonly stress: readonly (readonly number[] | null)[];
  /** Largest accepted differences. */
  readonly tolerance: OnnxReferenceTolerance;
  /** Differences of PyTorch in float32 from the reference for each structure, in the units of `tolerance`. */
  readonly float32?: readonly {
    readonly energy: number;
    readonly forces: number;
    readonly stress?: number;
  }[];
  /** Structures that the original program could not evaluate, with its error. */
  readonly refused?: readonly { readonly label: string; readonly error: string }[];
}
