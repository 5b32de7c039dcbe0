/**
 * The forces on cells: relaxers that move cells define them, measures of convergence read them.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";

/** The forces on the cells of a batch. */
export interface CellForces {
  /** Bring them up to date. */
  readonly calls: readonly KernelCall[];
  /** Arguments of the kernel that reads them. */
  readonly args: {
    /** The forces. */
    readonly cellForces: Buffer<"real">;
    /** The stage of each system, if there are several. */
    readonly stage?: Buffer<"i32">;
    /** 1 for each stage in which cells relax. */
    readonly drives?: Buffer<"i32">;
  };
}

/** Cell forces of each batch. Until they are first read, the function that defines them is kept instead. */
const FORCES = new WeakMap<ResidentBatch, CellForces | (() => CellForces)>();

/** Defines the cell forces of a batch. Later definitions replace earlier ones, until the forces are first read. */
export function noteCellForces(state: ResidentBatch, define: () => CellForces): void {
  if (typeof FORCES.get(state) !== "object") FORCES.set(state, define);
}

/** Returns the cell forces of a batch; `undefined` if no relaxer moves its cells. */
export function cellForcesOf(state: ResidentBatch): CellForces | undefined {
  const known = FORCES.get(state);
  if (typeof known !== "function") return known;
  const forces = known();
  FORCES.set(state, forces);
  return forces;
}
