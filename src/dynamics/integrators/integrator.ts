/**
 * What makes atoms move: the parts of a step around the forces.
 *
 * @module
 */

import type { Call } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { OpenStages } from "../stages/open_stages.ts";
import type { PerSystem } from "./parameters.ts";

/** A scheme: how atoms move by forces. An engine asks it once for each batch. */
export interface Integrator {
  /** What it is called, in listings, logs and checkpoints. */
  readonly name: string;
  /**
   * The names of its own options, so that an engine knows a misspelt one.
   *
   * @default none
   */
  readonly parameters?: readonly string[];
  /**
   * The time of a step, fs.
   *
   * @default none: its steps take no time
   */
  readonly dt?: PerSystem;
  /**
   * Whether it leaves the total momentum as it is, so that a center of mass at rest has no temperature.
   *
   * @default false
   */
  readonly keepsMomentum?: boolean;
  /**
   * Whether its kernels look at the virials of the forces: they are then there whenever the forces are.
   *
   * @default false
   */
  readonly needsStress?: boolean;
  /**
   * Whether its kernels look at energies: they are then there whenever the forces are.
   *
   * @default false
   */
  readonly needsEnergy?: boolean;
  /**
   * Where it is one of several stages: those of each system by its `status`, in this order.
   *
   * @default none: it is the same for all systems
   */
  readonly stages?: readonly Integrator[];
  /** Its kernels on a batch. Throws a RangeError for a parameter that does not fit the batch. */
  open(state: ResidentBatch): OpenIntegrator;
}

/** A scheme on a batch. */
export interface OpenIntegrator {
  /** Before the forces: what gives new positions. */
  readonly pre: readonly Call[];
  /** After the forces. */
  readonly post: readonly Call[];
  /** What keeps systems in their stages, where it has some. */
  readonly stages?: OpenStages;
}
