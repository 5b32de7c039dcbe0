/**
 * Models with added forces for the CPU. They are simplified by passes that do not suit WebGPU.
 *
 * @module
 */

import { decodeModel } from "../../../onnx/codec/codec.ts";
import type { ModelProto } from "../../../onnx/codec/messages.ts";
import {
  PROCESSOR_FORCE_PASSES,
  type WithForcesOptions,
} from "../../../onnx/forces/with_forces.ts";
import { Graph } from "../../../onnx/graph/graph.ts";
import type { Pass, PassReport } from "../../../onnx/passes/pass.ts";
import { PROCESSOR_PASSES, runPasses } from "../../../onnx/passes/passes.ts";
import type { LoadedOnnx, OnnxModelOptions } from "../options.ts";
import { cachedForces } from "./cached_forces.ts";

/** The passes that must run before differentiation, so that derivatives follow them. */
const EARLY: readonly (string | Pass)[] = ["selectRowsFirst", "multiplyBeforeGather"];
const NAMES: readonly (string | Pass)[] = PROCESSOR_PASSES.map(({ name }) => name);

/** A model with forces for the CPU. */
export interface ProcessorForces {
  /** Bytes of the .onnx file. */
  readonly bytes: Uint8Array;
  /** Reports of the passes only for the CPU that changed it. */
  readonly passes: readonly PassReport[];
}

/** Returns the options without the passes that are only for the CPU. */
export function portableOptions({ passes, ...wanted }: WithForcesOptions): WithForcesOptions {
  if (passes === undefined) return wanted;
  return { ...wanted, passes: passes.filter((pass) => !NAMES.includes(pass)) };
}

/**
 * Returns the model with forces for the CPU; `undefined` if it is the same as for other devices, because no passes
 * for the CPU are requested or they change nothing. Throws as `withForces` does.
 *
 * @param portable the model with forces for other devices
 */
export async function processorForces(
  loaded: LoadedOnnx,
  portable: Uint8Array,
  { passes = PROCESSOR_FORCE_PASSES, ...wanted }: WithForcesOptions,
  folder: OnnxModelOptions["cache"],
): Promise<ProcessorForces | undefined> {
  const { name } = loaded, early = changedEarly(loaded, passes);
  if (early !== undefined) {
    const { file, reports } = early;
    const { forces } = await cachedForces({ ...loaded, file }, { ...wanted, passes }, folder);
    const own = [...reports, ...forces.report.passes].filter(isOwnChange);
    return { bytes: forces.bytes, passes: own };
  }
  // Other passes may as well follow differentiation.
  const late = passes.filter((pass) => !EARLY.includes(pass) && NAMES.includes(pass));
  if (late.length === 0) return undefined;
  const graph = new Graph(decodeModel(portable, { name }));
  const reports = runPasses(graph, late).filter(isOwnChange);
  if (reports.length === 0) return undefined;
  runPasses(graph, passes.filter((pass) => pass === "mergeEquals" || pass === "prune"));
  return { bytes: graph.encode(), passes: reports };
}

function isOwnChange({ name, changed }: PassReport): boolean {
  return changed > 0 && NAMES.includes(name);
}

/**
 * Returns a model after the passes that must run before differentiation, with their reports; `undefined` if they do not
 * change the model.
 */
function changedEarly({ bytes, name }: LoadedOnnx, passes: readonly (string | Pass)[]): {
  readonly file: ModelProto;
  readonly reports: readonly PassReport[];
} | undefined {
  const before = passes.slice(0, passes.findLastIndex((pass) => EARLY.includes(pass)) + 1);
  if (before.length === 0) return undefined;
  const graph = new Graph(decodeModel(bytes, { name })), reports = runPasses(graph, before);
  if (!reports.some(isOwnChange)) return undefined;
  // Custom passes may change a graph again each time they run, so they start from the file.
  const isCustom = before.some((pass) => typeof pass !== "string");
  return isCustom
    ? { file: decodeModel(bytes, { name }), reports: [] }
    : { file: graph.model, reports };
}

/** Describes the passes that changed the model only for the CPU. */
export function showProcessorPasses(made: ProcessorForces | undefined): string[] {
  return (made?.passes ?? []).map(({ name, changed, about }) =>
    `  on the processor only: ${name} ${changed}: ${about}`
  );
}
