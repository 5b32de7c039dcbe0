import { floatAttribute, intAttribute } from "../codec/attributes.ts";
import type { Graph } from "../graph/graph.ts";
import { factsOf } from "../infer/shared_facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { Guards } from "./guards.ts";
import { between } from "./path.ts";

/** Options of {@linkcode auditRoots}. */
export interface AuditOptions {
  /** Name of the value that is differentiated. */
  readonly of: string;
  /** Names of the values with respect to which `of` is differentiated. */
  readonly wrt: string | readonly string[];
}

/** A node whose gradient may become infinite or NaN. */
export interface RootWarning {
  /** Name of the node, or of its output if it has no name. */
  readonly node: string;
  /** Operator of the node. */
  readonly op: string;
  /** Name of the value that must not come close to the dangerous point, such as 0. */
  readonly value: string;
  /** Consequence, such as "the gradient of Sqrt at 0 is infinite". */
  readonly why: string;
  /** Suggested change of the model. */
  readonly hint: string;
}

/** A dangerous point of an operator's input. */
interface Danger {
  readonly at: number;
  readonly why: string;
  /** Location of the point: 0, or the ends of the interval from −1 to 1. */
  readonly place: "zero" | "ends";
}

const zero = (why: string, at = 0): Danger => ({ at, why, place: "zero" });
const ends = (why: string): Danger => ({ at: 0, why, place: "ends" });

/**
 * Addition to explanations of points where a value is finite but its gradient is infinite: gradients of Hooke are 0
 * there.
 */
const TAKEN = "; 0 is taken for it";

const DANGERS: Readonly<Record<string, Danger>> = {
  Sqrt: zero(`the gradient of Sqrt at 0 is infinite${TAKEN}`),
  Div: zero("a division by 0 has no gradient", 1),
  Reciprocal: zero("1 / x and its gradient are infinite at 0"),
  Log: zero("Log and its gradient are infinite at 0"),
  ReduceLogSum: zero("the logarithm of a sum and its gradient are infinite where the sum is 0"),
  ReduceL2: zero(`the gradient of a length is 0 / 0 where the length is 0${TAKEN}`),
  LpNormalization: zero(`a vector of length 0 has no direction, and no gradient${TAKEN}`),
  Acos: ends(`the gradient of Acos at −1 and 1 is infinite${TAKEN}`),
  Asin: ends(`the gradient of Asin at −1 and 1 is infinite${TAKEN}`),
  Atanh: ends("Atanh and its gradient are infinite at −1 and 1"),
};

const HINTS = {
  zero: "add a small number before it, or Clip it from below, or make sure that it is never 0: " +
    "no two atoms at the same place, no padding of length 0",
  ends: "Clip it to a little less than −1 to 1, or multiply it by a number a little below 1",
};

/** Default value of epsilon of each normalization, by operator. */
const NORMS: Readonly<Record<string, number>> = {
  LayerNormalization: 1e-5,
  BatchNormalization: 1e-5,
  InstanceNormalization: 1e-5,
  GroupNormalization: 1e-5,
  RMSNormalization: 1e-5,
};

/**
 * Finds unguarded roots, divisions, logarithms, norms and angles between `wrt` and `of` whose gradient is infinite or
 * NaN at some point. An operator is guarded by a positive constant that is added, or by a Clip, a Max, or a Where
 * with a constant directly before it. The results are warnings: only the author of a model knows whether it reaches
 * these points.
 *
 * @returns one warning per node, in the order of the graph
 * @throws {RangeError} if `of` or a value in `wrt` does not exist in the graph
 * @throws {SyntaxError} if declared types or shapes contradict the operators
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
 * assertEquals(warning?.why, "the gradient of Sqrt at 0 is infinite; 0 is taken for it");
 * assertEquals(auditRoots(graph, { of: "guarded", wrt: "vectors" }), []);
 * ```
 */
export function auditRoots(graph: Graph, { of, wrt }: AuditOptions): RootWarning[] {
  const from = typeof wrt === "string" ? [wrt] : wrt;
  const missing = [of, ...from].find((name) => !graph.has(name));
  if (missing !== undefined) {
    throw new RangeError(
      `Cannot look for unguarded roots: values must exist in the graph; ` +
        `got ${JSON.stringify(missing)}`,
    );
  }
  const { nodes, values } = between(graph, factsOf(graph), from, [of]);
  const guards = new Guards(graph);
  return nodes.flatMap((node) => {
    const danger = dangerOf(graph, node);
    const value = node.input[danger?.at ?? 0] ?? "";
    // Values that do not depend on the inputs do not contribute to their gradient.
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
  // A sum of magnitudes (p = 1) has a gradient everywhere except at its corners.
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
    ? zero(
      `the gradient of x to the power of ${least} at 0 is infinite${least > 0 ? TAKEN : ""}`,
    )
    : undefined;
}
