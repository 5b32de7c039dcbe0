/**
 * Evaluation of convergence criteria that are functions of the user.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { show } from "../../base/show.ts";
import type { RunParts } from "./run_engine.ts";
import type { Custom } from "./step_parts.ts";

/**
 * Calls the custom criteria that are due in the current step. Writes 0 to their `met` for systems that do not meet
 * them.
 */
export function callCustomCriteria(
  { plan, phase, state, isLate, engine: { loop } }: RunParts,
): void | PromiseLike<void> {
  const { stepCount } = loop;
  const due = plan.now.customs.filter(({ every, phase }) => stepCount % every === phase);
  if (due.length === 0) return;
  const buffers = Object.fromEntries(
    due.flatMap(({ buffer, met }, i): [string, Buffer][] => {
      return [[`values ${i}`, buffer], [`met ${i}`, met]];
    }),
  );
  const changed = due.map((_, i) => `met ${i}`);
  if (!isLate) {
    return state.withArrays(buffers, changed, (arrays) => judge(due, arrays, state.batch));
  }
  const { soFar } = loop.hooks; // settles when the results of earlier steps are delivered
  return state.withArrays(buffers, changed, async (arrays) => {
    await soFar;
    if (!phase.isOver) judge(due, arrays, state.batch);
  });
}

function judge(
  due: readonly Custom[],
  arrays: Readonly<Record<string, NumericArray>>,
  { nodeOffsets, size }: Batch,
): void {
  for (const [i, { key, op }] of due.entries()) {
    const answers = op(arrays[`values ${i}`]!, nodeOffsets);
    if (answers?.length !== size) {
      throw new TypeError(
        `Cannot judge convergence by ${key}: its customOp must return one value for each of ${size} systems; ` +
          `got ${answers?.length ?? show(answers)}`,
      );
    }
    const marks = arrays[`met ${i}`]!;
    for (let s = 0; s < size; s++) if (!answers[s]) marks[s] = 0;
  }
}
