import type { Graph } from "../graph/graph.ts";
import { factsOf } from "../infer/shared_facts.ts";
import { declaredShape } from "../infer/declared_shape.ts";
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
export interface GradientGraph {
  /**
   * Names of the outputs with the gradients, by the names of the values with respect to which they are taken. Each
   * gradient has the type and shape of its value.
   */
  readonly names: Readonly<Record<string, string>>;
  /** Number of nodes that were added. */
  readonly added: number;
}

/**
 * Differentiates a graph: gradients become additional outputs of the same graph, and intermediate values of the
 * forward pass are reused. The result can be differentiated again.
 *
 * It visits the nodes between `of` and `wrt` in reverse order, and applies one rule per operator ({@linkcode
 * gradientRules}). Variable dimensions stay variable. At a kink (ReLU at 0, Max of equal numbers) the gradient is
 * that of PyTorch.
 *
 * If it throws, the graph does not change.
 *
 * @throws {RangeError} if a value does not exist or is not a float, if `of` is not one number per system or does
 * not depend on a value, if `unused` is invalid, or if a rank or type is unknown
 * @throws {TypeError} if an option is unknown, or a rule is not a function or returns an invalid list of shares
 * @throws {UnsupportedNodeError} if an operator between the values has no rule, or has subgraphs
 *
 * @example Differentiate a sine
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
export function gradient(graph: Graph, options: GradientOptions): GradientGraph {
  checkGradientOptions(options);
  const { rules = gradientRules, cotangent, unused = "error" } = options;
  const of = typeof options.of === "string" ? [options.of] : options.of;
  const wrt = Array.isArray(options.wrt)
    ? Object.fromEntries(options.wrt.map((name: string) => [name, `grad_${name}`]))
    : options.wrt as Readonly<Record<string, string>>;
  const facts = factsOf(graph), write = new GradientWriter(graph, facts);
  checkGradient(write, { of, wrt, cotangent });
  // Reserve the names of the gradients, so that no intermediate value takes one.
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
  const sums = undoOnError(setup, kept, () => {
    const ends = propagate(setup, shares);
    return sumsOf(setup, shares, ends, unused);
  });
  const own = new Set(forward);
  addOutputs(write, sums, wrt, own);
  graph.prune(kept);
  return { names: wrt, added: graph.nodes.filter((node) => !own.has(node)).length };
}

/** Adds gradients node by node, from `of` backward. Returns the nodes that pass no gradient on to their inputs. */
function propagate(setup: Differentiation, shares: Shares): NodeProto[] {
  const { write, of, wrt } = setup, { graph, facts } = write;
  const { nodes, values: moving } = between(graph, facts, Object.keys(wrt), of);
  const ends: NodeProto[] = [];
  // In reverse order all users of a value come before the node that computes it, so its gradient is complete
  // when the rule asks for the sum of its shares.
  for (const node of nodes.toReversed()) {
    if (!node.output.some((name) => shares.has(name))) continue;
    const rule = ruleOf(node, setup);
    const gradients = node.output.map((name) => shares.sum(name));
    const wants = (input: number) => moving.has(node.input[input] ?? "");
    const answer = rule(new GradientStep(node, gradients, wants, write), write);
    checkShares(write.graph, node, answer);
    // A share that is a function writes nodes only when it is called. Shares of inputs that do not depend on
    // `wrt` are dropped here and are never written.
    const wanted = answer.map((share, i) => wants(i) ? share : undefined);
    for (const [i, share] of wanted.entries()) shares.add(node.input[i]!, share);
    if (wanted.every((share) => share === undefined)) ends.push(node);
  }
  return ends;
}

/** Nodes and constants that the graph had before the differentiation. */
type Kept = ReadonlySet<NodeProto | TensorProto>;

/**
 * Runs a task. If the task throws, removes the nodes and constants that are not in `kept`, and throws the error
 * again.
 */
function undoOnError<T>(setup: Differentiation, kept: Kept, task: () => T): T {
  const { write: { graph, facts }, of, wrt } = setup;
  try {
    return task();
  } catch (error) {
    graph.prune(kept);
    if (error instanceof RangeError) {
      // A missing rule is often the reason why a shape is unknown. If so, report the missing rule instead.
      const { nodes } = between(graph, facts, Object.keys(wrt), of);
      for (const node of nodes.toReversed()) ruleOf(node, setup);
    }
    throw error;
  }
}

/**
 * Returns the gradient of each value in `wrt`, by name of the value. If no gradient reaches a value, throws an error
 * or returns zeros, as `unused` requires.
 */
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

/**
 * Makes the gradients outputs of the graph under their names. A value that the differentiation has written is
 * renamed. Any other value is copied by an Identity.
 */
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
    graph.addOutput(valueInfo(output, type, shape && declaredShape(shape)));
  }
}
