/**
 * States of engines, and their files. The module is loaded when it is first used, because most runs write no checkpoints.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { passedOverWarning } from "../../checkpoint/folder.ts";
import { encodeCheckpoint, loadLatest, readCheckpoint, writeWhole } from "../../checkpoint/mod.ts";
import type { EngineStreams } from "../streaming/engine_streams.ts";
import { assertSaved, type SavedDynamics, SCHEMA } from "./checkpoint.ts";
import type { DynamicsEngine } from "./dynamics_engine.ts";
import { changedOptions, optionsOf } from "./saved_options.ts";

/** The streams of an engine, if any. */
interface Streams {
  readonly current: EngineStreams | undefined;
  open(): Promise<EngineStreams>;
}

/** Returns the state of an engine that is not running. */
export async function save(
  { integrator, loop, current }: DynamicsEngine,
  streams: Streams,
): Promise<SavedDynamics> {
  return {
    ...savedIntegrator(integrator),
    loop: loop.save(),
    ...await current.save(),
    ...await streams.current?.save(),
  };
}

/**
 * Returns the state during a run. Its batch has the values that it would have if the run had ended after the last
 * step.
 */
export async function saveHeld(
  { integrator, loop, current, held }: DynamicsEngine,
  streams: Streams,
): Promise<SavedDynamics> {
  const { state, clock } = current, saved = savedIntegrator(integrator);
  const kept = { ...saved, ...await current.snapshot(), ...await streams.current?.save() };
  return held.lend(state.savedToHost(kept.resident), (batch) => {
    const copy = Batch.load(batch.save());
    clock.note(copy);
    return { loop: loop.save(), batch: copy.save(), ...kept };
  });
}

function savedIntegrator(
  integrator: DynamicsEngine["integrator"],
): Pick<SavedDynamics, "integrator" | "options"> {
  const options = optionsOf(integrator);
  return { integrator: integrator.name, ...options === undefined ? {} : { options } };
}

/** Restores a state, and returns its batch. Throws a TypeError if the state belongs to another integrator. */
export async function restore(
  { name, integrator, place, loop }: DynamicsEngine,
  streams: Streams,
  saved: SavedDynamics,
): Promise<Batch> {
  assertSaved(name, integrator.name, saved);
  const batch = Batch.load(saved.batch);
  const opened = saved.stream === undefined ? streams.current : await streams.open();
  try {
    const run = await place.enter(batch);
    place.load(run, saved);
    loop.load(saved.loop);
    opened?.load(saved.stream);
    if (saved.stream !== undefined) {
      run.clock.carry(saved.stream.clock, Array.from({ length: batch.size }, (_, s) => s));
    }
  } catch (error) {
    place.leave();
    throw error;
  }
  const changed = changedOptions(integrator, saved.options);
  if (changed !== undefined) loop.warnings.warn("checkpoint", "load", changed);
  return batch;
}

/**
 * Writes an encoded state to a file. First waits until hooks have flushed their files, because the state refers to
 * them.
 */
export async function write(
  { loop }: DynamicsEngine,
  path: string | URL,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await loop.hooks.flush();
  await writeWhole(path, bytes, "checkpoint");
}

/** Encodes a state as the bytes of a checkpoint file. */
export function encode(engine: DynamicsEngine, data: SavedDynamics): Uint8Array<ArrayBuffer> {
  return encodeCheckpoint({ kind: kindOf(engine), schema: SCHEMA, data });
}

/** Reads a state from a checkpoint file, and checks the kind and the version of the checkpoint. */
export async function read(engine: DynamicsEngine, path: string | URL): Promise<SavedDynamics> {
  const expected = { kind: kindOf(engine), schema: SCHEMA, oldest: SCHEMA };
  const { data } = await readCheckpoint(path, expected);
  return data as SavedDynamics;
}

/** Loads the newest readable checkpoint in a folder, and warns of damaged newer ones. */
export async function loadNewest(
  { loop }: DynamicsEngine,
  folder: string | URL,
  load: (path: string) => Promise<Batch>,
): Promise<Batch | undefined> {
  let used = "";
  return await loadLatest(folder, {
    load: async (path) => {
      const batch = await load(path);
      used = path;
      return batch;
    },
    passedOver: (_path, error) =>
      loop.warnings.warn("checkpoint", "load", passedOverWarning(error, used)),
  });
}

function kindOf({ integrator }: DynamicsEngine): string {
  return `dynamics/${integrator.name}`;
}
