import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { Shape } from "../codec/value_info.ts";
import { refuseOtherShape } from "./delta_shape.ts";
import { type FedPatchOptions, findTarget, type Patch, patch, type PatchOptions } from "./patch.ts";
import { patchName } from "./added_names.ts";

/** Options of {@linkcode addTo} and {@linkcode scaleBy}. */
export interface DeltaOptions extends FedPatchOptions {
  /**
   * Shape of the new input, which must broadcast to the shape of the tensor.
   *
   * @default the tensor's shape for `addTo`, `[]` for `scaleBy`
   */
  readonly shape?: Shape;
}

function isNumber(type: ElementType): boolean {
  return ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].includes(type) ||
    ["f16", "bf16", "f32", "f64"].includes(type);
}

/**
 * Replaces a tensor by a new input, wherever the tensor is used and in the output of its name.
 *
 * The original tensor stays in the graph as `original`, and is computed if something needs it. Several patches of one
 * tensor apply one after the other. A tap ({@linkcode expose}, {@linkcode statistics}) of a node's result observes
 * the patched value, whether it is added before or after the patch. A tap of an input or a constant observes the
 * unpatched value; the patched one has the name `patched`. Differentiate a graph after patching it, because gradients
 * refer to the values that existed when they were added.
 *
 * @param name name of one tensor, as listed by {@linkcode points}; patterns are not accepted
 * @returns names of the added values
 * @throws {RangeError} if the tensor does not exist or is not used, or the name of the input exists already
 * @throws {TypeError} if it is a sequence, or its element type is unknown
 * @throws {UnsupportedNodeError} if it is in a node's subgraph, or used there
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, replaceBy } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("two");
 * const x = builder.input("x", "f32", ["N"]);
 * const tanh = builder.describe(builder.op("Tanh", [x], "f32"), ["N"]);
 * builder.output("y", builder.op("Exp", [tanh], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * const { input, gate, original } = replaceBy(graph, "tanh", { gate: true });
 * assertEquals([input, gate, original], ["patch:tanh", "patch:tanh.on", "patch:tanh.original"]);
 * ```
 */
export function replaceBy(graph: Graph, name: string, options: FedPatchOptions = {}): Patch {
  const target = findTarget(graph, "replace a tensor", name, () => true);
  const input = { name: options.input, shape: target.shape };
  const write = (_original: string, fed: string) => ({ op: "Identity", inputs: [fed] });
  return patch(graph, target, { verb: "replace", input, write }, options);
}

/**
 * Adds a new input to a tensor wherever the tensor is used. Otherwise it works as {@linkcode replaceBy} does.
 *
 * @param name name of one tensor; patterns are not accepted
 * @returns names of the added values
 * @throws {RangeError} as `replaceBy` does, and if the shape does not fit the tensor's
 * @throws {TypeError} if it is a sequence, or its elements are not numbers
 * @throws {UnsupportedNodeError} if it is in a node's subgraph, or used there
 *
 * @example Add one vector to every row
 * ```ts
 * import { addTo, decodeModel, Graph, lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const graph = new Graph(decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 })));
 * const { input } = addTo(graph, "forces", { shape: [3] });
 * assertEquals([input, graph.shape("patch:forces.add")], ["patch:forces.add", [3]]);
 * ```
 */
export function addTo(graph: Graph, name: string, options: DeltaOptions = {}): Patch {
  const target = findTarget(graph, "add to a tensor", name, isNumber);
  const shape = options.shape ?? target.shape;
  refuseOtherShape("add to a tensor", shape, target.shape);
  const input = { name: options.input, shape };
  const write = (original: string, fed: string) => ({ op: "Add", inputs: [original, fed] });
  return patch(graph, target, { verb: "add", input, write }, options);
}

/**
 * Multiplies a tensor by a new input wherever the tensor is used. Otherwise it works as {@linkcode replaceBy} does.
 *
 * @param name name of one tensor; patterns are not accepted
 * @returns names of the added values
 * @throws {RangeError} as `replaceBy` does, and if the shape does not fit the tensor's
 * @throws {TypeError} if it is a sequence, or its elements are not numbers
 * @throws {UnsupportedNodeError} if it is in a node's subgraph, or used there
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel, scaleBy } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const graph = new Graph(decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 })));
 * scaleBy(graph, "energy", { input: "lambda" });
 * assertEquals([graph.type("lambda"), graph.shape("lambda")], ["f32", []]);
 * ```
 */
export function scaleBy(graph: Graph, name: string, options: DeltaOptions = {}): Patch {
  const target = findTarget(graph, "scale a tensor", name, isNumber);
  const { shape = [] } = options;
  refuseOtherShape("scale a tensor", shape, target.shape);
  const input = { name: options.input, shape };
  const write = (original: string, fed: string) => ({ op: "Mul", inputs: [original, fed] });
  return patch(graph, target, { verb: "scale", input, write }, options);
}

/**
 * Replaces a tensor by zeros wherever it is used, or by `false` if its elements are boolean. Non-finite elements
 * become zero too. Otherwise it works as {@linkcode replaceBy} does.
 *
 * @param name name of one tensor; patterns are not accepted
 * @returns names of the added values
 * @throws {RangeError} if the tensor does not exist, or is not used
 * @throws {TypeError} if it is a sequence, or its elements are neither numbers nor booleans
 * @throws {UnsupportedNodeError} if it is in a node's subgraph, or used there
 *
 * @example Switch off each attention layer of a network in turn
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel, points, zero } from "@hooke/hooke/onnx";
 *
 * const model = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * for (const { name } of points(model, "forc*")) {
 *   const graph = new Graph(decodeModel(model));
 *   zero(graph, name);
 *   console.log(name, graph.encode().length);
 * }
 * ```
 */
export function zero(graph: Graph, name: string, options: PatchOptions = {}): Patch {
  const isKnown = (type: ElementType) => type === "bool" || isNumber(type);
  const target = findTarget(graph, "zero a tensor", name, isKnown);
  const { tensor, type } = target;
  const write = (original: string) => {
    const none = graph.constantOf(type, 0, [], patchName(tensor, "zero"));
    // With a switch, Where broadcasts a single zero. Without one the zeros need the tensor's shape.
    if (options.gate === true) return { op: "Identity", inputs: [none] };
    const shape = graph.make("Shape", [original], {}, graph.freshName(patchName(tensor, "shape")));
    return { op: "Expand", inputs: [none, shape] };
  };
  return patch(graph, target, { verb: "zero", write }, options);
}
