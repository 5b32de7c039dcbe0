/**
 * The interface of optimizers. An optimizer is a list of transforms, with rates for groups of parameters.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Schedule } from "../schedules/schedule.ts";
import { descend } from "./transforms.ts";
import type { Transform } from "./transform.ts";

/** Rates of some parameters. Rates that are left out are those of the optimizer. */
export interface GroupRates {
  /** The learning rate. */
  readonly lr?: number;
  /** The weight decay. */
  readonly weightDecay?: number;
  /** The momentum: the fraction of earlier gradients that each step keeps. For Adam and Lion it is β₁. */
  readonly momentum?: number;
}

/** Options of a parameter group: its parameters, and their rates. */
export interface GroupOptions extends GroupRates {
  /** Names, or patterns of names such as `"*.bias"`. A parameter belongs to the first group that names it. */
  readonly parameters: string | readonly string[];
}

/** Options of every optimizer. */
export interface OptimizerOptions extends GroupRates {
  /** The learning rate. */
  readonly lr: number;
  /**
   * Name of the optimizer.
   *
   * @default the name of the function that creates it, such as "adam"
   */
  readonly name?: string;
  /**
   * The parameters that the optimizer updates: names, or patterns of names.
   *
   * @default the parameters that no other optimizer names
   */
  readonly parameters?: string | readonly string[];
  /**
   * Groups of parameters with their own rates. All other parameters have the rates of the optimizer.
   *
   * @default undefined
   */
  readonly groups?: readonly GroupOptions[];
  /**
   * Schedule of the learning rates.
   *
   * @default the schedule of the trainer
   */
  readonly schedule?: Schedule;
}

/** An optimizer, with defaults applied to its options. */
export interface Optimizer extends OptimizerOptions {
  /** Name of the optimizer. */
  readonly name: string;
  /** The weight decay of parameters that belong to no group. */
  readonly weightDecay: number;
  /** The momentum of parameters that belong to no group. */
  readonly momentum: number;
  /** Groups of parameters with their own rates. */
  readonly groups: readonly GroupOptions[];
  /** The transforms, in the order in which they are applied. */
  readonly transforms: readonly Transform[];
}

/** Names of the members of {@linkcode OptimizerOptions}. */
export const OPTIMIZER_OPTIONS: readonly string[] = [
  "lr",
  "weightDecay",
  "momentum",
  "name",
  "parameters",
  "groups",
  "schedule",
];

/**
 * Returns a custom optimizer that applies transforms in order. The last transform must update the parameters;
 * `descend` is appended if no transform does.
 *
 * @throws {TypeError} if an option is unknown or of the wrong type
 * @throws {RangeError} if a rate is out of range, or if a transform that updates parameters is not the last one
 *
 * @example An optimizer of several transforms
 * ```ts
 * import { addDecayedWeights, makeOptimizer, scaleByLion, scaleByMomentum } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([scaleByMomentum(), scaleByLion(), addDecayedWeights()], {
 *   name: "own",
 *   lr: 1e-3,
 *   momentum: 0.9,
 *   groups: [{ parameters: "*.bias", weightDecay: 0 }],
 *   weightDecay: 0.01,
 * });
 * assertEquals(own.transforms.map(({ name }) => name).at(-1), "descend");
 * ```
 */
export function makeOptimizer(
  transforms: readonly Transform[],
  options: OptimizerOptions,
): Optimizer {
  const action = `make optimizer ${options?.name ?? "optimizer"}`;
  checkOptimizer(action, options);
  const last = transforms.findIndex(({ moves }) => moves);
  if (last !== -1 && last !== transforms.length - 1) {
    throw new RangeError(
      complaint(
        action,
        "only the last of its transforms must update parameters",
        transforms[last]!.name,
      ),
    );
  }
  return {
    name: "optimizer",
    weightDecay: 0,
    momentum: 0,
    groups: [],
    ...options,
    transforms: last === -1 ? [...transforms, descend()] : transforms,
  };
}

/** Throws a TypeError or RangeError if an option is wrong. */
function checkOptimizer(action: string, options: unknown): asserts options is OptimizerOptions {
  if (!isObject(options)) {
    throw new TypeError(complaint(action, "its options must be an object with lr", options));
  }
  checkKeys(action, "its options", options, OPTIMIZER_OPTIONS);
  if (options.lr === undefined) {
    throw new TypeError(`Cannot ${action}: lr is required: pass { lr: 1e-3 }`);
  }
  checkRates(action, options);
  if (options.groups === undefined) return;
  if (!Array.isArray(options.groups)) {
    throw new TypeError(complaint(action, "groups must be an array", options.groups));
  }
  for (const group of options.groups as unknown[]) {
    if (!isObject(group) || group.parameters === undefined) {
      throw new TypeError(complaint(action, "each group must have parameters", group));
    }
    checkKeys(action, "the members of a group", group, [
      "parameters",
      "lr",
      "weightDecay",
      "momentum",
    ]);
    checkRates(action, group);
  }
}

function checkRates(action: string, rates: Readonly<Record<string, unknown>>): void {
  for (const member of ["lr", "weightDecay", "momentum"]) {
    checkRate(action, member, rates[member]);
  }
}

/** Throws a RangeError if a rate is not a finite number of at least 0, or if a momentum is not below 1. */
export function checkRate(action: string, member: string, value: unknown): void {
  const most = member === "momentum" ? 1 : Infinity;
  if (value === undefined || (typeof value === "number" && value >= 0 && value < most)) return;
  const requirement = most === 1 ? "from 0 to below 1" : "0 or more and finite";
  throw new RangeError(complaint(action, `${member} must be ${requirement}`, value));
}
