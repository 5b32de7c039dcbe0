/**
 * Frames of snapshots.
 *
 * @module
 */

import type { DynamicsFields } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import { ESSENTIAL } from "../../batch/batch_state.ts";
import { RunFrame } from "../../batch/resident/run_frame.ts";
import { stamped } from "../../batch/sample_stamps.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import { checkRequired, checkType } from "../any/hook_options.ts";

/**
 * Fields that a hook reads for a frame. Reading `energy` makes the engine compute energies and stresses of the
 * current step.
 */
export const FRAMED: readonly ("energy" | "time" | "frame")[] = ["energy", "time", "frame"];

/** The part of a hook's context that a frame needs. */
export interface FrameContext {
  /** Batch of the engine. */
  readonly batch: Batch;
  /** Number of steps done before the current one. */
  readonly stepCount: number;
  /** Values of the fields that the hook reads. */
  readonly read: {
    readonly time?: ArrayLike<number>;
    readonly frame?: DynamicsFields["frame"];
  };
}

/**
 * Returns the fields that a hook must read for a frame with only the given fields. Without `energy` and `stress`, no
 * evaluation of the model is needed.
 */
export function framedOf(
  fields: readonly string[] | undefined,
): readonly (typeof FRAMED)[number][] {
  const isEvaluated = (name: string) => name === "energy" || name === "stress";
  return fields === undefined || fields.some(isEvaluated) ? FRAMED : FRAMED.slice(1);
}

/** Returns an object for frames with only the given fields, which sinks write without a copy of the batch. */
export function runFrame(fields: readonly string[] | undefined): RunFrame {
  return new RunFrame(fields && new Set([...ESSENTIAL, ...fields]));
}

/** Moves a frame to the current step. Returns `undefined` if the hook has not read what a frame needs. */
export function frameAt(
  { batch, stepCount, read: { frame, time } }: FrameContext,
  now: RunFrame,
): RunFrame | undefined {
  return frame === undefined || time === undefined
    ? undefined
    : now.at(batch, frame, stepCount, time);
}

/**
 * Returns a copy of the systems in the given slots, by default all, as they are in this step. The copy has the
 * additional fields `step`, `time` (fs) and `sourceId`, the `systemId` of each system in the run. If `fields` is
 * given, the copy has only these fields besides those that every batch has.
 */
export async function frameOf(
  { batch, stepCount, read }: FrameContext,
  slots: readonly number[] = Array.from({ length: batch.size }, (_, slot) => slot),
  fields?: readonly string[],
): Promise<Batch> {
  const times = Array.from(read.time!); // copied before the first await, after which views may be invalid
  const frame = await batch.snapshot(slots, read.frame, fields);
  return stamped(frame, { step: stepCount, time: slots.map((slot) => times[slot]!) });
}

/** Throws a TypeError if the option `sink` is missing or is not a sink. */
export function checkSink(hook: string, options: object): void {
  checkRequired(hook, options, "sink", "for example new MemorySink()");
  checkType(
    hook,
    options,
    "sink",
    "a sink with a write() function",
    (sink) => typeof (sink as Partial<SystemWriter> | null)?.write === "function",
  );
}
