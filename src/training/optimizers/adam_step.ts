/**
 * Adam in one pass over memory.
 *
 * @module
 */

import { call } from "../../backend/backend.ts";
import { adamStep as adamStepKernel } from "../../kernels/learn/adam_step.ts";
import type { Moment, Transform } from "./transform.ts";
import { checked, type MomentOptions } from "./transforms.ts";

/** Options of {@linkcode adamStep}. */
export interface AdamStepOptions extends MomentOptions {
  /**
   * True for decoupled weight decay, which is subtracted from the parameters as in AdamW. If it is false, the decay
   * is added to the gradients.
   *
   * @default true
   */
  readonly decoupled?: boolean;
}

/**
 * Returns a transform with the effect of {@linkcode scaleByAdam}, {@linkcode addDecayedWeights} and {@linkcode
 * descend}, in one pass over memory.
 *
 * @throws {RangeError} if `beta2` is not from 0 to below 1, or if `eps` is below 0
 *
 * @example
 * ```ts
 * import { adamStep, makeOptimizer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const own = makeOptimizer([adamStep({ decoupled: false })], { lr: 1e-3, momentum: 0.9 });
 * assertEquals(own.transforms.map(({ name }) => name), ["adamStep"]);
 * ```
 */
export function adamStep({ decoupled = true, ...options }: AdamStepOptions = {}): Transform {
  const { beta2, eps } = checked(options);
  const settings = ({ momentum, count, lr, weightDecay }: Moment) => [
    momentum,
    1 - momentum,
    beta2,
    1 - beta2,
    lr / (1 - momentum ** count),
    1 / Math.sqrt(1 - beta2 ** count),
    eps,
    ...(decoupled ? [1 - lr * weightDecay, 0] : [1, weightDecay]),
  ];
  return {
    name: "adamStep",
    keeps: ["first", "second"],
    settings: { adam: settings },
    moves: true,
    usesUpdates: false,
    calls: ({ parameters, gradients, state, settings }) => [
      call(adamStepKernel, {
        parameters,
        gradients,
        settings: settings("adam"),
        first: state("first"),
        second: state("second"),
      }),
    ],
  };
}
