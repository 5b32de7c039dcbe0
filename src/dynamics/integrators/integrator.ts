/**
 * Integrators: the kernels of a step before and after the computation of the forces.
 *
 * @module
 */

import type { KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { OpenStages } from "../stages/open_stages.ts";
import type { PerSystem } from "./parameters.ts";

/** A numerical scheme that moves atoms by forces. An engine opens it once for each batch. */
export interface Integrator {
  /** Name in listings, logs and checkpoints. */
  readonly name: string;
  /**
   * Names of the integrator's own options. An engine uses them to detect misspelled options.
   *
   * @default []
   */
  readonly parameters?: readonly string[];
  /**
   * Values of the integrator's own options, by name. Checkpoints contain them, and an engine warns if a run continues
   * with other values.
   *
   * @default undefined: checkpoints contain no values
   */
  readonly values?: Readonly<Record<string, unknown>>;
  /**
   * Time step, fs.
   *
   * @default undefined: steps take no time
   */
  readonly dt?: PerSystem;
  /**
   * True if the integrator conserves the total momentum. The degrees of freedom of a center of mass at rest then do
   * not count for the temperature.
   *
   * @default false
   */
  readonly keepsMomentum?: boolean;
  /**
   * Temperature of the thermostat, K.
   *
   * @default undefined: there is no thermostat
   */
  readonly temperature?: PerSystem;
  /**
   * True if the integrator conserves the sum of potential and kinetic energy.
   *
   * @default false
   */
  readonly conservesEnergy?: boolean;
  /**
   * True if the kernels read the virials. Each evaluation of forces then computes them, too.
   *
   * @default false
   */
  readonly needsStress?: boolean;
  /**
   * True if the kernels read the energies. Each evaluation of forces then computes them, too.
   *
   * @default false
   */
  readonly needsEnergy?: boolean;
  /**
   * Integrators of several stages. A system with `status` k is moved by the integrator with index k.
   *
   * @default undefined: one integrator moves all systems
   */
  readonly stages?: readonly Integrator[];
  /** Returns the kernels for a batch. Throws a RangeError if a parameter does not fit the batch. */
  open(state: ResidentBatch): OpenIntegrator;
}

/** The kernels of an integrator for a batch. */
export interface OpenIntegrator {
  /** Kernels that run before the forces are computed, and change the positions. */
  readonly pre: readonly KernelCall[];
  /** Kernels that run after the forces are computed. */
  readonly post: readonly KernelCall[];
  /** Stages of the systems, if the integrator has several stages. */
  readonly stages?: OpenStages;
}
