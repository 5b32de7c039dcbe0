import { isPassedOver } from "../../checkpoint/folder.ts";
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
  /** Newer checkpoints that are damaged, or no files: they were passed over. */
  readonly passedOver: readonly { readonly path: string; readonly error: Error }[];
}

/**
 * Goes on from the newest checkpoint in a run folder that is whole: counters, hooks' state and all. To the bit, with the
 * same model, options and hooks; `folder.attach(engine)` before, so that the folder's own hooks go on, too.
 *
 * @returns where it goes on; `undefined` where the folder has no checkpoint that is whole, and the run begins anew
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
  for (const { path } of await folder.checkpoints()) {
    try {
      const batch = await engine.loadCheckpoint(path);
      return { path, batch, step: engine.stepCount, passedOver };
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      passedOver.push({ path, error });
    }
  }
  return undefined;
}
