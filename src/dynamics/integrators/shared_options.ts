/**
 * Options that several integrators share.
 *
 * @module
 */

import type { PressureCoupling } from "./barostat.ts";
import { type Parameter, type PerSystem, Rule } from "./parameters.ts";

/** Options of all integrators of molecular dynamics. */
export interface TimeStepOptions {
  /** Time step, fs. */
  readonly dt: PerSystem;
}

/** Options of all stochastic thermostats. */
export interface StochasticThermostatOptions extends TimeStepOptions {
  /** Temperature of the thermostat, K. */
  readonly temperature: PerSystem;
  /**
   * Seed of the noise, a whole number 0 … 2⁵³ − 1. With the same seed a system has the same noise in every slot of a
   * batch.
   *
   * @default 0
   */
  readonly seed?: number;
}

/** Options of all integrators with Nosé–Hoover chains. */
export interface ChainOptions extends TimeStepOptions {
  /** Temperature of the thermostat, K, above 0. */
  readonly temperature: PerSystem;
  /**
   * Relaxation time τ of the thermostat, fs. It should be at least 20 steps, or about 50 steps with a barostat, and
   * must be at least two steps.
   */
  readonly thermostatTime: PerSystem;
  /**
   * Number of thermostats in a chain, from 1 to 16. Each is coupled to the next. A single thermostat does not sample
   * stiff or small systems correctly.
   *
   * @default 3
   */
  readonly chainLength?: number;
  /**
   * Number of Suzuki–Yoshida substeps into which half a step of a chain is divided: 1, 3 or 5. More substeps
   * integrate a chain that is fast relative to the time step.
   *
   * @default 3
   */
  readonly yoshidaOrder?: 1 | 3 | 5;
}

/** Options of all integrators with a barostat. */
export interface PressureOptions extends TimeStepOptions {
  /** External pressure, eV/Å³, for example `1000 * BAR` or `0.1 * GIGAPASCAL`. A negative pressure is a tension. */
  readonly pressure: PerSystem;
  /** Relaxation time τ of the cell, fs. A good value is about 500 steps. */
  readonly barostatTime: PerSystem;
  /**
   * Degrees of freedom of the cell: `"isotropic"` changes its volume, `"anisotropic"` its lengths along x, y and z,
   * and `"triclinic"` all lengths and angles.
   *
   * @default "isotropic"
   */
  readonly pressureCoupling?: PressureCoupling;
}

/** Rules and defaults of {@linkcode StochasticThermostatOptions}. */
export const STOCHASTIC_PARAMETERS: Readonly<
  Record<keyof StochasticThermostatOptions, Parameter>
> = {
  dt: { rule: Rule.STEP },
  temperature: { rule: Rule.NOT_NEGATIVE },
  seed: { rule: Rule.SEED, initial: 0 },
};

/** Rules and defaults of {@linkcode ChainOptions}. */
export const CHAIN_PARAMETERS: Readonly<Record<keyof ChainOptions, Parameter>> = {
  dt: { rule: Rule.STEP },
  temperature: { rule: Rule.POSITIVE },
  thermostatTime: { rule: Rule.POSITIVE },
  chainLength: { initial: 3 },
  yoshidaOrder: { initial: 3 },
};

/** Rules and defaults of {@linkcode PressureOptions}. */
export const PRESSURE_PARAMETERS: Readonly<Record<keyof PressureOptions, Parameter>> = {
  dt: { rule: Rule.STEP },
  pressure: { rule: Rule.PRESSURE },
  barostatTime: { rule: Rule.POSITIVE },
  pressureCoupling: { initial: "isotropic" },
};
