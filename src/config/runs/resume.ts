import { loadLatest, passedOverWarning } from "../../checkpoint/folder.ts";
import { warningsOf } from "../../hooks/loop/progress.ts";
import { pathsIn } from "./run_files.ts";
import type { RunFolder } from "./run_folder_protocol.ts";

/** An engine that can go on from a checkpoint: any of dynamics, which gives its batch, and a trainer. */
export interface ResumableEngine<T> {
  /** What it is called. */
  readonly name: string;
  /** Steps done. */
  readonly stepCount: number;
  /** Goes on from a file. */
  loadCheckpoint(path: string): Promise<T>;
}

/** Where a run goes on. */
export interface Resumed<T> {
  /** The checkpoint. */
  readonly path: string;
  /** Steps done. */
  readonly step: number;
  /** What is to be run, in dynamics. */
  readonly batch: T;
  /** Newer checkpoints that could not be read. The engine warned of them. */
  readonly passedOver: readonly { readonly path: string; readonly error: Error }[];
}

/**
 * Resumes a run from the newest whole checkpoint in its folder: counters, state of hooks and all. The results are bitwise
 * identical with the same model, options and hooks. Call `folder.attach(engine)` before, so that the folder's own hooks
 * resume, too. If newer checkpoints are damaged, the engine warns of each, and its outcome lists the warnings.
 *
 * @returns where it goes on; `undefined` if the folder has no checkpoint, and the run begins
 * @throws {Error} if there are checkpoints and none can be read
 * @throws {TypeError} for a checkpoint of another engine
 * @throws {RangeError} for one of a newer version, or of another precision
 * @throws {Error} when the file system refuses
 *
 * @example
 * ```ts
 * import { openRunFolder, resume } from "@hooke/hooke/config";
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
