import { loadLatest, passedOverWarning } from "../../checkpoint/folder.ts";
import { warningsOf } from "../../hooks/loop/progress.ts";
import { pathsIn } from "./run_files.ts";
import type { RunFolder } from "./run_folder_protocol.ts";

/**
 * An engine that can resume from a checkpoint: a trainer, or any engine of dynamics. `T` is the result of
 * `loadCheckpoint`, which for dynamics is the batch.
 */
export interface ResumableEngine<T> {
  /** Name of the engine. */
  readonly name: string;
  /** Number of steps done. */
  readonly stepCount: number;
  /** Restores the engine from a checkpoint file. */
  loadCheckpoint(path: string): Promise<T>;
}

/** Result of {@linkcode resume}. */
export interface Resumed<T> {
  /** Path of the checkpoint. */
  readonly path: string;
  /** Number of steps done at the checkpoint. */
  readonly step: number;
  /** Result of `loadCheckpoint`: for dynamics, the batch to run. */
  readonly batch: T;
  /** Newer checkpoints that could not be read. The engine has warned of each. */
  readonly passedOver: readonly { readonly path: string; readonly error: Error }[];
}

/**
 * Restores an engine from the newest undamaged checkpoint in a run folder, with its counters and the state of its
 * hooks. The results of the resumed run are bitwise identical to those of an uninterrupted run if the model, options
 * and hooks are the same. Call `folder.attach(engine)` first, so that the hooks of the folder resume, too. If newer
 * checkpoints are damaged, the engine warns of each, and its outcome lists the warnings.
 *
 * @returns the restored checkpoint; `undefined` if the folder has no checkpoint, so the run is new
 * @throws {Error} if the folder has checkpoints, but all are damaged
 * @throws {TypeError} if the checkpoint belongs to another kind of engine
 * @throws {RangeError} if the checkpoint has a newer version or another precision
 * @throws {Error} if a checkpoint cannot be read
 *
 * @example
 * ```ts
 * import { openRunFolder, resume } from "@hooke/hooke/runs";
 * import { FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * await using folder = await openRunFolder(`${await Deno.makeTempDir()}/run`);
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using opt = new FIRE({ model, dt: 0.5 });
 * folder.attach(opt);
 * assertEquals(await resume(folder, opt), undefined); // it is new
 * ```
 */
export async function resume<T>(
  folder: RunFolder,
  engine: ResumableEngine<T>,
): Promise<Resumed<T> | undefined> {
  const passedOver: { path: string; error: Error }[] = [];
  const found = await loadLatest(pathsIn(folder.path).checkpoints, {
    load: async (path) => {
      const batch = await engine.loadCheckpoint(path);
      return { path, batch, step: engine.stepCount };
    },
    passedOver: (path, error) => void passedOver.push({ path, error }),
  });
  if (found === undefined) return undefined;
  for (const { error } of passedOver) {
    warningsOf(engine)?.warn("checkpoint", "load", passedOverWarning(error, found.path));
  }
  return { ...found, passedOver };
}
