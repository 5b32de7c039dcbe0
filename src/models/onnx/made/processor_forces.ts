/**
 * Models with added forces for the CPU. They are simplified by passes that do not suit WebGPU.
 *
 * @module
 */

import { decodeModel } from "../../../onnx/codec/codec.ts";
import {
  PROCESSOR_FORCE_PASSES,
  type WithForcesOptions,
} from "../../../onnx/forces/with_forces.ts";
import { Graph } from "../../../onnx/graph/graph.ts";
import type { Pass } from "../../../onnx/passes/pass.ts";
import { PROCESSOR_PASSES, runPasses } from "../../../onnx/passes/passes.ts";
import type { LoadedOnnx, OnnxModelOptions } from "../options.ts";
import { type CachedForces, cachedForces } from "./cached_forces.ts";

const NAMES: readonly (string | Pass)[] = PROCESSOR_PASSES.map(({ name }) => name);

/** Returns the options without the passes that are only for the CPU. */
export function portableOptions({ passes, ...wanted }: WithForcesOptions): WithForcesOptions {
  if (passes === undefined) return wanted;
  return { ...wanted, passes: passes.filter((pass) => !NAMES.includes(pass)) };
}

/**
 * Returns the model with forces for the CPU; `undefined` if it is the same as for other devices, because no passes
 * for the CPU are requested or they change nothing. Throws as `withForces` does.
 */
export async function processorForces(
  { bytes, name, ...loaded }: LoadedOnnx,
  { passes = PROCESSOR_FORCE_PASSES, ...wanted }: WithForcesOptions,
  folder: OnnxModelOptions["cache"],
): Promise<CachedForces | undefined> {
  const last = passes.findLastIndex((pass) => NAMES.includes(pass));
  if (last === -1) return undefined;
  const trial = new Graph(decodeModel(bytes, { name }));
  const isChanged = runPasses(trial, passes.slice(0, last + 1))
    .some((report) => report.changed > 0 && NAMES.includes(report.name));
  if (!isChanged) return undefined;
  const file = decodeModel(bytes, { name });
  return await cachedForces({ ...loaded, name, bytes, file }, { ...wanted, passes }, folder);
}

/** Describes the passes that changed the model only for the CPU. */
export function showProcessorPasses(made: CachedForces | undefined): string[] {
  const { passes = [] } = made?.forces.report ?? {};
  return passes.filter(({ name, changed }) => changed > 0 && NAMES.includes(name))
    .map(({ name, changed, about }) => `  on the processor only: ${name} ${changed}: ${about}`);
}
