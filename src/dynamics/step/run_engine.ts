/**
 * Interface between the engine of a batch and the objects that run its steps.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import type { Model, OpenModel } from "../../models/model.ts";
import type { ConstraintCalls } from "../constraints/constraint_calls.ts";
import type { Constraint } from "../constraints/constraint.ts";
import type { DivergedError } from "../diverged_error.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import type { Integrator, OpenIntegrator } from "../integrators/integrator.ts";
import type { StreamProgress } from "../stages.ts";
import type { BatchPhase } from "./batch_phase.ts";
import type { CurrentPlan } from "./current_plan.ts";
import type { ReportedEvents } from "./reported_events.ts";

/** The engine that runs a batch. */
export interface RunEngine {
  /** Name of the engine in errors. */
  readonly name: string;
  /** The integrator, which moves the atoms. */
  readonly integrator: Integrator;
  /** Constraints of the engine's options. */
  readonly constraints: readonly Constraint[];
  /** True if constraints that systems bring from files apply, too. */
  readonly hasFileConstraints: boolean;
  /** The model, which computes the forces. */
  readonly model: Model;
  /** The loop, which counts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
  /** Events that hooks have already received. */
  readonly reported: ReportedEvents;
  /** The settings of the current run. */
  readonly running: RunSettings;
}

/** Settings of the current run. */
export interface RunSettings {
  /**
   * Stream that removes finished systems and admits others; `undefined` if the run has no stream. With a stream, the
   * run continues when all systems are finished.
   */
  stream: SystemStream | undefined;
  /** True if the caller runs steps one by one, so that each must have ended before the next begins. */
  isByHand: boolean;
}

/** State of the systems at the end of a step. */
export interface FinishedSystems {
  /** One number per system: 1 if it is still updated, otherwise 0. */
  readonly active: ArrayLike<number>;
  /** One number per system: 1 if it has converged in this step, otherwise 0. */
  readonly converged: ArrayLike<number>;
}

/** A stream of systems through a batch, in the form that the engine uses. */
export interface SystemStream {
  /** Numbers of finished systems and of all systems. */
  readonly progress: StreamProgress;
  /** Begins a run after the forces of the batch are computed. */
  begin(): Promise<void>;
  /** Returns the number of steps that can run until systems must be removed or admitted. */
  free(): number;
  /** Adds `done` to the step counts. Then removes finished systems and admits others, if that is due. */
  stepped(done: number): void | PromiseLike<void>;
  /** Ends a run. */
  end(): void;
  /** Returns to the last snapshot. */
  goBack(): void;
  /** Records the systems that have converged or done all their steps in a step. */
  finished(step: number, systems: FinishedSystems): void;
  /** Records that the run can continue on another backend from the current state. */
  snapshotTaken(): void;
  /**
   * Returns whether the run continues without the systems that have diverged. Devices that report late throw the
   * error without asking, because more steps are then in progress.
   */
  drops(step: number, error: DivergedError): boolean;
  /** Returns whether the system in a slot has diverged. */
  hasDiverged(slot: number): boolean;
}

/** The batch, the engine and the objects that the code of a step shares. */
export interface RunParts {
  /** The engine that runs the batch. */
  readonly engine: RunEngine;
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  /** The integrator for this batch, with the kernels of constraints. */
  readonly integrator: OpenIntegrator;
  /** The constraints for this batch. */
  readonly constrained: ConstraintCalls;
  /** The model for this batch. */
  readonly model: OpenModel;
  /** True if results of steps are reported late: on a device, for which no step waits. */
  readonly isLate: boolean;
  /** State of the forces between the operations of a step. */
  readonly phase: BatchPhase;
  /** The current plan of a step. */
  readonly plan: CurrentPlan;
}
