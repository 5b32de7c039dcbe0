/**
 * Forces and virials that are added to a model.
 *
 * @module
 */

import { decodeModel } from "../../onnx/codec/codec.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import { UnsupportedNodeError } from "../../onnx/graph/unsupported_node_error.ts";
import { mergeEquals } from "../../onnx/passes/merge_equals.ts";
import { orderedScatters } from "../../onnx/passes/ordered_scatters.ts";
import { describeValue, type ValueDescription } from "../../onnx/codec/value_info.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import { OnnxModel } from "../../models/onnx/onnx_model.ts";
import type { OnnxModelOptions } from "../../models/onnx/options.ts";
import { withOptionsNamed } from "../run/missing_options.ts";
import { UsageError } from "../frame/usage_error.ts";

/** An open model with forces that differentiation has added. */
export interface DerivedModel {
  readonly model: OnnxModel;
  /** The file with the added outputs, and with all weights. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Outputs that were added. */
  readonly added: readonly AddedOutput[];
  /** Reason why no virials were added; undefined if they were, or if they were not requested. */
  readonly withoutVirial: string | undefined;
  /** Reason why the file gives correct results on one thread only; undefined if any number is fine. */
  readonly needsOneThread: string | undefined;
  /** Number of nodes of the written graph. */
  readonly nodes: number;
}

/** An output of a model. */
export type AddedOutput = Pick<ValueDescription, "name" | "shape">;

/**
 * Opens a model of energies with derived forces, and with derived virials if `wantsVirial` is true and they can be
 * derived.
 *
 * @param original bytes of the file
 * @throws {UsageError} if the model has forces already
 */
export async function derivedModel(
  source: string,
  original: Uint8Array,
  { options, wantsVirial }: {
    readonly options: OnnxModelOptions;
    readonly wantsVirial: boolean;
  },
): Promise<DerivedModel> {
  const before = outputsOf(decodeModel(original, { name: source }));
  const { model, withoutVirial } = await opened(source, options, wantsVirial);
  const { bytes, needsOneThread } = forThreads(model.export());
  const file = decodeModel(bytes);
  const names = new Set(before.map(({ name }) => name));
  const added = outputsOf(file).filter(({ name }) => !names.has(name));
  if (added.length > 0) {
    const nodes = file.graph!.node.length;
    return { model, bytes, added, withoutVirial, needsOneThread, nodes };
  }
  await model.dispose();
  throw new UsageError(
    `Cannot export ${source}: it has an output of forces already; its outputs are ${
      [...names].join(", ")
    }`,
  );
}

/** Opens a model with virials, or without them if they cannot be derived. */
async function opened(
  source: string,
  options: OnnxModelOptions,
  wantsVirial: boolean,
): Promise<{ readonly model: OnnxModel; readonly withoutVirial: string | undefined }> {
  const open = (more: OnnxModelOptions = {}) =>
    withOptionsNamed(source, { ...options }, () => OnnxModel.open(source, { ...options, ...more }));
  if (!wantsVirial) return { model: await open(), withoutVirial: undefined };
  try {
    return { model: await open({ stress: true }), withoutVirial: undefined };
  } catch (error) {
    // The model may be refused for another reason. Then opening without virials throws its error.
    const model = await open();
    return { model, withoutVirial: (error as Error).message.replace(/^Cannot .*?: /s, "") };
  }
}

/**
 * Returns a model without sums of which several threads of onnxruntime lose terms (see `orderedScatters`): other programs
 * use all processors by default.
 */
function forThreads(
  bytes: Uint8Array<ArrayBuffer>,
): Pick<DerivedModel, "bytes" | "needsOneThread"> {
  const graph = new Graph(decodeModel(bytes));
  try {
    mergeEquals(graph);
    const changed = orderedScatters(graph);
    return { bytes: changed === 0 ? bytes : graph.encode(), needsOneThread: undefined };
  } catch (error) {
    if (!(error instanceof UnsupportedNodeError)) throw error;
    return { bytes, needsOneThread: error.requirement };
  }
}

function outputsOf({ graph }: ModelProto): AddedOutput[] {
  return (graph?.output ?? []).map(describeValue).map(({ name, shape }) => ({ name, shape }));
}
