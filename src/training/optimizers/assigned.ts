/**
 * Assignment of parameters to optimizers and to their groups.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { complaint } from "../../base/show.ts";
import type { OptimizerSettings, ParameterGroup } from "../context.ts";
import { fits } from "../graph/parameters.ts";
import type { Schedule } from "../schedules/schedule.ts";
import { checkRate, type GroupRates, type Optimizer } from "./optimizer.ts";

/**
 * A parameter group, as hooks see it. Its `lr` is the current learning rate, which schedules and hooks may have
 * changed.
 */
export class LiveGroup implements ParameterGroup {
  readonly parameters: readonly string[];
  /** The learning rate without the factor of a schedule. */
  base: number;
  /** Current factor of the schedule. */
  factor = 1;
  /**
   * Values behind the accessors. The member is public, so that a comparison of groups before and after a hook sees
   * changes.
   */
  readonly rates: { weightDecay: number; momentum: number };
  readonly #optimizer: string;

  constructor(optimizer: string, parameters: readonly string[], rates: Required<GroupRates>) {
    this.#optimizer = optimizer;
    this.parameters = parameters;
    this.base = rates.lr;
    this.rates = { weightDecay: rates.weightDecay, momentum: rates.momentum };
  }

  get lr(): number {
    return this.base * this.factor;
  }

  /**
   * Sets the current learning rate, from which the schedule continues. Throws a RangeError for an invalid rate, and
   * for a rate above 0 while the factor of the schedule is 0.
   */
  set lr(value: number) {
    checkRate(`set a rate of ${this.#optimizer}`, "lr", value);
    if (this.factor > 0) this.base = value / this.factor;
    else if (value > 0) {
      throw new RangeError(
        `Cannot set the learning rate of ${this.#optimizer}: the factor of its schedule is 0 now, so the rate can only be 0. Set the rate while the factor is above 0`,
      );
    }
  }

  get weightDecay(): number {
    return this.rates.weightDecay;
  }

  set weightDecay(value: number) {
    checkRate(`set a rate of ${this.#optimizer}`, "weightDecay", value);
    this.rates.weightDecay = value;
  }

  get momentum(): number {
    return this.rates.momentum;
  }

  set momentum(value: number) {
    checkRate(`set a rate of ${this.#optimizer}`, "momentum", value);
    this.rates.momentum = value;
  }
}

/** An optimizer, with the groups of the parameters that it updates. */
export interface AssignedOptimizer extends OptimizerSettings {
  /** The optimizer as the options of the trainer have it. */
  readonly optimizer: Optimizer;
  readonly groups: readonly LiveGroup[];
  /** The schedule of its learning rates. */
  readonly schedule: Schedule;
}

/** The optimizer that updates a parameter, and its group. */
export interface Assignment {
  /** Index of the optimizer, from 0. */
  readonly optimizer: number;
  /** The group of that optimizer. */
  readonly group: LiveGroup;
}

/**
 * Assigns each parameter to an optimizer and one of its groups.
 *
 * @throws {RangeError} if a pattern matches no parameter, if a parameter does not have exactly one optimizer, or if
 * two optimizers have the same name
 */
export function assign(
  optimizers: readonly Optimizer[],
  names: readonly string[],
  schedule: Schedule,
): { readonly optimizers: readonly AssignedOptimizer[]; readonly of: readonly Assignment[] } {
  checkNames(optimizers);
  for (const optimizer of optimizers) {
    const { parameters } = optimizer;
    const isIdle = parameters !== undefined && !names.some((name) => fits(name, parameters));
    if (isIdle) throw movesNothing(optimizer, names);
  }
  const owner = names.map((name) => ownerOf(name, optimizers));
  const of: Assignment[] = [];
  const assigned = optimizers.map((optimizer, index): AssignedOptimizer => {
    const own = names.filter((_, i) => owner[i] === index);
    if (own.length === 0) throw movesNothing(optimizer, names);
    const groups = groupsOf(optimizer, own);
    for (const group of groups) {
      for (const name of group.parameters) of[names.indexOf(name)] = { optimizer: index, group };
    }
    return { name: optimizer.name, optimizer, groups, schedule: optimizer.schedule ?? schedule };
  });
  return { optimizers: assigned, of };
}

function checkNames(optimizers: readonly Optimizer[]): void {
  if (optimizers.length === 0) {
    throw new RangeError(
      "Cannot train: an optimizer is required: pass optimizers: [adam({ lr: 1e-3 })]",
    );
  }
  const names = optimizers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return;
  throw new RangeError(complaint("train", "the names of optimizers must be unique", twice));
}

function ownerOf(name: string, optimizers: readonly Optimizer[]): number {
  const named = optimizers.flatMap(({ parameters }, i) =>
    parameters !== undefined && fits(name, parameters) ? [i] : []
  );
  const rest = optimizers.flatMap(({ parameters }, i) => parameters === undefined ? [i] : []);
  const owners = named.length > 0 ? named : rest;
  if (owners.length === 1) return owners[0]!;
  const who = owners.map((i) => optimizers[i]!.name).join(", ") || "none";
  throw new RangeError(
    `Cannot train ${
      JSON.stringify(name)
    }: exactly one optimizer must update this parameter; got ${who}. ` +
      'Match its name by "parameters" of one optimizer only, or by "freeze"',
  );
}

function movesNothing({ name, parameters }: Optimizer, names: readonly string[]): RangeError {
  return new RangeError(
    `Cannot train with optimizer ${name}: it must have at least one parameter of ${
      names.join(", ")
    }; got ` +
      (parameters === undefined
        ? "none, because the other optimizers have all"
        : `none for parameters: ${JSON.stringify(parameters)}`) +
      didYouMean([parameters ?? []].flat()[0] ?? "", names),
  );
}

function groupsOf(
  { name, groups, lr, weightDecay, momentum }: Optimizer,
  own: readonly string[],
): LiveGroup[] {
  const left = new Set(own);
  const rates = { lr, weightDecay, momentum };
  const named = groups.map((group) => {
    const parameters = [...left].filter((parameter) => fits(parameter, group.parameters));
    if (parameters.length === 0) {
      throw new RangeError(
        `Cannot train with optimizer ${name}: each of its groups must match at least one of ${
          own.join(", ")
        } that no earlier group has; got ${JSON.stringify(group.parameters)}`,
      );
    }
    for (const parameter of parameters) left.delete(parameter);
    return new LiveGroup(name, parameters, { ...rates, ...group });
  });
  const rest = left.size === 0 ? [] : [new LiveGroup(name, [...left], rates)];
  return [...rest, ...named];
}
