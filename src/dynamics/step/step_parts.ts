/**
 * What a step is made of.
 *
 * @module
 */

import type { Buffer, Call } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { StageWork } from "../../hooks/run/device_work.ts";
import type { OpenModel } from "../../models/model.ts";
import type { ConstraintCalls } from "../constraints/constraint_calls.ts";
import type { KernelDevice } from "../context.ts";
import type { CustomCriterion } from "../convergence/convergence_hook.ts";
import type { OpenIntegrator } from "../integrators/integrator.ts";
import type { DynamicsStage } from "../stages.ts";

/** What a step is made of. */
export interface StepParts {
  /** The batch. */
  readonly state: ResidentBatch;
  /** What moves the atoms. */
  readonly integrator: OpenIntegrator;
  /** What stays as it is. */
  readonly constrained: ConstraintCalls;
  /** What the forces come from. */
  readonly model: OpenModel;
  /** Whether the integrator leaves the total momentum as it is. */
  readonly keepsMomentum: boolean;
  /** Whether it is learned only later which systems have converged: their energies must be there by then. */
  readonly isLate: boolean;
  /** Whether stresses are wanted at each step. */
  readonly wantsStress: boolean;
  /** Whether the integrator looks at virials. */
  readonly needsStress: boolean;
  /** Whether it looks at energies. */
  readonly needsEnergy: boolean;
  /** What hooks have the engine do at a stage. */
  work(stage: DynamicsStage): readonly StageWork[];
  /** The hooks that give kernels, visited or not. */
  devices(): readonly WithKernels[];
  /** The stages that a hook is for, where those are not all. */
  partOf(hook: object): unknown;
  /** Whether hooks of stages modify the results of the model. */
  readonly modifiesStages: boolean;
  /** The fields that hooks look at, at a stage; at any, without one. */
  reads(stage?: DynamicsStage): ReadonlySet<string>;
  /** The fields that hooks change on a visit. */
  writes(): ReadonlySet<string>;
}

/** What follows a part of a step: a stage, or a visit to the model or to criteria of one's own. */
export type Stop = DynamicsStage | "model" | "criteria";

/** A hook that gives kernels, to this engine. */
export interface WithKernels {
  /** The fields it changes. */
  readonly writes: readonly unknown[];
  /** Its kernels at a stage. */
  kernels(device: KernelDevice, stage: DynamicsStage): readonly Call[];
  /** What it does besides, on a visit. */
  compute?(device: KernelDevice, stage: DynamicsStage): void | PromiseLike<void>;
  /** Which atoms it keeps from moving: 1 for each that has no degrees of freedom. */
  holds?(device: KernelDevice): ArrayLike<number>;
}

/** Where it is noted which systems have converged in a step, by one of the hooks that decide. */
export interface Mark {
  /** 1 for each. */
  readonly converged: Buffer<"i32">;
  /** Asked when step % every === phase. */
  readonly every: number;
  /** The remainder. */
  readonly phase: number;
  /** Whether it is by its steps that a system leaves a stage: it has not converged. */
  readonly isSpent?: boolean;
}

/** A criterion of one's own: a function to be called on the host. */
export interface Custom extends CustomCriterion {
  /** Where it says no. */
  readonly met: Buffer<"i32">;
  /** Asked when step % every === phase. */
  readonly every: number;
  /** The remainder. */
  readonly phase: number;
}
