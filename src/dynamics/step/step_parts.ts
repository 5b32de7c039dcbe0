/**
 * The parts that a step is planned from.
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

/** The parts that a step is planned from. */
export interface StepParts {
  /** The batch. */
  readonly state: ResidentBatch;
  /** Moves the atoms. */
  readonly integrator: OpenIntegrator;
  /** Holds degrees of freedom. */
  readonly constrained: ConstraintCalls;
  /** Computes the forces. */
  readonly model: OpenModel;
  /** True if the integrator conserves the total momentum. */
  readonly keepsMomentum: boolean;
  /** True if convergence is reported late: the energies of converged systems must exist by then. */
  readonly isLate: boolean;
  /** True if each step computes stresses. */
  readonly wantsStress: boolean;
  /** True if the integrator reads virials. */
  readonly needsStress: boolean;
  /** True if the integrator reads energies. */
  readonly needsEnergy: boolean;
  /** Returns the work that hooks give the engine at a stage. */
  work(stage: DynamicsStage): readonly StageWork[];
  /** Returns the hooks that provide kernels, visited or not. */
  devices(): readonly WithKernels[];
  /** Returns the stages of a run that a hook is for; `undefined` for all. */
  partOf(hook: object): unknown;
  /** True if hooks of stages modify the results of the model. */
  readonly modifiesStages: boolean;
  /** Returns the fields that hooks read at a stage, or at any stage. */
  reads(stage?: DynamicsStage): ReadonlySet<string>;
  /** Returns the fields that hooks write on a visit. */
  writes(): ReadonlySet<string>;
}

/** The visit after a part of a step: a stage, the model, or custom criteria. */
export type Stop = DynamicsStage | "model" | "criteria";

/** A hook that provides kernels. */
export interface WithKernels {
  /** The fields it writes. */
  readonly writes: readonly unknown[];
  /**
   * True if its kernels do the same where a system is translated to: see `isInvariant` of models.
   *
   * @default false
   */
  readonly isInvariant?: boolean;
  /** Returns its kernels at a stage. */
  kernels(device: KernelDevice, stage: DynamicsStage): readonly KernelCall[];
  /** Computes on the host, on a visit. */
  compute?(device: KernelDevice, stage: DynamicsStage): void | PromiseLike<void>;
  /** Returns 1 for each atom that it holds in place. */
  holds?(device: KernelDevice): ArrayLike<number>;
}

/** A mask of the systems that have converged in a step, by one convergence hook. */
export interface Mark {
  /** 1 for each. */
  readonly converged: Buffer<"i32">;
  /** Interval in steps: it is written when step % every === phase. */
  readonly every: number;
  /** Remainder of the steps at which it is written. */
  readonly phase: number;
  /** True if the mask is of systems that have done all steps of a stage: they have not converged. */
  readonly isSpent?: boolean;
}

/** A custom criterion: a function to be called on the host. */
export interface Custom extends CustomCriterion {
  /** Cleared for systems that do not meet it. */
  readonly met: Buffer<"i32">;
  /** Interval in steps: it is written when step % every === phase. */
  readonly every: number;
  /** Remainder of the steps at which it is written. */
  readonly phase: number;
}
