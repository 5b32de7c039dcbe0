/**
 * Options that several integrators share.
 *
 * @module
 */

import type { PressureCoupling } from "./barostat.ts";
import { type Parameter, type PerSystem, Rule } from "./parameters.ts";

/** Options of all integrators of molecular dynamics. */
export interface TimeStepOptions {
  /** The time of a step, fs. */
  readonly dt: PerSystem;
}

/** Options of all stochastic thermostats. */
export interface StochasticThermostatOptions extends TimeStepOptions {
  /** The temperature of the bath, K. */
  readonly temperature: PerSystem;
  /**
   * The seed of the noise: the same seed gives a system the same noise in every slot of a batch.
   *
   * @default 0
   */
  readonly seed?: number;
}

/** Options of all Nosé–Hoover chains. */
export interface ChainOptions extends TimeStepOptions {
  /** The temperature of the bath, K, above 0. */
  readonly temperature: PerSystem;
  /**
   * The relaxation time τ of the thermostat, fs: 20 steps or more, and never below two. With a barostat, about 50
   * steps or more.
   */
  readonly thermostatTime: PerSystem;
  /**
   * The number of thermostats in a chain, each coupled to the next. A single one does not sample stiff or small
   * systems correctly.
   *
   * @default 3
   */
  readonly chainLength?: number;
  /**
   * The number of Suzuki–Yoshida parts of a half step of a chain: 1, 3 or 5. More parts integrate a chain that is fast
   * relative to the step.
   *
   * @default 3
   */
  readonly yoshidaOrder?: 1 | 3 | 5;
}

/** Options of all barostats. */
export interface PressureOptions extends TimeStepOptions {
  /** The pressure outside, eV/Å³: `1000 * BAR`, `0.1 * GIGAPASCAL`. A negative pressure is a tension. */
  readonly pressure: PerSystem;
  /** The relaxation time τ of the cell, fs: about 500 steps. */
  readonly barostatTime: PerSystem;
  /**
   * The part of the cell that can change: its volume, its lengths along x, y and z, or all of it.
   *
   * @default "isotropic"
   */
  readonly pressureCoupling?: PressureCoupling;
}

/** Parameters of {@linkcode StochasticThermostatOptions}. */
export const STOCHASTIC_PARAMETERS: Readonly<
  Record<keyof StochasticThermostatOptions, Parameter>
> = {
  dt: { rule: Rule.STEP },
  temperature: { rule: Rule.NOT_NEGATIVE },
  seed: { rule: Rule.SEED, initial: 0 },
};

/** Parameters of {@linkcode ChainOptions}. */
export const CHAIN_PARAMETERS: Readonly<Record<keyof ChainOptions, Parameter>> = {
  dt: { rule: Rule.STEP },
  temperature: { rule: Rule.POSITIVE },
  thermostatTime: { rule: Rule.POSITIVE },
  chainLength: { initial: 3 },
  yoshidaOrder: { initial: 3 },
};

/** Parameters of {@linkcode PressureOptions}. */
export const PRESSURE_PARAMETERS: Readonly<Record<keyof PressureOptions, Parameter>> = {
  dt: { rule: Rule.STEP },
  pressure: { rule: Rule.PRESSURE },
  barostatTime: { rule: Rule.POSITIVE },
  pressureCoupling: { initial: "isotropic" },
};
