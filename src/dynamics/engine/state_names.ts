/**
 * Names of states of a batch that are out of date once its positions or cells are set from outside.
 *
 * @module
 */

/** The rounding errors of the positions. */
export const POSITIONS_LOW = "positionsLow";

/** The rounding errors of the cells. */
export const CELL_LOW = "cellLow";

/** The number of steps and pairs that L-BFGS remembers: if it is 0, the others mean nothing. */
export const LBFGS_COUNTS = "lbfgsCounts";
