/**
 * What a run of a batch asks of its engine.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import type { Model } from "../../models/model.ts";
import type { Constraint } from "../constraints/constraint.ts";
import type { DivergedError } from "../diverged_error.ts";
import type { DynamicsKind } from "./dynamics_options.ts";
import type { Integrator } from "../integrators/integrator.ts";
import type { Told } from "./reported_events.ts";

/** The engine of a run. */
export interface RunEngine {
  /** What errors call it. */
  readonly name: string;
  /** What moves the atoms. */
  readonly integrator: Integrator;
  /** What stays as it is. */
  readonly constraints: readonly Constraint[];
  /** What the forces come from. */
  readonly model: Model;
  /** Counts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
  /** The systems that hooks have been told of. */
  readonly told: Told;
  /** Who takes systems out of the batch when they rest, and brings others: the run then goes on when all rest. */
  readonly keeper: { now: Keeper | undefined };
}

/** Who may have come to rest. */
export interface RestNews {
  /** 1 for each that moves on. */
  readonly active: ArrayLike<number>;
  /** 1 for each that has converged. */
  readonly mask: ArrayLike<number>;
}

/** Who is told of systems that have come to rest. */
export interface Keeper {
  /** Systems have converged in a step, or have spent their steps. */
  rested(step: number, news: RestNews): void;
  /** What is there now may be what the run goes on from elsewhere. */
  kept(): void;
  /**
   * A system has come apart: answers whether the run goes on without it. Where nobody can tell before more steps are
   * under way it is not asked.
   */
  isLeft(step: number, error: DivergedError): boolean;
  /** Whether a system in some place has come apart. */
  isLost(place: number): boolean;
}
