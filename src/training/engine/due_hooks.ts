/**
 * Due hooks of a trainer. A step computes only the results that a due hook uses.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import { TrainingStage } from "../stages.ts";
import { isObserved } from "../state/observed_tensors.ts";
import type { TrainingKind } from "../trainer_options.ts";

/** Returns whether a hook is due at a stage now. */
export function isDue(loop: Loop<TrainingKind>, stage: TrainingStage): boolean {
  const point = loop.point(stage);
  if (point.isEmpty) return false;
  const count = loop.countOf(point.info.counter);
  return point.info.isEvent || point.next(count) <= count;
}

/**
 * Returns whether a step must wait for results at a stage: a hook is due that decides, changes a value, or must not
 * be called late.
 */
export function mustWaitAt(loop: Loop<TrainingKind>, stage: TrainingStage): boolean {
  const { info: { role }, mustWait } = loop.point(stage);
  return (role !== "observe" || mustWait) && isDue(loop, stage);
}

/**
 * Returns the fields of observed tensors, such as `activations:fc*`, that the hooks due at these stages read. Each
 * field occurs once.
 */
export function observedFields(
  loop: Loop<TrainingKind>,
  stages: readonly TrainingStage[],
): string[] {
  const fields = stages.flatMap((stage) => {
    if (!isDue(loop, stage)) return [];
    const count = loop.countOf(loop.point(stage).info.counter);
    const isNext = stage === TrainingStage.AFTER_FORWARD;
    return [...loop.hooks.reads(stage, count, isNext)].filter(isObserved);
  });
  return [...new Set(fields)];
}
