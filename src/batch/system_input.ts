/**
 * What `new System` takes.
 *
 * @module
 */

import type { CellInput } from "./cell.ts";
import type { FieldOptions, NumericInput } from "./fields/field_values.ts";

/** A user's field with its values, as `new System` takes it. */
export interface UserField extends FieldOptions {
  /** Flat or one list per row; a number for one value per system. */
  readonly values: NumericInput | number;
}

/** What `new System` takes. Lists per atom are flat or one list per atom. */
export interface SystemInput {
  /** The elements by symbol: `["O", "H", "H"]`. Either these or `numbers`. */
  readonly symbols?: readonly string[];
  /** The elements by atomic number (symbols are taken too). Either these or `symbols`. */
  readonly numbers?: ArrayLike<number> | readonly string[];
  /** Å, three per atom. */
  readonly positions: NumericInput;
  /** Lattice vectors, Å: three lengths, nine numbers, or three vectors. @default none */
  readonly cell?: CellInput;
  /** Along which of a, b, c the system repeats; one flag for all. @default true along each vector that is given */
  readonly pbc?: boolean | ArrayLike<boolean | number>;
  /** Å/fs, three per atom. */
  readonly velocities?: NumericInput;
  /** amu. @default the standard weights of the elements */
  readonly masses?: NumericInput;
  /** e, one per atom. */
  readonly charges?: NumericInput;
  /** eV/Å, three per atom; NaN for not known. */
  readonly forces?: NumericInput;
  /** Whole lattice vectors taken off by wrapping, three per atom. */
  readonly images?: NumericInput;
  /** A whole number per atom that hooks select atoms by. */
  readonly categories?: NumericInput;
  /** Potential energy, eV. */
  readonly energy?: number;
  /** eV/Å³, nine numbers (or six: xx, yy, zz, yz, xz, xy). */
  readonly stress?: NumericInput;
  /** The stage of a fused run that the system is in. */
  readonly status?: number;
  /** Steps the system has done. */
  readonly stepsDone?: number;
  /** Degrees of freedom that thermal motion has not: 3 for a resting center of mass. */
  readonly dofRemoved?: number;
  /** Pairs of nodes, counted from 0 in this system. */
  readonly edges?: NumericInput;
  /** Whole lattice vectors between the nodes of each edge. */
  readonly shifts?: NumericInput;
  /**
   * A number of the system's own for life, which its random numbers are keyed by. @default given by the batch: the
   * place in it
   */
  readonly id?: number;
  /** Whatever else is known of it: plain data, kept and never looked at. */
  readonly info?: Readonly<Record<string, unknown>>;
  /** Fields of one's own. */
  readonly fields?: Readonly<Record<string, UserField>>;
}
