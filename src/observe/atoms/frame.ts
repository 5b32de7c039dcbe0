/**
 * What snapshots are made of.
 *
 * @module
 */

import type { DynamicsFields } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import { stamped } from "../../batch/sample_stamps.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import { checkGiven, checkType } from "../any/hook_options.ts";

/** What is looked at for a frame: energies (and with them stresses) must be those of the step. */
export const FRAMED: readonly ("energy" | "time" | "frame")[] = ["energy", "time", "frame"];

/** What a hook has of a step. */
export interface FrameContext {
  /** The batch, held by an engine. */
  readonly batch: Batch;
  /** Steps done before this one. */
  readonly stepCount: number;
  /** What was asked for. */
  readonly read: {
    readonly time?: ArrayLike<number>;
    readonly frame?: DynamicsFields["frame"];
  };
}

/** What is looked at for a frame of some fields: what only an evaluation of its own would give may be left out. */
export function framedOf(
  fields: readonly string[] | undefined,
): readonly (typeof FRAMED)[number][] {
  const isEvaluated = (name: string) => name === "energy" || name === "stress";
  return fields === undefined || fields.some(isEvaluated) ? FRAMED : FRAMED.slice(1);
}

/**
 * A copy of the systems as they are in this step, or of those at some places, with the fields `step`, `time` (fs) and
 * `sourceId`, the `systemId` that each has in the run. With `fields` it has those, and what every batch has.
 */
export async function frameOf(
  { batch, stepCount, read }: FrameContext,
  places: readonly number[] = Array.from({ length: batch.size }, (_, place) => place),
  fields?: readonly string[],
): Promise<Batch> {
  const times = Array.from(read.time!); // before anything is waited for
  const frame = await batch.snapshot(places, read.frame, fields);
  return stamped(frame, { step: stepCount, time: places.map((place) => times[place]!) });
}

/** Throws a TypeError for a sink that cannot be written to. */
export function checkSink(hook: string, options: object): void {
  checkGiven(hook, options, "sink", "as new MemorySink() is one");
  checkType(
    hook,
    options,
    "sink",
    "a sink, with a function write",
    (sink) => typeof (sink as Partial<SystemWriter> | null)?.write === "function",
  );
}
