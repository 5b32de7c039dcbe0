/**
 * What drives cells that relax.
 *
 * @module
 */

import type { Buffer, Call } from "../backend/backend.ts";

/** What measures how hard cells are driven. */
export interface CellForces {
  /** To be run before they are looked at. */
  readonly calls: readonly Call[];
  /** Nine numbers for each system. */
  readonly cellForces: Buffer<"real">;
}
