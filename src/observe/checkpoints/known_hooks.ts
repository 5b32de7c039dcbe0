/**
 * Lookup of checkpoint hooks without loading the code that writes checkpoints.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";

/** Map from a `CheckpointHook` to its folder. */
const FOLDERS = new WeakMap<object, string | URL>();

/** Registers a `CheckpointHook` when it is created. */
export function noteCheckpointHook(hook: object, folder: string | URL): void {
  FOLDERS.set(hook, folder);
}

/** Returns whether a `CheckpointHook` is among the hooks of an engine. */
export function hasCheckpointHook(engine: Workflow): boolean {
  return checkpointFolderOf(engine) !== undefined;
}

/**
 * Returns the folder of the first `CheckpointHook` among the hooks of an engine; `undefined` if there is no such
 * hook.
 */
export function checkpointFolderOf(engine: Workflow): string | URL | undefined {
  return [...hooksOf(engine).values()].map((hook) => FOLDERS.get(hook)).find((one) =>
    one !== undefined
  );
}

/** Returns a map from the names that identify hooks in checkpoints to the hooks of an engine. */
export function hooksOf(engine: Workflow): ReadonlyMap<string, object> {
  return (engine.hooks as { readonly own?: ReadonlyMap<string, object> }).own ?? new Map();
}
