import { NoOverloadError } from "../../dispatch/mod.ts";
import type { Graph } from "../graph.ts";
import { Facts } from "../infer/facts.ts";
import { writtenShape } from "../infer/written_shape.ts";
import type { NodeProto } from "../messages.ts";
import { subgraphsOf } from "../subgraphs.ts";
import { UnsupportedNodeError } from "../unsupported_node_error.ts";
import { valueInfo } from "../value_info.ts";
import { checkGradient } from "./check_gradient.ts";
import { GradientWriter } from "./gradient_writer.ts";
import { pathBetween, placeOf, stopsFrom } from "./path.ts";
import type { GradientRule } from "./rule.ts";
import { type GradientRules, gradientRules } from "./rules.ts";
import { Shares } from "./shares.ts";
import { GradientStep } from "./step.ts";

/** What to differentiate, and by what. */
export interface GradientOptions {
  /** The value that is differentiated, or several, of which the sum is: a single number, or one per system. */
  readonly of: string | readonly string[];
  /**
   * What it is differentiated by: inputs, parameters or values in between. A list, or names with the names that their
   * gradients come out under; without one it is `grad_` and the name.
   */
  readonly wrt: readonly string[] | Readonly<Record<string, string>>;
  /**
   * Differentiates Σ cotangent · of instead, so that `of` may have any shape: the name of a value of its shape, such as
   * an input added for it.
   *
   * @default ones
   */
  readonly cotangent?: string;
  /**
   * What comes out for what `of` does not depend on: an error, or zeros.
   *
   * @default "error"
   */
  readonly unused?: "error" | "zeros";
  /** @default gradientRules */
  readonly rules?: GradientRules;
}

/** What was added to a graph. */
export interface Gradient {
  /** What it is differentiated by → the output with the gradient, of the same type and shape. */
  readonly names: Readonly<Record<string, string>>;
  /** How many nodes were added. */
  readonly added: number;
}

/**
 * Differentiates a graph: its gradients become further outputs of the same graph, in which all that the forward part
 * computes is used again. What was written can be differentiated once more.
 *
 * Goes back through the nodes between `of` and `wrt`, one rule per operator ({@linkcode gradientRules}). Lengths that
 * are free stay free. Where a function has a kink (ReLU at 0, Max of equal numbers) the gradient is the one that
 * PyTorch takes; the rules say which.
 *
 * @throws {RangeError} for a name that there is not, for what is no float, for an `of` that is no number per system,
 * for what `of` does not depend on, and where a rank or a type is not known
 * @throws {UnsupportedNodeError} for an operator without a rule, and for control flow, on the way
 *
 * @example The slope of a sine
 * ```ts
 * import { decodeModel, gradient, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("sine");
 * const x = builder.input("x", "f32", ["N"]);
 * builder.output("y", builder.op("Sin", [x], "f32"), ["N"]);
 * const graph = new Graph(decodeModel(builder.build()));
 * gradient(graph, { of: "y", wrt: { x: "slope" } });
 * assertEquals(graph.producer("slope")?.opType, "Cos");
 * ```
 */
export function gradient(graph: Graph, options: GradientOptions): Gradient {
  const { rules = gradientRules, cotangent, unused = "error" } = options;
  const of = typeof options.of === "string" ? [options.of] : options.of;
  const wrt = Array.isArray(options.wrt)
    ? Object.fromEntries(options.wrt.map((name: string) => [name, `grad_${name}`]))
    : options.wrt as Readonly<Record<string, string>>;
  const facts = new Facts(graph), write = new GradientWriter(graph, facts);
  checkGradient(write, { of, wrt, cotangent });
  const forward = new Set(graph.nodes);
  const { nodes, moving } = pathBetween(graph, facts, of, Object.keys(wrt));
  const shares = new Shares(write), { opset } = graph;
  const action = `differentiate ${of.join(" + ")} by ${Object.keys(wrt).join(", ")}`;
  for (const name of of) shares.add(name, cotangent ?? write.fill(1, name));
  for (const node of nodes) {
    const gradients = node.output.map((name) => shares.sum(name));
    if (gradients.every((each) => each === undefined)) continue;
    const rule = ruleOf(node, { opset, graph, rules, action });
    const wants = (input: number) => moving.has(node.input[input] ?? "");
    const answer = rule(new GradientStep(node, gradients, wants, write), write);
    for (const [i, share] of answer.entries()) if (wants(i)) shares.add(node.input[i]!, share);
  }
  comeOut(write, sumsOf(write, shares, of, wrt, unused), wrt, forward);
  graph.prune();
  return { names: wrt, added: graph.nodes.filter((node) => !forward.has(node)).length };
}

/** Names a gradient is asked for by, and the names they come out under. */
type Wanted = Readonly<Record<string, string>>;

/** One gradient per value that is differentiated by; zeros, or an error, where there is none. */
function sumsOf(
  write: GradientWriter,
  shares: Shares,
  of: readonly string[],
  wrt: Wanted,
  unused: "error" | "zeros",
): ReadonlyMap<string, string> {
  const sums = new Map<string, string>();
  for (const name of Object.keys(wrt)) {
    const sum = shares.sum(name);
    if (sum === undefined && unused === "error") throw noWay(write, of, name);
    sums.set(name, sum ?? write.zeros(name));
  }
  return sums;
}

/** Lets gradients come out under their names: the nodes' own, where they are nobody else's. */
function comeOut(
  write: GradientWriter,
  sums: ReadonlyMap<string, string>,
  wrt: Wanted,
  forward: ReadonlySet<NodeProto>,
): void {
  const { graph, facts } = write, renamed = new Map<string, string>();
  for (const [name, sum] of sums) {
    const { type = "f32", shape } = facts.of(name);
    const output = wrt[name]!, now = renamed.get(sum) ?? sum;
    const producer = graph.producer(now);
    if (producer !== undefined && !forward.has(producer) && !graph.isOutput(now)) {
      graph.rename(now, output);
      renamed.set(sum, output);
    } else {
      graph.add("Identity", [now], { outputs: [output] });
    }
    graph.addOutput(valueInfo(output, type, shape && writtenShape(shape)));
  }
}

function ruleOf(node: NodeProto, { opset, graph, rules, action }: {
  readonly opset: number;
  readonly graph: Graph;
  readonly rules: GradientRules;
  readonly action: string;
}): GradientRule {
  const { opType, domain } = node;
  const op = domain === "" || domain === "ai.onnx" ? opType : `${domain}.${opType}`;
  const fail = (requirement: string, cause?: unknown) =>
    new UnsupportedNodeError({
      ...{ action, requirement, op, cause },
      node: node.name || node.output.join(),
      place: placeOf(graph, node),
    });
  if (subgraphsOf(node).length > 0) {
    throw fail("no control flow must be on the way: unroll it before the export");
  }
  try {
    return rules(op, opset);
  } catch (error) {
    if (!(error instanceof NoOverloadError)) throw error;
    const how = `gradientRules.on([${JSON.stringify(op)}, any], () => rule), as the option rules`;
    throw fail(`every operator on the way must have a rule (add one: ${how})`, error);
  }
}

function noWay(write: GradientWriter, of: readonly string[], name: string): RangeError {
  const stops = stopsFrom(write.graph, write.facts, name);
  const why = stops.length === 0
    ? `no operator leads from ${JSON.stringify(name)} to it`
    : `the ways from ${JSON.stringify(name)} end at ${stops.join(", ")}`;
  return new RangeError(
    `Cannot differentiate ${
      of.join(" + ")
    } by ${name} as it must change with it, over floats (or give ` +
      `unused: "zeros"): ${why}`,
  );
}
