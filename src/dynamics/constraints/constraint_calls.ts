/**
 * Constraints on a batch, as the steps of an engine see them.
 *
 * @module
 */

import type { KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Integrator, OpenIntegrator } from "../integrators/integrator.ts";
import type { Constraint } from "./constraint.ts";
import { countHeld } from "./held_freedom.ts";

/** The constraints of an engine on a batch. */
export interface ConstraintCalls {
  /** True if there are no constraints. */
  readonly isEmpty: boolean;
  /** Apply the constraints to forces. */
  readonly forces: readonly KernelCall[];
  /** Bring a batch to the constraints before anything else is done. */
  readonly settle: readonly KernelCall[];
  /** Counts the degrees of freedom that are held; `masks`: atoms that hooks hold. */
  count(masks: readonly ArrayLike<number>[]): void;
  /** Applies the constraints to the calls of an integrator. Throws a TypeError if that is impossible. */
  weave(open: OpenIntegrator): OpenIntegrator;
}

/** Opens constraints on a batch. */
export type OpenConstraints = (
  state: ResidentBatch,
  integrator: Integrator,
  constraints: readonly Constraint[],
) => ConstraintCalls;

/** Opens no constraints: hooks may still hold atoms. */
export function openUnconstrained(state: ResidentBatch): ConstraintCalls {
  const ranks = new Int32Array(state.batch.size);
  return {
    isEmpty: true,
    forces: [],
    settle: [],
    count: (masks) =>
      countHeld(state, { fixed: undefined, masks, hasCenter: false, bonds: undefined, ranks }),
    weave: (open) => open,
  };
}
