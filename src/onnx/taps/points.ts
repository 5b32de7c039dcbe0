import { decodeModel } from "../codec/codec.ts";
import { type ElementType, isFloat } from "../codec/element_type.ts";
import { Graph } from "../graph/graph.ts";
import { GraphFacts } from "../infer/facts.ts";
import { declaredShape } from "../infer/declared_shape.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { Shape } from "../codec/value_info.ts";
import { fits, type Glob, parseGlob } from "./glob.ts";
import { isAddedName } from "./added_names.ts";
import { notFound, refuseNoTensor, tensorNames } from "./tensor_names.ts";

/** Role of a tensor in its graph. */
export type PointKind = "input" | "parameter" | "constant" | "value" | "output";

/** A tensor that can be observed or patched. */
export interface TensorPoint {
  /** Name of the tensor in the graph. */
  readonly name: string;
  /**
   * Role of the tensor:
   * - `"input"`: an input that must be fed
   * - `"parameter"`: a weight of the file (floating-point, with at least one axis)
   * - `"constant"`: any other constant
   * - `"value"`: an intermediate result of a node
   * - `"output"`: a result of a node that is an output
   */
  readonly kind: PointKind;
  /** Name of the node that computes the tensor; `undefined` for inputs and weights. */
  readonly node: string | undefined;
  /** Operator of that node, preceded by its domain unless the domain is ai.onnx; `undefined` without a node. */
  readonly op: string | undefined;
  /** Element type; `undefined` if it is unknown. */
  readonly type: ElementType | undefined;
  /** Shape; `undefined` if it is unknown. */
  readonly shape: Shape | undefined;
  /** Patterns that matched the tensor; empty if all tensors were listed. */
  readonly globs: readonly string[];
}

/**
 * Lists the tensors of a model that can be observed or patched, in the order of computation: inputs, constants and
 * results of nodes.
 *
 * A pattern is a name, or contains `*` for any number of characters, `?` for one, `[abc]` or `[a-z]` for one of a
 * set, or `[!a-z]` for one outside it. Dots and slashes are ordinary characters, so `net.*` matches `net.0.weight`.
 * A text that is exactly the name of a tensor refers to that tensor, whatever characters it contains.
 *
 * Tensors in subgraphs (If, Loop, Scan), sequences, and values that taps and patches have added (`tap:…`,
 * `patch:…`) are not listed. The latter can still be addressed by their full names.
 *
 * @param source a graph, or the bytes of a model
 * @param globs names or patterns; by default all tensors are listed
 * @throws {RangeError} if a pattern matches nothing; the message has the closest names
 * @throws {TypeError} if a name is that of a sequence
 * @throws {UnsupportedNodeError} if a name is in a node's subgraph
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel, points } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const graph = new Graph(decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 })));
 * const [forces] = points(graph, "force*");
 * assertEquals([forces?.name, forces?.kind, forces?.type], ["forces", "output", "f32"]);
 * ```
 */
export function points(
  source: Graph | Uint8Array,
  globs?: string | readonly string[],
): TensorPoint[] {
  const graph = source instanceof Graph ? source : new Graph(decodeModel(source));
  return findPoints(graph, "list the points of a graph", globs);
}

/** Finds tensors as {@linkcode points} does. Error messages name `action`. */
export function findPoints(
  graph: Graph,
  action: string,
  globs?: string | readonly string[],
): TensorPoint[] {
  const names = tensorNames(graph);
  const listed = [...names].filter((name) => !isAddedName(name));
  const inputs = new Set(graph.inputs.map(({ name }) => name));
  const facts = new GraphFacts(graph);
  if (globs === undefined) return listed.map((name) => pointOf(graph, facts, name, inputs, []));
  const matched = new Map<string, string[]>();
  for (const glob of new Set(typeof globs === "string" ? [globs] : globs)) {
    for (const name of namesFor(graph, action, parseGlob(glob), [names, listed])) {
      const already = matched.get(name);
      if (already === undefined) matched.set(name, [glob]);
      else already.push(glob);
    }
  }
  return [...names].flatMap((name) => {
    const by = matched.get(name);
    return by === undefined ? [] : [pointOf(graph, facts, name, inputs, by)];
  });
}

/** Returns the tensor with exactly the name `glob.text`, or all tensors that the pattern matches. */
function namesFor(
  graph: Graph,
  action: string,
  glob: Glob,
  [names, listed]: readonly [ReadonlySet<string>, readonly string[]],
): readonly string[] {
  if (names.has(glob.text)) return [glob.text];
  refuseNoTensor(graph, action, glob.text);
  const found = listed.filter((name) => fits(glob, name));
  if (found.length === 0) throw notFound(action, glob, listed);
  return found;
}

function pointOf(
  graph: Graph,
  facts: GraphFacts,
  name: string,
  inputs: ReadonlySet<string>,
  globs: readonly string[],
): TensorPoint {
  const made = graph.producer(name), { type, shape } = facts.of(name);
  return {
    name,
    kind: kindOf(graph, name, inputs),
    node: made?.name,
    op: made === undefined ? undefined : showOperator(made),
    type,
    shape: shape && declaredShape(shape),
    globs,
  };
}

function kindOf(graph: Graph, name: string, inputs: ReadonlySet<string>): PointKind {
  const made = graph.producer(name);
  if (made !== undefined && graph.isOutput(name)) return "output";
  if (made !== undefined && made.opType !== "Constant") return "value";
  if (inputs.has(name)) return "input";
  const type = graph.type(name), rank = graph.shape(name)?.length ?? 0;
  const isWeight = made === undefined && type !== undefined && isFloat(type) && rank > 0;
  return isWeight ? "parameter" : "constant";
}

function showOperator({ domain, opType }: NodeProto): string {
  return domain === "" ? opType : `${domain}.${opType}`;
}

/**
 * Formats points as lines of text: role, name, type and shape, and operator.
 *
 * @example
 * ```ts
 * import { lennardJonesModel, points, showPoints } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * assertEquals(showPoints(points(model, "positions")), "input  positions  f32 [N, 3]");
 * ```
 */
export function showPoints(points: readonly TensorPoint[]): string {
  const rows = points.map(({ kind, name, type, shape, op }) => {
    const lengths = shape?.map((length) => length ?? "?").join(", ");
    return [kind, name, `${type ?? "?"}${lengths === undefined ? "" : ` [${lengths}]`}`, op ?? ""];
  });
  const widths = [0, 1, 2].map((i) =>
    rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 0), 0)
  );
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd())
    .join("\n");
}
