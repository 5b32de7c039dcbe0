/**
 * Forces on cells. Relaxers that move cells define them, and convergence criteria read them.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";

/** Forces on the cells of a batch. */
export interface CellForces {
  /** Kernels that compute the forces for the current state. */
  readonly calls: readonly KernelCall[];
  /** Arguments of the kernel that reads the forces. */
  readonly args: {
    /** Buffer of the forces. */
    readonly cellForces: Buffer<"real">;
    /** Index of the stage of each system, if there are several stages. */
    readonly stage?: Buffer<"i32">;
    /** One number per stage: 1 if cells relax in it, otherwise 0. */
    readonly drives?: Buffer<"i32">;
  };
}

/** Cell forces of each batch. Until they are first read, the entry is the function that creates them. */
const FORCES = new WeakMap<ResidentBatch, CellForces | (() => CellForces)>();

/**
 * Sets the function that creates the cell forces of a batch. Until the forces are first read, a later function
 * replaces it.
 */
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
