/**
 * Optimizers of a scripted trainer: plain gradient descent.
 *
 * @module
 */

import type { OptimizerSettings, ParameterGroup } from "../../training/context.ts";

/** A group of a scripted optimizer, whose rates hooks may set. */
export interface ScriptedGroup {
  /**
   * Names of the group's parameters.
   *
   * @default all parameters that no other group has
   */
  readonly parameters?: readonly string[];
  /**
   * Learning rate.
   *
   * @default that of the script
   */
  readonly lr?: number;
  /**
   * Weight decay.
   *
   * @default that of the script
   */
  readonly weightDecay?: number;
  /**
   * Momentum. Hooks can read and set it, but steps ignore it.
   *
   * @default that of the script
   */
  readonly momentum?: number;
}

/** A group as hooks see it: its learning rate includes the factor of the schedule. */
class LiveGroup implements ParameterGroup {
  readonly parameters: readonly string[];
  /** Current factor of the schedule. */
  factor = 1;
  weightDecay: number;
  momentum: number;
  #base: number;

  constructor(parameters: readonly string[], { lr, weightDecay, momentum }: Rates) {
    this.parameters = parameters;
    this.#base = lr;
    this.weightDecay = weightDecay;
    this.momentum = momentum;
  }

  get lr(): number {
    return this.#base * this.factor;
  }

  set lr(value: number) {
    if (!(value >= 0 && value < Infinity) || (this.factor === 0 && value > 0)) {
      throw new RangeError(
        `Cannot set a rate: lr must not be negative, and must be 0 while the schedule's factor is 0; got ${value}`,
      );
    }
    if (this.factor > 0) this.#base = value / this.factor;
  }
}

/** Rates of a group. */
export interface Rates {
  readonly lr: number;
  readonly weightDecay: number;
  readonly momentum: number;
}

/** An optimizer of a scripted trainer. */
export interface LiveOptimizer extends OptimizerSettings {
  readonly groups: readonly LiveGroup[];
}

/** Assigns all parameters to groups. Throws a RangeError if a name is unknown, or belongs to two groups. */
export function liveOptimizers(
  scripted: readonly (readonly ScriptedGroup[])[],
  names: readonly string[],
  rates: Rates,
): LiveOptimizer[] {
  const left = new Set(names);
  for (const name of scripted.flat().flatMap(({ parameters = [] }) => parameters)) {
    if (left.delete(name)) continue;
    throw new RangeError(
      `Cannot script a trainer: the parameters of a group must be unique, and among ${
        names.join(", ")
      }; got ${name}`,
    );
  }
  return scripted.map((groups, i) => ({
    name: scripted.length === 1 ? "sgd" : `sgd-${i + 1}`,
    groups: groups.map(({ parameters, ...own }) => {
      const rest = parameters ?? [...left];
      if (parameters === undefined) left.clear();
      return new LiveGroup(rest, { ...rates, ...own });
    }),
  }));
}

/** Runs a step of an optimizer: w ← w − lr (g + decay w). Parameters without a gradient do not change. */
export function descend(
  { groups }: LiveOptimizer,
  values: ReadonlyMap<string, Float32Array>,
  gradients: ReadonlyMap<string, ArrayLike<number>>,
): void {
  for (const { parameters, lr, weightDecay } of groups) {
    for (const name of parameters) {
      const value = values.get(name)!, slope = gradients.get(name);
      for (let i = 0; slope !== undefined && i < value.length; i++) {
        value[i]! -= lr * (slope[i]! + weightDecay * value[i]!);
      }
    }
  }
}
