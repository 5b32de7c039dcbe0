/**
 * Checks of the names of fields that snapshots keep.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { BUILT_IN } from "../../batch/fields/fields.ts";
import type { DynamicsContext } from "../../dynamics/stages.ts";

/** Fields that each frame has besides those of the batch. */
const STAMPS = ["step", "time", "sourceId"];

/**
 * Checks that fields are built in, or belong to the batch or the model of a run.
 *
 * @throws {RangeError} if a name is unknown; the message suggests the most similar known name
 */
export function checkFields(
  hook: string,
  { batch, model, workflow }: Pick<DynamicsContext, "batch" | "model" | "workflow">,
  names: readonly string[],
): void {
  const unknown = names.find((name) => !BUILT_IN.has(name) && !batch.has(name));
  if (unknown === undefined || STAMPS.includes(unknown) || model.fields?.includes(unknown)) return;
  const own = batch.fields().map(({ name }) => name);
  const known = [...BUILT_IN.keys(), ...own, ...model.fields ?? [], ...STAMPS];
  throw new RangeError(
    `Cannot take a snapshot by ${hook}: fields must name fields of the batch, and ${workflow.name} has no ${
      JSON.stringify(unknown)
    }${didYouMean(unknown, known)}`,
  );
}
