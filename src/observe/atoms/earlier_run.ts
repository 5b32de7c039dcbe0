/**
 * Detection of runs that would append their frames to those of an earlier run.
 *
 * @module
 */

import { warningsOf } from "../../hooks/loop/progress.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { Slice, SystemWriter } from "../../sinks/sink.ts";
import { hasCheckpointHook } from "../checkpoints/known_hooks.ts";
import { systemAt } from "./system_mark.ts";

/** Sinks to which this process has written, and those that compare frames themselves. */
const EXPECTED = new WeakSet<object>();

/** Marks a sink whose frames are expected: a second run of this process appends to it on purpose. */
export function expectFrames(sink: object): void {
  EXPECTED.add(sink);
}

/**
 * Checks that a run which begins at step 0 does not append to the frames of an earlier run in a file, because steps
 * and times would be duplicated. If the engine has a `CheckpointHook`, this is an error, because such a run is meant
 * to be resumed. Otherwise it is a warning, because the file may collect many runs on purpose. If the last frame has
 * no step, there is no check.
 *
 * @throws {RangeError} if the engine has a `CheckpointHook`
 */
export async function checkEarlierRun(engine: Workflow, sink: SystemWriter): Promise<void> {
  const { path, length = 0 } = sink as SystemWriter & { readonly path?: string };
  if (engine.stepCount > 0 || path === undefined || length === 0 || EXPECTED.has(sink)) return;
  const step = await stepAt(sink, length - 1);
  if (step === undefined) return;
  const held = `${path} holds ${
    length === 1 ? "1 system" : `${length} systems`
  } of an earlier run, up to step ${step}`;
  if (hasCheckpointHook(engine)) {
    throw new RangeError(
      `Cannot begin ${engine.name} at step 0: ${held}. Resume that run from its checkpoints, remove the file, or use ` +
        "another file for this run",
    );
  }
  const text =
    `${held}, and ${engine.name} begins at step 0: steps and times will be duplicated. ` +
    "Use a separate file for each run";
  warningsOf(engine)?.warn("trajectory", "open", new RangeError(text));
}

/** Returns the step of a system in a sink; `undefined` if the system has no step, or the sink cannot be read. */
async function stepAt(sink: SystemWriter, index: number): Promise<number | undefined> {
  const { table } = sink as { table?(slice: Slice): Promise<ReadonlyMap<string, Float64Array>> };
  if (table !== undefined) return (await table.call(sink, { from: index })).get("step")?.[0];
  const system = await systemAt(sink, index);
  return system?.has("step") ? system.get("step")[0] : undefined;
}
