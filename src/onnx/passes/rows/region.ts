import { clone } from "@bufbuild/protobuf";
import { AttributeProtoSchema } from "onnx-buf";
import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { originsOf, VIEWS } from "./axis_origins.ts";

/** Nodes that compute a value independently along one of its axes. */
export interface Region {
  /** The nodes, in reverse order of computation. Nodes outside of the region use only results of views. */
  readonly nodes: ReadonlySet<NodeProto>;
  /** Axis in each value that has the axis, by name of the value. Includes the values at the border of the region. */
  readonly axes: ReadonlyMap<string, number>;
}

/**
 * Returns the region before a value that only the node `user` uses. The region ends at nodes that mix elements along
 * the axis, and at values that other nodes use. Views are an exception: they are copied for the region.
 */
export function regionBehind(
  { graph, facts }: { readonly graph: Graph; readonly facts: GraphFacts },
  value: string,
  axis: number,
  user: NodeProto,
): Region {
  const axes = new Map([[value, axis]]), nodes = new Set<NodeProto>();
  const owned = new Set([user]), shared = new Set<string>();
  const sorted = graph.sort(), last = graph.producer(value);
  for (let i = last === undefined ? -1 : sorted.lastIndexOf(last); i >= 0; i--) {
    const node = sorted[i]!, [made = ""] = node.output, at = axes.get(made);
    if (at === undefined) continue;
    const isOwn = !graph.isOutput(made) &&
      graph.uses(made).every(({ node: by, index }) => index >= 0 && owned.has(by));
    // A view that others use, too, is copied: that costs nothing.
    const origins = isOwn || VIEWS.includes(node.opType) ? originsOf(node, at, facts) : undefined;
    if (origins === undefined || !addInputs(node, origins, axes, shared)) continue;
    nodes.add(node);
    if (isOwn) owned.add(node);
  }
  return { nodes, axes };
}

/**
 * Adds the inputs of a node that have the axis to `axes`, and all others to `shared`. Returns false, and adds
 * nothing, if an input would have two such axes, or would be in both collections.
 */
function addInputs(
  { input }: NodeProto,
  origins: readonly (number | undefined)[],
  axes: Map<string, number>,
  shared: Set<string>,
): boolean {
  const own = new Map<string, number>(), others = new Set<string>();
  for (const [i, name] of input.entries()) {
    const origin = origins[i];
    if (origin === undefined) others.add(name);
    else if ((own.get(name) ?? axes.get(name) ?? origin) !== origin) return false;
    else own.set(name, origin);
  }
  if ([...own.keys()].some((name) => others.has(name) || shared.has(name))) return false;
  if ([...others].some((name) => axes.has(name))) return false;
  for (const [name, origin] of own) axes.set(name, origin);
  for (const name of others) shared.add(name);
  return true;
}

/** Functions that copy the values of a region. */
export interface RegionCopy {
  /**
   * Returns the name of the copy of a value that the region reads but does not compute. `axis` is the position of the
   * region's axis in that value.
   */
  border(name: string, axis: number): string;
  /**
   * Returns the name of the copy of a node's result. `inputs` are the inputs of the node, of which those with the
   * axis are copies.
   */
  node(node: NodeProto, inputs: readonly string[]): string;
}

/** Copies the nodes of a region, and returns the name of the copy of `value`. */
export function copyRegion(
  { nodes, axes }: Region,
  value: string,
  copy: RegionCopy,
): string {
  const copies = new Map<string, string>();
  const copyOf = (name: string) => {
    const axis = axes.get(name);
    if (axis === undefined) return name;
    const known = copies.get(name) ?? copy.border(name, axis);
    copies.set(name, known);
    return known;
  };
  for (const node of [...nodes].reverse()) {
    copies.set(node.output[0]!, copy.node(node, node.input.map(copyOf)));
  }
  return copyOf(value);
}

/** Adds a node with the operator and the attributes of another node, and returns the name of its result. */
export function addLike(graph: Graph, node: NodeProto, inputs: readonly string[]): string {
  const added = graph.add(node.opType, inputs);
  // Passes change attributes in place, so they are not shared.
  added.attribute = node.attribute.map((each) => clone(AttributeProtoSchema, each));
  return added.output[0]!;
}

/**
 * Adds nodes that remove and insert axes of length 1 to change a value from the shape `from` to the shape `to`.
 * Returns the name of the result.
 */
export function viewed(graph: Graph, name: string, from: KnownShape, to: KnownShape): string {
  const [gone, added] = [from, to].map((shape) =>
    shape.flatMap((length, axis) => length === 1 ? [axis] : [])
  );
  if (gone!.join() === added!.join() && from.length === to.length) return name;
  const flat = gone!.length === 0
    ? name
    : graph.make("Squeeze", [name, graph.constantOf("i64", gone!)]);
  return added!.length === 0
    ? flat
    : graph.make("Unsqueeze", [flat, graph.constantOf("i64", added!)]);
}
