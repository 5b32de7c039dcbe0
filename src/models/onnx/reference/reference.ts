/**
 * Reference results of a model: structures, and the energies, forces and stresses that the model must give for them.
 *
 * @module
 */

/** A structure of a reference. */
export interface OnnxReferenceStructure {
  /** The kind of structure: `"rattled crystal"`. */
  readonly label?: string;
  /** One element per atom. */
  readonly symbols: readonly string[];
  /** Å, three per atom. */
  readonly positions: readonly number[];
  /** Lattice vectors in Å, nine numbers; null for a molecule. */
  readonly cell: readonly number[] | null;
  /** The lattice vectors along which the structure repeats. */
  readonly pbc: readonly boolean[];
}

/** Largest accepted differences between a model and its reference. */
export interface OnnxReferenceTolerance {
  /** eV per atom. */
  readonly energy: number;
  /** Relative to the largest force component of the structure, or to 1 eV/Å if that is larger. */
  readonly forces: number;
  /** Relative to the largest stress component of the structure, or to 0.01 eV/Å³ if that is larger. */
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
  /** The programs that made the reference, with their versions. */
  readonly producer?: string;
  /** Precision in which the reference was computed: `"float64"`. */
  readonly precision?: string;
  /** The structures. All lists below have one entry per structure. */
  readonly structures: readonly OnnxReferenceStructure[];
  /** eV. */
  readonly energy: readonly number[];
  /** eV/Å, three per atom. */
  readonly forces: readonly (readonly number[])[];
  /** dE/dε / V in eV/Å³, nine numbers, positive under tension; null for a structure without a stress. */
  readonly stress: readonly (readonly number[] | null)[];
  /** Largest accepted differences. */
  readonly tolerance: OnnxReferenceTolerance;
  /** Differences of PyTorch in float32 per structure, in the measures of the tolerance. */
  readonly float32?: readonly {
    readonly energy: number;
    readonly forces: number;
    readonly stress?: number;
  }[];
  /** Structures that the original program refused, with its error. */
  readonly refused?: readonly { readonly label: string; readonly error: string }[];
}
