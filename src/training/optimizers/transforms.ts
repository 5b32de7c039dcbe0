/**
 * The built-in transforms of optimizers.
 *
 * @module
 */

import { call } from "../../backend/backend.ts";
import { complaint } from "../../base/show.ts";
import { mix } from "../../kernels/mix.ts";
import { scaleByAdam as scaleByAdamKernel } from "../../kernels/learn/scale_by_adam.ts";
import { scaleByLion as scaleByLionKernel } from "../../kernels/learn/scale_by_lion.ts";
import { scaleByMomentum as scaleByMomentumKernel } from "../../kernels/learn/scale_by_momentum.ts";
import type { Transform } from "./transform.ts";

/** Options of transforms that keep moments of gradients. */
export interface MomentOptions {
  /**
   * Decay of the second moment.
   *
   * @default 0.999
   */
  readonly beta2?: number;
  /**
   * Number that is added to the denominator, which could otherwise be 0.
   *
   * @default 1e-8
   */
  readonly eps?: number;
}

/**
 * Returns a transform that divides updates by the root of their mean square, as Adam does. The momentum of a group is
 * its β₁.
 *
 * @throws {RangeError} if `beta2` is not from 0 to below 1, or if `eps` is below 0
 *
 * @example
 * ```ts
 * import { addDecayedWeights, makeOptimizer, scaleByAdam } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([scaleByAdam(), addDecayedWeights()], { lr: 1e-3, momentum: 0.9, weightDecay: 0.01 });
 * assertEquals(own.transforms.map(({ name }) => name), ["scaleByAdam", "addDecayedWeights", "descend"]);
 * ```
 */
export function scaleByAdam(options: MomentOptions = {}): Transform {
  const { beta2, eps } = checked(options);
  return {
    name: "scaleByAdam",
    keeps: ["first", "second"],
    settings: {
      adam: ({ momentum, count }) => [
        momentum,
        1 - momentum,
        beta2,
        1 - beta2,
        1 / (1 - momentum ** count),
        1 / Math.sqrt(1 - beta2 ** count),
        eps,
      ],
    },
    moves: false,
    usesUpdates: true,
    calls: ({ updates, state, settings }) => [
      call(scaleByAdamKernel, {
        updates,
        first: state("first"),
        second: state("second"),
        settings: settings("adam"),
      }),
    ],
  };
}

/** Options of {@linkcode scaleByMomentum}. */
export interface MomentumOptions {
  /**
   * Fraction of each gradient, except the first, that is left out.
   *
   * @default 0
   */
  readonly dampening?: number;
  /**
   * True for Nesterov momentum.
   *
   * @default false
   */
  readonly nesterov?: boolean;
}

/**
 * Returns a transform that adds earlier updates to each update, weighted by the momentum of the group.
 *
 * @example
 * ```ts
 * import { makeOptimizer, scaleByMomentum } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([scaleByMomentum({ nesterov: true })], { lr: 0.1, momentum: 0.9 });
 * assertEquals(own.transforms.map(({ name }) => name), ["scaleByMomentum", "descend"]);
 * ```
 */
export function scaleByMomentum(
  { dampening = 0, nesterov = false }: MomentumOptions = {},
): Transform {
  return {
    name: "scaleByMomentum",
    keeps: ["trace"],
    settings: {
      momentum: ({ momentum, count }) => [
        momentum,
        count === 1 ? 1 : 1 - dampening,
        nesterov ? 1 : 0,
      ],
    },
    moves: false,
    usesUpdates: true,
    calls: ({ updates, state, settings }) => [
      call(scaleByMomentumKernel, {
        updates,
        trace: state("trace"),
        settings: settings("momentum"),
      }),
    ],
  };
}

/**
 * Returns a transform that replaces updates by the signs of their mean, as Lion does. The momentum of a group is its
 * β₁.
 *
 * @throws {RangeError} if `beta2` is not from 0 to below 1
 *
 * @example
 * ```ts
 * import { makeOptimizer, scaleByLion } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([scaleByLion({ beta2: 0.95 })], { lr: 1e-4, momentum: 0.9 });
 * assertEquals(own.transforms.map(({ name }) => name), ["scaleByLion", "descend"]);
 * ```
 */
export function scaleByLion({ beta2 = 0.99 }: Pick<MomentOptions, "beta2"> = {}): Transform {
  checked({ beta2 });
  return {
    name: "scaleByLion",
    keeps: ["trace"],
    settings: { lion: ({ momentum }) => [momentum, 1 - momentum, beta2, 1 - beta2] },
    moves: false,
    usesUpdates: true,
    calls: ({ updates, state, settings }) => [
      call(scaleByLionKernel, { updates, trace: state("trace"), settings: settings("lion") }),
    ],
  };
}

/**
 * Returns a transform that adds the parameters, multiplied by the weight decay of their group, to the updates.
 *
 * @example
 * ```ts
 * import { addDecayedWeights, makeOptimizer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([addDecayedWeights()], { lr: 0.1, weightDecay: 1e-4 });
 * assertEquals(own.transforms.map(({ name }) => name), ["addDecayedWeights", "descend"]);
 * ```
 */
export function addDecayedWeights(): Transform {
  return {
    name: "addDecayedWeights",
    settings: { "decay.keep": () => [1], "decay.take": ({ weightDecay }) => [weightDecay] },
    moves: false,
    usesUpdates: true,
    calls: ({ updates, parameters, settings }) => [
      call(mix, {
        target: updates,
        source: parameters,
        keep: settings("decay.keep"),
        take: settings("decay.take"),
      }),
    ],
  };
}

/**
 * Returns the transform that ends an optimizer. It subtracts the updates, multiplied by the learning rate of their
 * group, from the parameters.
 *
 * @example
 * ```ts
 * import { descend, makeOptimizer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([descend()], { lr: 0.1 });
 * assertEquals(own.transforms.map(({ name }) => name), ["descend"]);
 * ```
 */
export function descend(): Transform {
  return {
    name: "descend",
    settings: { "descend.keep": () => [1], "descend.take": ({ lr }) => [-lr] },
    moves: true,
    usesUpdates: true,
    calls: ({ updates, parameters, settings }) => [
      call(mix, {
        target: parameters,
        source: updates,
        keep: settings("descend.keep"),
        take: settings("descend.take"),
      }),
    ],
  };
}

/** Applies the defaults of the options of moments. Throws a RangeError if an option is out of range. */
export function checked({ beta2 = 0.999, eps = 1e-8 }: MomentOptions): Required<MomentOptions> {
  if (!(beta2 >= 0 && beta2 < 1)) {
    throw new RangeError(
      complaint("make an optimizer", "beta2 must be from 0 to below 1", beta2),
    );
  }
  if (!(eps >= 0 && eps < Infinity)) {
    throw new RangeError(complaint("make an optimizer", "eps must be 0 or more and finite", eps));
  }
  return { beta2, eps };
}
