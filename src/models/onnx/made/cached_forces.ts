/**
 * Forces of models that were added before, from a folder.
 *
 * @module
 */

import { FileCache, hashOf } from "../../../onnx/codec/file_cache.ts";
import type { ForcesModel, ForcesReport } from "../../../onnx/forces/forces_report.ts";
import { withForces, type WithForcesOptions } from "../../../onnx/forces/with_forces.ts";
import type { LoadedOnnx, OnnxModelOptions } from "../options.ts";

/**
 * Version of this package. A test compares it with the published version. Cached models of other versions are
 * ignored.
 */
export const VERSION = "0.1.0";

/** A model with forces, and lines about the cache for `describe()`. */
export interface CachedForces {
  /** The model. */
  readonly forces: ForcesModel;
  /** The lines. */
  readonly kept: readonly string[];
}

/** Returns the result of `withForces`. Reads it from the cache if it is there, and writes it there otherwise. */
export async function cachedForces(
  { bytes, file }: LoadedOnnx,
  wanted: WithForcesOptions,
  folder: OnnxModelOptions["cache"],
): Promise<CachedForces> {
  if (folder === undefined) return { forces: withForces(file, wanted), kept: [] };
  const nameless = namelessOption(wanted);
  if (nameless !== undefined) {
    const note = `  not cached in ${folder}: ${nameless} have no names that identify them`;
    return { forces: withForces(file, wanted), kept: [note] };
  }
  const cache = new FileCache(folder, ".onnx");
  const key = await hashOf(bytes, JSON.stringify({ ...wanted, name: "", version: VERSION }));
  const found = await cache.read(key);
  if (found === undefined) return await keepForces(cache, key, withForces(file, wanted), folder);
  const forces = {
    bytes: found.bytes as Uint8Array<ArrayBuffer>,
    report: found.note as ForcesReport,
  };
  return { forces, kept: [`  read from the cache ${folder}`] };
}

/**
 * Returns the name of an option whose functions cannot be part of a cache key; `undefined` if there is no such
 * option.
 */
function namelessOption({ rules, passes }: WithForcesOptions): string | undefined {
  if (rules !== undefined) return "rules";
  return passes?.some((pass) => typeof pass !== "string") ? "custom passes" : undefined;
}

/** Writes a model with forces to the cache. A failure is only noted. */
async function keepForces(
  cache: FileCache,
  key: string,
  forces: ForcesModel,
  folder: NonNullable<OnnxModelOptions["cache"]>,
): Promise<CachedForces> {
  try {
    await cache.write(key, { bytes: forces.bytes, note: forces.report });
    return { forces, kept: [`  written to the cache ${folder}`] };
  } catch (error) {
    return { forces, kept: [`  not written to the cache ${folder}: ${(error as Error).message}`] };
  }
}
