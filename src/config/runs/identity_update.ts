/**
 * The update hook that changes nothing.
 *
 * @module
 */

import type { LossContext, NamedNumbers } from "../../training/stages.ts";
import { TrainingStage } from "../../training/stages.ts";

/**
 * Hook that returns the gradients of each step unchanged, so the results of training are bitwise identical with and
 * without it. Use it as a placeholder in configurations, or as the shortest example of a hook that may change
 * gradients.
 *
 * @example
 * ```ts
 * import { IdentityUpdate } from "@hooke/hooke/runs";
 * import { scriptedTrainer } from "@hooke/hooke/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const trainer = scriptedTrainer({
 *   epochs: [{ losses: [1] }],
 *   lr: 0.5,
 *   parameters: { w: [2] },
 *   gradients: { w: [3] },
 * });
 * trainer.hooks.add(new IdentityUpdate());
 * await trainer.train();
 * assertEquals([...trainer.values.get("w")!], [0.5]);
 * ```
 */
export class IdentityUpdate {
  /** Name of the hook. */
  readonly name = "identity";
  /** Stage of the hook, at which gradients may be changed. */
  readonly stage: typeof TrainingStage.GRADIENTS = TrainingStage.GRADIENTS;
  /** The hook is called in every step. */
  readonly frequency = 1;

  /** Returns the given gradients. */
  call({ value }: LossContext & { readonly value: NamedNumbers }): NamedNumbers {
    return value;
  }
}
