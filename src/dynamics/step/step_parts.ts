/**
 * The objects from which a step is planned.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { StageWork } from "../../hooks/run/device_work.ts";
import type { OpenModel } from "../../models/model.ts";
import type { ConstraintCalls } from "../constraints/constraint_calls.ts";
import type { KernelDevice } from "../context.ts";
import type { CustomCriterion } from "../convergence/convergence_hook.ts";
import type { OpenIntegrator } from "../integrators/integrator.ts";
import type { DynamicsStage } from "../stages.ts";

/**
 * The objects from which a step is planned. A visit is a return to JavaScript between kernels, for hooks or host
 * code.
 */
export interface StepParts {
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  /** The integrator for this batch, with the kernels of constraints. */
  readonly integrator: OpenIntegrator;
  /** The constraints for this batch. */
  readonly constrained: ConstraintCalls;
  /** The model for this batch. */
  readonly model: OpenModel;
  /** True if the integrator conserves the total momentum. */
  readonly keepsMomentum: boolean;
  /**
   * True if convergence is reported late. Each step must then compute the energies, because those of converged
   * systems cannot be computed later.
   */
  readonly isLate: boolean;
  /** True if stresses are computed together with energies, for the batch. */
  readonly wantsStress: boolean;
  /** True if the integrator reads virials. */
  readonly needsStress: boolean;
  /** True if the integrator reads energies. */
  readonly needsEnergy: boolean;
  /** Returns the hooks that provide kernels at a stage. */
  work(stage: DynamicsStage): readonly StageWork[];
  /** Returns all hooks that provide kernels or hold atoms. */
  devices(): readonly WithKernels[];
  /** Returns the stages to which a hook belongs; `undefined` if it belongs to all. */
  partOf(hook: object): unknown;
  /** True if hooks of single stages modify the results of the model. */
  readonly modifiesStages: boolean;
  /** Returns the fields that hooks read at a stage; without `stage`, at any stage. */
  reads(stage?: DynamicsStage): ReadonlySet<string>;
  /** True if hooks that run before the model read energies or stresses, which are those of the step before. */
  readonly readsEarly: boolean;
  /** True if `readsEarly`, and the energies cannot be computed when such a hook is due, so that each step must. */
  readonly needsEarly: boolean;
  /** Returns the fields that hooks write in JavaScript. */
  writes(): ReadonlySet<string>;
}

/** The point at which a step returns to JavaScript: a stage, the evaluation of the model, or custom criteria. */
export type Stop = DynamicsStage | "model" | "criteria";

/** A hook that provides kernels. */
export interface WithKernels {
  /** Fields that the hook writes. */
  readonly writes: readonly unknown[];
  /**
   * True if the kernels give the same results when a system is translated. Models have the same property.
   *
   * @default false
   */
  readonly isInvariant?: boolean;
  /** Returns the kernels of the hook at a stage. */
  kernels(device: KernelDevice, stage: DynamicsStage): readonly KernelCall[];
  /** Runs host code of the hook at a stage, after the kernels of the hook. */
  compute?(device: KernelDevice, stage: DynamicsStage): void | PromiseLike<void>;
  /** Returns one number per atom: nonzero if the hook holds the atom in place. */
  holds?(device: KernelDevice): ArrayLike<number>;
}

/**
 * Mask of the systems that one convergence hook has found converged in a step, or that have used up one step budget.
 */
export interface Mark {
  /** One number per system: 1 if it has converged, otherwise 0. */
  readonly converged: Buffer<"i32">;
  /** Interval in steps: the mask is written when step % every === phase. */
  readonly every: number;
  /** Remainder of the steps at which the mask is written. */
  readonly phase: number;
  /** True if the mask marks systems that have done all steps of a stage, without having converged. */
  readonly isSpent?: boolean;
}

/** A custom criterion: a function that is called on the host. */
export interface Custom extends CustomCriterion {
  /** One number per system. The criterion writes 0 for systems that do not meet it. */
  readonly met: Buffer<"i32">;
  /** Interval in steps: the criterion is evaluated when step % every === phase. */
  readonly every: number;
  /** Remainder of the steps at which the criterion is evaluated. */
  readonly phase: number;
}
