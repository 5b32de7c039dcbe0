import { decodeModel } from "../codec/codec.ts";
import { acosToAtan } from "../passes/acos_to_atan.ts";
import { captureSafe } from "../passes/capture_safe.ts";
import { constantOfShapeToExpand } from "../passes/constant_of_shape_to_expand.ts";
import { int64ToInt32 } from "../passes/int64_to_int32.ts";
import { mergeEquals } from "../passes/merge_equals.ts";
import { sigmoidFromParts } from "../passes/sigmoid_from_parts.ts";
import { Graph } from "../graph/graph.ts";

/** How a model is rewritten. */
export interface GpuFormOptions {
  /**
   * What errors call it.
   *
   * @default "the model"
   */
  readonly name?: string;
  /**
   * The outputs to keep: what only the others need goes.
   *
   * @default all
   */
  readonly outputs?: readonly string[];
  /**
   * Input of float32 → what its numbers are multiplied by first: other units.
   *
   * @default {}
   */
  readonly scales?: Readonly<Record<string, number>>;
}

/**
 * Rewrites a model so that onnxruntime's WebGPU build runs all of it on the GPU, and replays it rightly: indices
 * become int32, its inputs too; tensors of constants are made there; angles come by atan, as acos is off by 2e-4; and
 * nothing that a replay leaves out stands where it matters. The numbers are the same but for rounding.
 *
 * @throws {SyntaxError} for what is no model
 * @throws {UnsupportedNodeError} for what cannot be rewritten, naming node and operator
 * @throws {RangeError} for an output that it does not have
 *
 * @example
 * ```ts
 * import { gpuForm, lennardJonesModel } from "@hooke/hooke/onnx";
 *
 * const model = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const bytes = gpuForm(model, { outputs: ["energy", "forces"] });
 * console.log(bytes.length);
 * ```
 */
export function gpuForm(
  bytes: Uint8Array,
  { name = "the model", outputs, scales = {} }: GpuFormOptions = {},
): Uint8Array<ArrayBuffer> {
  const model = decodeModel(bytes, { name });
  const there = model.graph!.output.map((output) => output.name);
  for (const wanted of outputs ?? []) {
    if (there.includes(wanted)) continue;
    throw new RangeError(
      `Cannot rewrite ${name} for WebGPU as it must have the outputs that are wanted: ` +
        `${wanted} is not among ${there.join(", ")}`,
    );
  }
  if (outputs !== undefined) {
    model.graph!.output = model.graph!.output.filter((output) => outputs.includes(output.name));
  }
  const graph = new Graph(model);
  for (const [input, scale] of Object.entries(scales)) {
    const scaled = graph.add("Mul", [input, graph.constantOf("f32", scale, [], `${input}_scale`)]);
    graph.replaceUses(input, scaled.output[0]!, scaled);
  }
  sigmoidFromParts(graph);
  mergeEquals(graph);
  graph.prune();
  int64ToInt32(graph);
  constantOfShapeToExpand(graph);
  acosToAtan(graph);
  captureSafe(graph);
  return graph.encode();
}
