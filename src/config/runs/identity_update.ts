/**
 * The update hook that changes nothing.
 *
 * @module
 */

import type { LossContext, NamedNumbers } from "../../training/stages.ts";
import { TrainingStage } from "../../training/stages.ts";

/**
 * Hands the gradients of each step on as they are: training comes to the same bits with it and without it. A
 * placeholder in configurations, and the shortest example of a hook that could change gradients.
 *
 * @example
 * ```ts
 * import { IdentityUpdate } from "@hooke/hooke/config";
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
  /** What it is called. */
  readonly name = "identity";
  /** Where gradients may be changed. */
  readonly stage: typeof TrainingStage.GRADIENTS = TrainingStage.GRADIENTS;
  /** At every step. */
  readonly frequency = 1;

  /** Answers with what it was given. */
  call({ value }: LossContext & { readonly value: NamedNumbers }): NamedNumbers {
    return value;
  }
}
