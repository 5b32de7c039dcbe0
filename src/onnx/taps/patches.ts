import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { Shape } from "../codec/value_info.ts";
import { refuseOtherShape } from "./delta_shape.ts";
import { type FedPatchOptions, findTarget, type Patch, patch, type PatchOptions } from "./patch.ts";
import { patchName } from "./own_names.ts";

/** How to add to a tensor, or to scale it. */
export interface DeltaOptions extends FedPatchOptions {
  /**
   * The shape of the new input, which must fit the tensor's by broadcasting.
   *
   * @default the tensor's own for what is added, `[]` for a factor
   */
  readonly shape?: Shape;
}

function isNumber(type: ElementType): boolean {
  return ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].includes(type) ||
    ["f16", "bf16", "f32", "f64"].includes(type);
}

/**
 * Lets a new input take a tensor's place: all that used the tensor uses what is fed, and an output by its name too.
 *
 * The tensor itself is still there, under the name `original`, and is computed if something needs it. Patches of
 * one tensor hold one after the other. What observes a tensor ({@linkcode expose}, {@linkcode statistics}) sees what
 * its name means, whether before or after the patch: what a node makes as it was patched, an input or a constant as it
 * is without, and patched as `patched`. Differentiate a graph after it was patched, not before: gradients are made of
 * the values that were there.
 *
 * @param name of one tensor, as {@linkcode points} lists them; no pattern
 * @returns the names of what was added
 * @throws {RangeError} when there is no such tensor, nothing uses it, or the name of the input is taken
 * @throws {TypeError} for a sequence, and when nobody knows the type of the tensor's elements
 * @throws {UnsupportedNodeError} for a tensor inside of a node's graph, or used there
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
 * Adds a new input to a tensor wherever it is used. As for the rest see {@linkcode replaceBy}.
 *
 * @param name of one tensor; no pattern
 * @returns the names of what was added
 * @throws {RangeError} as `replaceBy` does, and for a shape that does not fit the tensor's
 * @throws {TypeError} for a sequence, and when the tensor's elements are no numbers
 * @throws {UnsupportedNodeError} for a tensor inside of a node's graph, or used there
 *
 * @example One vector, added to every row
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
 * Multiplies a tensor by a new input wherever it is used. As for the rest see {@linkcode replaceBy}.
 *
 * @param name of one tensor; no pattern
 * @returns the names of what was added
 * @throws {RangeError} as `replaceBy` does, and for a shape that does not fit the tensor's
 * @throws {TypeError} for a sequence, and when the tensor's elements are no numbers
 * @throws {UnsupportedNodeError} for a tensor inside of a node's graph, or used there
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
 * Puts zeros in a tensor's place wherever it is used, `false` where its elements are boolean; also where it is not
 * finite. As for the rest see {@linkcode replaceBy}.
 *
 * @param name of one tensor; no pattern
 * @returns the names of what was added
 * @throws {RangeError} when there is no such tensor, or nothing uses it
 * @throws {TypeError} for a sequence, and when the tensor's elements are neither numbers nor boolean
 * @throws {UnsupportedNodeError} for a tensor inside of a node's graph, or used there
 *
 * @example Every attention of a network, one after the other
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
    // A choice broadcasts by itself; alone the zeros need the tensor's shape.
    if (options.gate === true) return { op: "Identity", inputs: [none] };
    const shape = graph.make("Shape", [original], {}, graph.freshName(patchName(tensor, "shape")));
    return { op: "Expand", inputs: [none, shape] };
  };
  return patch(graph, target, { verb: "zero", write }, options);
}
