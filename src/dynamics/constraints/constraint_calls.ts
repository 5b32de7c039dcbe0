/**
 * Interface between the constraints on a batch and the steps of an engine.
 *
 * @module
 */

import type { KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Integrator, OpenIntegrator } from "../integrators/integrator.ts";
import type { Constraint } from "./constraint.ts";
import { countHeld } from "./held_freedom.ts";

/** The constraints of an engine, applied to a batch. */
export interface ConstraintCalls {
  /** True if there are no constraints. */
  readonly isEmpty: boolean;
  /** Kernels that apply the constraints to forces. */
  readonly forces: readonly KernelCall[];
  /** Kernels that make a batch satisfy the constraints before the first step. */
  readonly settle: readonly KernelCall[];
  /**
   * Counts the degrees of freedom that constraints and hooks remove. Each of `masks` has a number per atom, which is
   * nonzero if a hook holds the atom.
   */
  count(masks: readonly ArrayLike<number>[]): void;
  /**
   * Adds the kernels of the constraints to the kernels of an integrator. Throws a TypeError if the integrator cannot
   * be constrained.
   */
  weave(open: OpenIntegrator): OpenIntegrator;
}

/** Applies constraints to a batch that an integrator will move. */
export type OpenConstraints = (
  state: ResidentBatch,
  integrator: Integrator,
  constraints: readonly Constraint[],
) => ConstraintCalls;

/** Returns the calls for a batch without constraints. Only degrees of freedom that hooks remove are counted. */
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
