import { decodeModel } from "../codec/codec.ts";
import { type ElementType, isFloat } from "../codec/element_type.ts";
import { Graph } from "../graph/graph.ts";
import { Facts } from "../infer/facts.ts";
import { writtenShape } from "../infer/written_shape.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { Shape } from "../codec/value_info.ts";
import { fits, type Glob, parseGlob } from "./glob.ts";
import { isOwnName } from "./own_names.ts";
import { notFound, refuseNoTensor, tensorNames } from "./tensor_names.ts";

/** What a tensor is to its graph. */
export type PointKind = "input" | "parameter" | "constant" | "value" | "output";

/** A tensor that can be observed or patched. */
export interface Point {
  /** Its name in the graph. */
  readonly name: string;
  /**
   * What it is: fed; a weight of the file (floating-point, with at least one axis); any other constant; made by a node
   * and used in between; made by a node and an output.
   */
  readonly kind: PointKind;
  /** The name of the node that makes it; `undefined` for inputs and weights. */
  readonly node: string | undefined;
  /** That node's operator. */
  readonly op: string | undefined;
  /** The type of its elements, where it is known. */
  readonly type: ElementType | undefined;
  /** Its lengths, where they are known. */
  readonly shape: Shape | undefined;
  /** Which of the patterns it matched. */
  readonly globs: readonly string[];
}

/**
 * The tensors of a model that can be observed or patched: inputs, constants, and what nodes make, in the order in
 * which they are computed.
 *
 * A pattern is a name, or has `*` for any number of characters, `?` for one, `[abc]`, `[a-z]` or `[!a-z]` for one that
 * is among them or not. Dots and slashes are characters like any other, so `net.*` matches `net.0.weight`. What is a
 * tensor's name to the letter stands for that tensor, whatever characters are in it.
 *
 * Not listed: what is inside of the graphs of nodes (If, Loop, Scan), sequences, and what taps and patches added
 * themselves (`tap:…`, `patch:…`), which can still be had by the full name.
 *
 * @param source a graph, or the bytes of a model
 * @param globs names or patterns; left out, all are listed
 * @throws {RangeError} when a pattern matches nothing, with the names that come nearest
 * @throws {TypeError} for the name of a sequence
 * @throws {UnsupportedNodeError} for a name inside of a node's graph
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
export function points(source: Graph | Uint8Array, globs?: string | readonly string[]): Point[] {
  const graph = source instanceof Graph ? source : new Graph(decodeModel(source));
  return findPoints(graph, "list the points of a graph", globs);
}

/** As {@linkcode points}, on the way to something else that an error will name. */
export function findPoints(
  graph: Graph,
  action: string,
  globs?: string | readonly string[],
): Point[] {
  const names = tensorNames(graph);
  const listed = [...names].filter((name) => !isOwnName(name));
  const inputs = new Set(graph.inputs.map(({ name }) => name));
  const facts = new Facts(graph);
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

/** The one of this very name, or all that fit. */
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
  facts: Facts,
  name: string,
  inputs: ReadonlySet<string>,
  globs: readonly string[],
): Point {
  const made = graph.producer(name), { type, shape } = facts.of(name);
  return {
    name,
    kind: kindOf(graph, name, inputs),
    node: made?.name,
    op: made === undefined ? undefined : showOperator(made),
    type,
    shape: shape && writtenShape(shape),
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
 * Points as lines of text: what, name, type and shape, and what makes it.
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
export function showPoints(points: readonly Point[]): string {
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
