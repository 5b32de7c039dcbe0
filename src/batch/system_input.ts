/**
 * Input of `new System`.
 *
 * @module
 */

import type { CellInput } from "./cell.ts";
import type { FieldOptions, NumericInput } from "./fields/field_values.ts";

/** A custom field with its values, for `new System`. */
export interface UserField extends FieldOptions {
  /** Values: a flat list, one list per row, or a single number for a field per system. */
  readonly values: NumericInput | number;
}

/** Input of `new System`. Values per atom are a flat list, or one list per atom. */
export interface SystemInput {
  /** Symbols of the elements, one per atom: `["O", "H", "H"]`. Required unless `numbers` is given. */
  readonly symbols?: readonly string[];
  /** Atomic numbers, one per atom; symbols are accepted, too. Required unless `symbols` is given. */
  readonly numbers?: ArrayLike<number> | readonly string[];
  /** Positions, Å, three per atom. */
  readonly positions: NumericInput;
  /** Lattice vectors, Å: three lengths, nine numbers, or three vectors. @default no cell */
  readonly cell?: CellInput;
  /**
   * Periodicity along a, b and c, or one flag for all directions. @default true for each lattice
   * vector that is given
   */
  readonly pbc?: boolean | ArrayLike<boolean | number>;
  /** Velocities, Å/fs, three per atom. */
  readonly velocities?: NumericInput;
  /** Masses, amu, one per atom. @default the standard atomic weights of the elements */
  readonly masses?: NumericInput;
  /** Charges in units of the elementary charge, one per atom. */
  readonly charges?: NumericInput;
  /** Forces, eV/Å, three per atom; NaN if unknown. */
  readonly forces?: NumericInput;
  /** Numbers of lattice vectors a, b, c that wrapping has subtracted from each position, three integers per atom. */
  readonly images?: NumericInput;
  /** User-defined categories by which hooks select atoms, one integer per atom. */
  readonly categories?: NumericInput;
  /** Potential energy, eV. */
  readonly energy?: number;
  /** Stress, eV/Å³, nine numbers, or six: xx, yy, zz, yz, xz, xy. */
  readonly stress?: NumericInput;
  /** Status of the system: its stage in a fused run; otherwise 0, and by default 1 once it has converged. */
  readonly status?: number;
  /** Number of steps that the system has made. */
  readonly stepsDone?: number;
  /**
   * Number of degrees of freedom without thermal motion, which are subtracted from 3 per atom; 3 if the center of
   * mass is at rest.
   */
  readonly dofRemoved?: number;
  /** Edges: two node indices each, counted within the system. */
  readonly edges?: NumericInput;
  /** Lattice translation of the second node of each edge, three integers per edge. */
  readonly shifts?: NumericInput;
  /**
   * Id of the system. It does not change, and it selects the random numbers of the system. @default set by the batch,
   * as its slot if that is unused
   */
  readonly id?: number;
  /** User data, kept unchanged and not interpreted. */
  readonly info?: Readonly<Record<string, unknown>>;
  /** Custom fields by name. */
  readonly fields?: Readonly<Record<string, UserField>>;
}
