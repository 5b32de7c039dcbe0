/**
 * Input of `new System`.
 *
 * @module
 */

import type { CellInput } from "./cell.ts";
import type { FieldOptions, NumericInput } from "./fields/field_values.ts";

/** A custom field with its values, for `new System`. */
export interface UserField extends FieldOptions {
  /** Values: flat or one list per row; a single number for one value per system. */
  readonly values: NumericInput | number;
}

/** Input of `new System`. Lists per atom are flat, or have one list per atom. */
export interface SystemInput {
  /** Elements by symbol: `["O", "H", "H"]`. Required unless `numbers` is given. */
  readonly symbols?: readonly string[];
  /** Elements by atomic number; symbols are accepted, too. Required unless `symbols` is given. */
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
  /** Masses, amu. @default the standard atomic weights of the elements */
  readonly masses?: NumericInput;
  /** Charges, e, one per atom. */
  readonly charges?: NumericInput;
  /** Forces, eV/Å, three per atom; NaN if unknown. */
  readonly forces?: NumericInput;
  /** Lattice translations removed by wrapping, three per atom. */
  readonly images?: NumericInput;
  /** An integer per atom, by which hooks select atoms. */
  readonly categories?: NumericInput;
  /** Potential energy, eV. */
  readonly energy?: number;
  /** Stress, eV/Å³, nine numbers, or six: xx, yy, zz, yz, xz, xy. */
  readonly stress?: NumericInput;
  /** Stage of a fused run that the system is in. */
  readonly status?: number;
  /** Number of steps that the system has done. */
  readonly stepsDone?: number;
  /** Number of degrees of freedom without thermal motion: 3 for a resting center of mass. */
  readonly dofRemoved?: number;
  /** Pairs of nodes, as indices within the system. */
  readonly edges?: NumericInput;
  /** Lattice translations between the nodes of each edge. */
  readonly shifts?: NumericInput;
  /**
   * Id of the system, which is constant and keys its random numbers. @default its slot, set by the
   * batch
   */
  readonly id?: number;
  /** Further plain data, kept unchanged and not interpreted. */
  readonly info?: Readonly<Record<string, unknown>>;
  /** Custom fields. */
  readonly fields?: Readonly<Record<string, UserField>>;
}
