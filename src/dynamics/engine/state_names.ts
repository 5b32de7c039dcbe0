/**
 * Names of states that become invalid when positions or cells of a batch are set from outside.
 *
 * @module
 */

/** Name of the state with the rounding remainders of the positions. */
export const POSITIONS_LOW = "positionsLow";

/** Name of the state with the rounding remainders of the cells. */
export const CELL_LOW = "cellLow";

/**
 * Name of the state with the numbers of steps and pairs that L-BFGS remembers. If a number is 0, the other states of
 * L-BFGS are not used.
 */
export const LBFGS_COUNTS = "lbfgsCounts";
