import { decodeModel } from "../codec/codec.ts";
import { acosToAtan } from "../passes/acos_to_atan.ts";
import { captureSafe } from "../passes/capture_safe.ts";
import { constantOfShapeToExpand } from "../passes/constant_of_shape_to_expand.ts";
import { int64ToInt32 } from "../passes/int64_to_int32.ts";
import { mergeEquals } from "../passes/merge_equals.ts";
import { sigmoidFromParts } from "../passes/sigmoid_from_parts.ts";
import { Graph } from "../graph/graph.ts";
import { spreadPowers } from "./spread_powers.ts";

/** Options of {@linkcode gpuForm}. */
export interface GpuFormOptions {
  /**
   * Name of the model in error messages.
   *
   * @default "the model"
   */
  readonly name?: string;
  /**
   * Names of the outputs to keep. Nodes that only other outputs need are removed.
   *
   * @default all
   */
  readonly outputs?: readonly string[];
  /**
   * Factors for float32 inputs, by input name. The rewritten model multiplies each of these inputs by its factor
   * first, for example to convert units.
   *
   * @default {}
   */
  readonly scales?: Readonly<Record<string, number>>;
}

/**
 * Rewrites a model so that the WebGPU build of onnxruntime runs all of it on the GPU, and can capture and replay
 * it:
 * - int64 indices become int32, also if they are inputs
 * - tensors of constants are created on the GPU
 * - Acos is computed by Atan, because the GPU's acos is off by 2e-4
 * - operands of Pow get the shape of its result where the shader of Pow does not compile otherwise
 * - nodes that a replay would skip are replaced
 *
 * Results change only by rounding.
 *
 * @throws {SyntaxError} if the bytes are not a model
 * @throws {UnsupportedNodeError} if a node cannot be rewritten; the message names the node and its operator
 * @throws {RangeError} if `outputs` names an output that the model does not have
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
      `Cannot rewrite ${name} for WebGPU: unknown output ${wanted}; it must be one of ` +
        `${there.join(", ")}`,
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
  spreadPowers(graph);
  captureSafe(graph);
  return graph.encode();
}
