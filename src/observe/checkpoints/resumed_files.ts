/**
 * Comparison of the files of a resumed run with its checkpoint, before any file is truncated.
 *
 * If a run is refused because of one file, the other files must stay unchanged, because the user may restore that
 * file or resume from another checkpoint.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { checkpointFolderOf, hooksOf } from "./known_hooks.ts";

/**
 * Function that compares the file of a hook with a state that the hook's `save` returned, by default the loaded
 * state, without changing the file. Throws a RangeError if the file lacks entries that the state counts, or belongs
 * to another run.
 */
export type CompareFile = (state?: unknown) => Promise<void>;

const COMPARISONS = new WeakMap<object, CompareFile>();

/** Registers the comparison of a hook's file. */
export function noteResumedFile(hook: object, compare: CompareFile): void {
  COMPARISONS.set(hook, compare);
}

/**
 * Compares the files of `hook` and of all other hooks of its engine with the loaded checkpoint.
 *
 * @throws {RangeError} if a file lacks entries that the checkpoint counts, or belongs to another run; if the engine
 * has a checkpoint folder, the message names the newest older checkpoint that fits all files
 */
export async function compareFiles(engine: Workflow | undefined, hook: object): Promise<void> {
  const hooks = engine === undefined ? [hook] : [hook, ...hooksOf(engine).values()];
  try {
    for (const one of new Set(hooks)) await COMPARISONS.get(one)?.();
  } catch (error) {
    if (engine !== undefined && error instanceof RangeError) {
      error.message += await adviceFor(engine).catch(() => ""); // the error itself is more important
    }
    throw error;
  }
}

/**
 * Returns advice on an older checkpoint that fits the files; an empty string if the engine has no checkpoint folder.
 */
async function adviceFor(engine: Workflow): Promise<string> {
  const folder = checkpointFolderOf(engine);
  if (folder === undefined) return "";
  const { checkpointsIn, readCheckpoint } = await import("../../checkpoint/mod.ts");
  const older = (await checkpointsIn(folder)).filter(({ step }) => step < engine.stepCount);
  for (const { path, step } of older) {
    const states = await readCheckpoint(path).then(({ data }) => statesIn(data), () => undefined);
    if (states === undefined || !await fits(engine, states)) continue;
    return `. The newest checkpoint that fits all files of this run is that of step ${step}: to resume from it, call ` +
      `loadCheckpoint(${JSON.stringify(path)}) of the engine`;
  }
  return `. No older checkpoint in ${folder} fits all files of this run`;
}

/**
 * Returns the states of hooks, by name, in a checkpoint of dynamics or training; `undefined` if the checkpoint has
 * none.
 */
function statesIn(data: unknown): Record<string, unknown> | undefined {
  const loop = isObject(data) ? data.loop : undefined;
  const hooks = isObject(loop) ? loop.hooks : undefined;
  return isObject(hooks) ? hooks : undefined;
}

async function fits(engine: Workflow, states: Readonly<Record<string, unknown>>): Promise<boolean> {
  for (const [name, hook] of hooksOf(engine)) {
    const saved = states[name], state = isObject(saved) ? saved.state : undefined;
    if (state === undefined) continue; // the file of this hook would not be truncated
    try {
      await COMPARISONS.get(hook)?.(state);
    } catch {
      return false;
    }
  }
  return true;
}
