/**
 * Integrators: the parts of a step before and after the forces.
 *
 * @module
 */

import type { KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { OpenStages } from "../stages/open_stages.ts";
import type { PerSystem } from "./parameters.ts";

/** An integrator: moves atoms by forces. An engine opens it once for each batch. */
export interface Integrator {
  /** The name in listings, logs and checkpoints. */
  readonly name: string;
  /**
   * The names of its own options, by which an engine finds misspelled ones.
   *
   * @default no names
   */
  readonly parameters?: readonly string[];
  /**
   * The values of its own options, by name. Checkpoints keep them, and a run that goes on with others warns.
   *
   * @default `undefined`: checkpoints keep none
   */
  readonly values?: Readonly<Record<string, unknown>>;
  /**
   * The time of a step, fs.
   *
   * @default `undefined`: its steps take no time
   */
  readonly dt?: PerSystem;
  /**
   * True if it conserves the total momentum, so that a center of mass at rest has no temperature.
   *
   * @default false
   */
  readonly keepsMomentum?: boolean;
  /**
   * The temperature of its bath, K.
   *
   * @default `undefined`: it has none
   */
  readonly temperature?: PerSystem;
  /**
   * True if it conserves the sum of potential and kinetic energies.
   *
   * @default false
   */
  readonly conservesEnergy?: boolean;
  /**
   * True if its kernels read the virials of the forces: each evaluation of forces then gives them.
   *
   * @default false
   */
  readonly needsStress?: boolean;
  /**
   * True if its kernels read energies: each evaluation of forces then gives them.
   *
   * @default false
   */
  readonly needsEnergy?: boolean;
  /**
   * The integrators of several stages, in the order of the `status` of a system.
   *
   * @default `undefined`: one integrator for all systems
   */
  readonly stages?: readonly Integrator[];
  /** Returns its kernels on a batch. Throws a RangeError for a parameter that does not fit the batch. */
  open(state: ResidentBatch): OpenIntegrator;
}

/** An integrator on a batch. */
export interface OpenIntegrator {
  /** Kernels before the forces: they give new positions. */
  readonly pre: readonly KernelCall[];
  /** Kernels after the forces. */
  readonly post: readonly KernelCall[];
  /** The stages of its systems, if it has several. */
  readonly stages?: OpenStages;
}
