/**
 * The common optimizers: SGD, Adam, AdamW and Lion.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { adamStep } from "./adam_step.ts";
import {
  makeOptimizer,
  type Optimizer,
  OPTIMIZER_OPTIONS,
  type OptimizerOptions,
} from "./optimizer.ts";
import {
  addDecayedWeights,
  type MomentOptions,
  type MomentumOptions,
  scaleByLion,
  scaleByMomentum,
} from "./transforms.ts";

/** Options of {@linkcode sgd}. */
export interface SgdOptions extends OptimizerOptions, MomentumOptions {}

/** Options of {@linkcode adam} and {@linkcode adamW}. */
export interface AdamOptions extends OptimizerOptions, MomentOptions {
  /**
   * Decay of the first moment. It is the `momentum` of the optimizer's groups.
   *
   * @default 0.9
   */
  readonly beta1?: number;
}

/** Options of {@linkcode lion}. */
export type LionOptions = Omit<AdamOptions, "eps">;

/**
 * Returns stochastic gradient descent, as in PyTorch's SGD. The weight decay λ is added to the gradient, g = g + λ p.
 * If `momentum` is above 0, m = μ m + (1 − dampening) g replaces the gradient. The parameter then becomes p − lr m.
 * Groups whose momentum is 0 have no momentum.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a rate is out of range
 *
 * @example
 * ```ts
 * import { sgd } from "@hooke/hooke/training";
 *
 * const optimizer = sgd({ lr: 0.1, momentum: 0.9, nesterov: true, weightDecay: 1e-4 });
 * console.log(optimizer.name);
 * ```
 */
export function sgd(options: SgdOptions): Optimizer {
  const { dampening = 0, nesterov = false, ...rest } = known("sgd", options, [
    "dampening",
    "nesterov",
  ]);
  const momenta = [rest.momentum, ...rest.groups?.map(({ momentum }) => momentum) ?? []];
  const hasMomentum = momenta.some((momentum) => (momentum ?? 0) > 0);
  return makeOptimizer([
    addDecayedWeights(),
    ...(hasMomentum ? [scaleByMomentum({ dampening, nesterov })] : []),
  ], { name: "sgd", ...rest });
}

/**
 * Returns Adam (Kingma, Ba, 2014). Weight decay is added to the gradients; see `adamW` for decoupled decay.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a rate is out of range
 *
 * @example
 * ```ts
 * import { adam } from "@hooke/hooke/training";
 *
 * const optimizer = adam({ lr: 1e-3, groups: [{ parameters: "embedding*", lr: 1e-4 }] });
 * console.log(optimizer.name);
 * ```
 */
export function adam(options: AdamOptions): Optimizer {
  return adamOf("adam", options, false);
}

/**
 * Returns AdamW: Adam with decoupled weight decay (Loshchilov, Hutter, 2017).
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a rate is out of range
 *
 * @example No decay for biases
 * ```ts
 * import { adamW } from "@hooke/hooke/training";
 *
 * const optimizer = adamW({ lr: 1e-3, groups: [{ parameters: "*.bias", weightDecay: 0 }] });
 * console.log(optimizer.weightDecay);
 * ```
 */
export function adamW(options: AdamOptions): Optimizer {
  return adamOf("adamW", isObject(options) ? { weightDecay: 0.01, ...options } : options, true);
}

/**
 * Returns Lion (Chen et al., arXiv:2302.06675, 2023), which updates parameters by the sign of a mean gradient. Weight
 * decay is decoupled.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a rate is out of range
 *
 * @example
 * ```ts
 * import { lion } from "@hooke/hooke/training";
 *
 * const optimizer = lion({ lr: 1e-4, weightDecay: 0.1 });
 * console.log(optimizer.momentum); // β₁
 * ```
 */
export function lion(options: LionOptions): Optimizer {
  const { beta1 = 0.9, beta2 = 0.99, ...rest } = known("lion", options, ["beta1", "beta2"]);
  return makeOptimizer([scaleByLion({ beta2 }), addDecayedWeights()], {
    name: "lion",
    momentum: beta1,
    ...rest,
  });
}

function adamOf(name: string, options: AdamOptions, decoupled: boolean): Optimizer {
  const { beta1 = 0.9, beta2 = 0.999, eps = 1e-8, ...rest } = known(name, options, [
    "beta1",
    "beta2",
    "eps",
  ]);
  return makeOptimizer([adamStep({ beta2, eps, decoupled })], { name, momentum: beta1, ...rest });
}

function known<O extends object>(name: string, options: O, more: readonly string[]): O {
  if (isObject(options)) {
    checkKeys(`make optimizer ${name}`, "its options", options, [...OPTIMIZER_OPTIONS, ...more]);
  }
  return (options ?? {}) as O;
}
