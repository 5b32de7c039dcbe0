import { floatAttribute, intAttribute } from "../codec/attributes.ts";
import type { Graph } from "../graph/graph.ts";
import { Facts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { Guards } from "./guards.ts";
import { between } from "./path.ts";

/** Between which values to look. */
export interface AuditOptions {
  /** What is differentiated. */
  readonly of: string;
  /** By what. */
  readonly wrt: string | readonly string[];
}

/** A place where a gradient may become infinite or NaN. */
export interface RootWarning {
  /** The node's name; what it makes, where it has none. */
  readonly node: string;
  /** Its operator. */
  readonly op: string;
  /** The value that must not come to the dangerous place. */
  readonly value: string;
  /** What would happen: "the gradient of Sqrt at 0 is infinite". */
  readonly why: string;
  /** What to do about it. */
  readonly hint: string;
}

/** What may go wrong at an input of a node. */
interface Danger {
  readonly at: number;
  readonly why: string;
  /** Where not to come to: 0, or the ends of −1 to 1. */
  readonly place: "zero" | "ends";
}

const zero = (why: string, at = 0): Danger => ({ at, why, place: "zero" });
const ends = (why: string): Danger => ({ at: 0, why, place: "ends" });

const DANGERS: Readonly<Record<string, Danger>> = {
  Sqrt: zero("the gradient of Sqrt at 0 is infinite"),
  Div: zero("a division by 0 has no gradient", 1),
  Reciprocal: zero("1 / x and its gradient are infinite at 0"),
  Log: zero("Log and its gradient are infinite at 0"),
  ReduceLogSum: zero("the logarithm of a sum and its gradient are infinite where the sum is 0"),
  ReduceL2: zero("the gradient of a length is 0 / 0 where the length is 0"),
  LpNormalization: zero("a vector of length 0 has no direction, and no gradient"),
  Acos: ends("the gradient of Acos at −1 and 1 is infinite"),
  Asin: ends("the gradient of Asin at −1 and 1 is infinite"),
  Atanh: ends("Atanh and its gradient are infinite at −1 and 1"),
};

const HINTS = {
  zero: "add a small number before it, or Clip it from below, or make sure that it is never 0: " +
    "no two atoms at the same place, no padding of length 0",
  ends: "Clip it to a little less than −1 to 1, or multiply it by a number a little below 1",
};

/** Operators that take an epsilon themselves, and how much it is where the file does not say. */
const NORMS: Readonly<Record<string, number>> = {
  LayerNormalization: 1e-5,
  BatchNormalization: 1e-5,
  InstanceNormalization: 1e-5,
  GroupNormalization: 1e-5,
  RMSNormalization: 1e-5,
};

/**
 * Looks for roots, divisions, logarithms, norms and angles on the way from `wrt` to `of` whose gradient is infinite
 * or NaN somewhere, and that nothing guards: no positive constant added, no Clip, no Max, no Where with a constant
 * directly before. They are warnings: whether the model ever comes there is for its author to know.
 *
 * @returns one for each place, in the graph's order
 * @throws {RangeError} for a value that the graph does not have
 * @throws {SyntaxError} when the file says other types or shapes than follow from the operators
 *
 * @example
 * ```ts
 * import { auditRoots, decodeModel, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("lengths");
 * const vectors = builder.input("vectors", "f32", ["N", 3]);
 * const squares = builder.reduceSum(builder.mul(vectors, vectors), [1]);
 * builder.output("bare", builder.op("Sqrt", [squares], "f32"));
 * builder.output("guarded", builder.op("Sqrt", [builder.add(squares, 1e-12)], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * const [warning] = auditRoots(graph, { of: "bare", wrt: "vectors" });
 * assertEquals(warning?.why, "the gradient of Sqrt at 0 is infinite");
 * assertEquals(auditRoots(graph, { of: "guarded", wrt: "vectors" }), []);
 * ```
 */
export function auditRoots(graph: Graph, { of, wrt }: AuditOptions): RootWarning[] {
  const from = typeof wrt === "string" ? [wrt] : wrt;
  const missing = [of, ...from].find((name) => !graph.has(name));
  if (missing !== undefined) {
    throw new RangeError(
      `Cannot look for unguarded roots as what is named must be a value of the graph: ` +
        `current value is ${JSON.stringify(missing)}`,
    );
  }
  const { nodes, values } = between(graph, new Facts(graph), from, [of]);
  const guards = new Guards(graph);
  return nodes.flatMap((node) => {
    const danger = dangerOf(graph, node);
    const value = node.input[danger?.at ?? 0] ?? "";
    // What does not depend on the inputs does not come into their gradient.
    if (danger === undefined || !values.has(value) || isGuarded(guards, node, danger)) return [];
    const { name, opType: op, output } = node;
    const hint = HINTS[danger.place];
    return [{ node: name || output.join(), op, value, why: danger.why, hint }];
  });
}

function isGuarded(guards: Guards, node: NodeProto, { at, place }: Danger): boolean {
  const value = node.input[at] ?? "";
  return place === "zero" ? guards.isOffZero(value) : guards.isInside(value);
}

function dangerOf(graph: Graph, node: NodeProto): Danger | undefined {
  const { opType, domain } = node;
  if (domain !== "") return undefined;
  if (opType === "Pow") return dangerOfPower(graph, node);
  const epsilon = NORMS[opType];
  if (epsilon !== undefined && !(floatAttribute(node, "epsilon", epsilon) > 0)) {
    return zero(`the gradient of ${opType} without an epsilon is 0 / 0 where all values are equal`);
  }
  // The sum of magnitudes has a gradient everywhere but at its corners.
  if (opType === "LpNormalization" && intAttribute(node, "p", 2) === 1) {
    return zero("a vector of length 0 cannot be normalized");
  }
  return DANGERS[opType];
}

function dangerOfPower(graph: Graph, { input: [, exponent = ""] }: NodeProto): Danger | undefined {
  const values = new Guards(graph).numbersOf(exponent);
  if (values === undefined) {
    return zero("the gradient of a power at 0 is infinite where its exponent is below 1");
  }
  const least = Math.min(...values.filter((value) => value !== 0), Infinity);
  return least < 1
    ? zero(`the gradient of x to the power of ${least} at 0 is infinite`)
    : undefined;
}
