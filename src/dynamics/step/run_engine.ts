/**
 * The engine of a batch, as the parts of a step see it.
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

/** The engine of a batch. */
export interface RunEngine {
  /** Name in errors. */
  readonly name: string;
  /** Moves the atoms. */
  readonly integrator: Integrator;
  /** Hold degrees of freedom. */
  readonly constraints: readonly Constraint[];
  /** True if the constraints of the systems apply, too. */
  readonly hasFileConstraints: boolean;
  /** Computes the forces. */
  readonly model: Model;
  /** Counts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
  /** The events that hooks have already received. */
  readonly reported: ReportedEvents;
  /** The settings of the current run. */
  readonly running: RunSettings;
}

/** Settings of the current run. */
export interface RunSettings {
  /** Removes finished systems and admits others, so that the run continues when all systems are finished. */
  stream: SystemStream | undefined;
  /** True if steps run one by one: each must have ended before the next begins. */
  isByHand: boolean;
}

/** The systems that have finished in a step. */
export interface FinishedSystems {
  /** 1 for each system that is still updated. */
  readonly active: ArrayLike<number>;
  /** 1 for each system that has converged. */
  readonly converged: ArrayLike<number>;
}

/** A stream of systems through a batch, as the engine sees it. */
export interface SystemStream {
  /** Reports how many systems are done. */
  readonly progress: StreamProgress;
  /** Begins a run, once the batch is primed. */
  begin(): Promise<void>;
  /** Returns how many steps can run until systems have to be taken out or admitted. */
  free(): number;
  /** Notes steps that are done: takes out finished systems, and admits others. */
  stepped(done: number): void | PromiseLike<void>;
  /** Ends a run. */
  end(): void;
  /** Goes back to the last snapshot. */
  goBack(): void;
  /** Notes systems that have converged in a step, or have done all their steps. */
  finished(step: number, systems: FinishedSystems): void;
  /** Notes that a run can go on elsewhere from the present state. */
  snapshotTaken(): void;
  /**
   * Returns whether the run goes on without the systems that have diverged. Devices that report late throw the error
   * without asking: more steps are in progress by then.
   */
  drops(step: number, error: DivergedError): boolean;
  /** Returns whether the system in a slot has diverged. */
  hasDiverged(slot: number): boolean;
}

/** The batch and the engine that all parts of a step share. */
export interface RunParts {
  /** The engine. */
  readonly engine: RunEngine;
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  /** Moves the atoms. */
  readonly integrator: OpenIntegrator;
  /** Holds degrees of freedom. */
  readonly constrained: ConstraintCalls;
  /** Computes the forces. */
  readonly model: OpenModel;
  /** True if the results of steps are reported late, because nothing waits for the device. */
  readonly isLate: boolean;
  /** The state of the batch between the parts of its steps. */
  readonly phase: BatchPhase;
  /** The plan of a step. */
  readonly plan: CurrentPlan;
}
