/**
 * Models with added forces, cached in a folder.
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

/** A model with forces, and the lines about the cache in the text of `describe()`. */
export interface CachedForces {
  /** The model with forces. */
  readonly forces: ForcesModel;
  /** Lines about the cache. */
  readonly kept: readonly string[];
}

/** Reads the result of `withForces` from the cache, or computes it and writes it to the cache. */
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
 * Returns the name of an option with functions that a cache key cannot identify; `undefined` if there is no such
 * option.
 */
function namelessOption({ rules, passes }: WithForcesOptions): string | undefined {
  if (rules !== undefined) return "rules";
  return passes?.some((pass) => typeof pass !== "string") ? "custom passes" : undefined;
}

/** Writes a model with forces to the cache. If writing fails, the lines contain the reason. */
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
