import type { Graph } from "../graph/graph.ts";
import { Facts } from "../infer/facts.ts";
import { writtenShape } from "../infer/written_shape.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { valueInfo } from "../codec/value_info.ts";
import { between } from "../passes/path.ts";
import { checkGradient } from "./check/check_gradient.ts";
import { checkGradientOptions } from "./check/check_options.ts";
import { checkShares } from "./check/check_shares.ts";
import { GradientWriter } from "./gradient_writer.ts";
import type { GradientOptions } from "./gradient_options.ts";
import { gradientRules } from "./rules.ts";
import { ruleOf } from "./rule_of.ts";
import { Shares } from "./shares.ts";
import { GradientStep } from "./step.ts";
import { type Differentiation, noPathError } from "./differentiation.ts";

/** Result of {@linkcode gradient}. */
export interface Gradient {
  /** Value to differentiate by → output with the gradient, of the same type and shape. */
  readonly names: Readonly<Record<string, string>>;
  /** The number of nodes added. */
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
 * Where it throws, the graph is as it was.
 *
 * @throws {RangeError} for a name that there is not, for what is no float, for an `of` that is no number per system,
 * for what `of` does not depend on, an unknown `unused`, and where a rank or a type is not known
 * @throws {TypeError} for options that there are not, and for a rule that is no function, or answers with something
 * else than a list of shares, at most one per input
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
  checkGradientOptions(options);
  const { rules = gradientRules, cotangent, unused = "error" } = options;
  const of = typeof options.of === "string" ? [options.of] : options.of;
  const wrt = Array.isArray(options.wrt)
    ? Object.fromEntries(options.wrt.map((name: string) => [name, `grad_${name}`]))
    : options.wrt as Readonly<Record<string, string>>;
  const facts = new Facts(graph), write = new GradientWriter(graph, facts);
  checkGradient(write, { of, wrt, cotangent });
  // Reserves the names of the gradients, so that no intermediate value takes one.
  for (const output of Object.values(wrt)) graph.freshName(output);
  const forward = graph.sort(),
    kept: Kept = new Set([...forward, ...graph.model.graph!.initializer]);
  const action = `differentiate ${of.join(" + ")} by ${Object.keys(wrt).join(", ")}`;
  const setup: Differentiation = {
    write,
    of,
    wrt,
    rules,
    forward,
    action,
    opset: graph.opset,
  };
  const shares = new Shares(write);
  for (const name of of) shares.add(name, cotangent ?? (() => write.fill(1, name)));
  const sums = orUndone(setup, kept, () => {
    const ends = propagate(setup, shares);
    return sumsOf(setup, shares, ends, unused);
  });
  const own = new Set(forward);
  addOutputs(write, sums, wrt, own);
  graph.prune(kept);
  return { names: wrt, added: graph.nodes.filter((node) => !own.has(node)).length };
}

/** Propagates gradients from `of` through the nodes. Returns the nodes at which they end. */
function propagate(setup: Differentiation, shares: Shares): NodeProto[] {
  const { write, of, wrt } = setup, { graph, facts } = write;
  const { nodes, values: moving } = between(graph, facts, Object.keys(wrt), of);
  const ends: NodeProto[] = [];
  for (const node of nodes.toReversed()) {
    if (!node.output.some((name) => shares.has(name))) continue;
    const rule = ruleOf(node, setup);
    const gradients = node.output.map((name) => shares.sum(name));
    const wants = (input: number) => moving.has(node.input[input] ?? "");
    const answer = rule(new GradientStep(node, gradients, wants, write), write);
    checkShares(write.graph, node, answer);
    const wanted = answer.map((share, i) => wants(i) ? share : undefined);
    for (const [i, share] of wanted.entries()) shares.add(node.input[i]!, share);
    if (wanted.every((share) => share === undefined)) ends.push(node);
  }
  return ends;
}

/** Nodes and constants of the graph before. */
type Kept = ReadonlySet<NodeProto | TensorProto>;

/** Returns the result of a task. If it throws, removes all that it has written. */
function orUndone<T>(setup: Differentiation, kept: Kept, task: () => T): T {
  const { write: { graph, facts }, of, wrt } = setup;
  try {
    return task();
  } catch (error) {
    graph.prune(kept);
    if (error instanceof RangeError) {
      // A shape is often unknown because an operator has no rule, and that error helps more.
      const { nodes } = between(graph, facts, Object.keys(wrt), of);
      for (const node of nodes.toReversed()) ruleOf(node, setup);
    }
    throw error;
  }
}

/** Returns one gradient per value to differentiate by; zeros, or an error, if no gradient reaches it. */
function sumsOf(
  setup: Differentiation,
  shares: Shares,
  ends: readonly NodeProto[],
  unused: "error" | "zeros",
): ReadonlyMap<string, string> {
  const sums = new Map<string, string>();
  for (const name of Object.keys(setup.wrt)) {
    const sum = shares.sum(name);
    if (sum === undefined && unused === "error") throw noPathError(setup, name, ends);
    sums.set(name, sum ?? setup.write.zeros(name));
  }
  return sums;
}

/** Makes the gradients outputs under their names, by renaming values where nothing else uses them. */
function addOutputs(
  write: GradientWriter,
  sums: ReadonlyMap<string, string>,
  wrt: Differentiation["wrt"],
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
