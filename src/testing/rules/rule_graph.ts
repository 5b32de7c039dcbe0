import { decodeModel } from "../../onnx/codec/codec.ts";
import { codeOf, isFloat } from "../../onnx/codec/element_type.ts";
import { openEvaluator } from "../../onnx/evaluate/evaluator.ts";
import type { PlainTensor } from "../../onnx/evaluate/plain_tensor.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import { GraphBuilder } from "../../onnx/graph/graph_builder.ts";
import { GraphFacts } from "../../onnx/infer/facts.ts";
import { valueInfo } from "../../onnx/codec/value_info.ts";
import type { RuleCase, RuleInput } from "./rule_case.ts";

/** A graph with a scalar to differentiate, and its inputs. */
export interface RuleGraph {
  readonly graph: Graph;
  readonly feeds: Readonly<Record<string, PlainTensor>>;
  /** Names of the float inputs. */
  readonly floats: readonly string[];
  /** Name of the scalar Σ weights · outputs, whose weights are inputs, too. */
  readonly loss: string;
  /** Returns a copy of the current graph whose scalar is Σ weights · values, for values such as added gradients. */
  lossOf(values: readonly string[]): RuleGraph;
}

/** Returns a graph with the operator of a case, and a scalar computed from its outputs. */
export function ruleGraph(asked: RuleCase): RuleGraph {
  const { inputs, attributes = {}, outputs = 1, discrete = [], opset = 18 } = asked;
  const noise = numbers(1);
  const graph = new GraphBuilder("rule", { opset }).graph;
  const feeds: Record<string, PlainTensor> = {};
  const names = inputs.map((input, i) =>
    input === undefined ? "" : give(graph, feeds, input, i, noise)
  );
  const { domain, op } = split(asked.op);
  const node = graph.add(op, names, { attributes, outputs, domain });
  const ys = node.output.filter((_, i) => !discrete.includes(i));
  return withLoss({ graph, feeds, ys, noise, asked });
}

interface Unfinished {
  readonly graph: Graph;
  readonly feeds: Readonly<Record<string, PlainTensor>>;
  readonly ys: readonly string[];
  readonly noise: () => number;
  readonly asked: RuleCase;
}

/**
 * Adds the scalar Σ weights · ys to the graph, with random weights as further inputs. Returns the graph with this
 * scalar as its `loss`.
 */
function withLoss({ graph, feeds, ys, noise, asked }: Unfinished): RuleGraph {
  const all: Record<string, PlainTensor> = { ...feeds };
  const { operators = {} } = asked;
  const made = openEvaluator(graph.encode(), { operators }).run(feeds, ys);
  for (const y of ys) describe(graph, y, made[y]!, asked);
  const terms = ys.map((y) => {
    const { dims, type } = made[y]!, v = graph.freshName("weights");
    graph.addInput(valueInfo(v, type, dims.map((_, axis) => `${v}_${axis}`)));
    all[v] = { type, dims, data: Float64Array.from({ length: size(dims) }, noise) };
    const term = graph.make("ReduceSum", [graph.make("Mul", [y, v])], { keepdims: 0 });
    return type === "f64" ? term : graph.make("Cast", [term], { to: codeOf("f64") });
  });
  const loss = terms.reduce((sum, term) => graph.make("Add", [sum, term]));
  graph.addOutput(valueInfo(loss, "f64", []));
  const floats = Object.keys(all).filter((name) => isFloat(all[name]!.type));
  const lossOf = (values: readonly string[]): RuleGraph =>
    withLoss({
      graph: new Graph(decodeModel(graph.encode())),
      feeds: all,
      ys: values,
      noise,
      asked,
    });
  return { graph, feeds: all, floats, loss, lossOf };
}

/** Declares the types and shapes of a custom operator's outputs in the graph, as the file of a model would. */
function describe(
  graph: Graph,
  y: string,
  { type, dims }: PlainTensor,
  { inputs }: RuleCase,
): void {
  if (new GraphFacts(graph).of(y).shape !== undefined) return;
  const isFixed = inputs.every((input) =>
    input?.shape?.every((n) => typeof n === "number") ?? false
  );
  graph.describe(valueInfo(y, type, isFixed ? dims : named(dims)));
}

/** Returns a name for each variable length of a shape. Different lengths get different names. */
function named(dims: readonly number[]): string[] {
  return dims.map((length) => `L${length}`);
}

/**
 * Adds an input to the graph and its values to `feeds`, or adds a constant to the graph. Returns the name of the
 * input or constant.
 */
function give(
  graph: Graph,
  feeds: Record<string, PlainTensor>,
  { dims, type = "f64", data, isConstant = false, shape }: RuleInput,
  place: number,
  noise: () => number,
): string {
  const values = Float64Array.from(data ?? Array.from({ length: size(dims) }, noise));
  if (isConstant) return graph.constantOf(type, values, dims);
  const name = `x${place}`;
  graph.addInput(valueInfo(name, type, shape ?? named(dims)));
  feeds[name] = { type, dims, data: values };
  return name;
}

function split(name: string): { readonly domain: string; readonly op: string } {
  const dot = name.lastIndexOf(".");
  return { domain: name.slice(0, Math.max(dot, 0)), op: name.slice(dot + 1) };
}

function size(dims: readonly number[]): number {
  return dims.reduce((product, length) => product * length, 1);
}

/** Returns a generator of reproducible numbers between −1.5 and −0.4 or 0.4 and 1.5. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const x = 2 * (state / 2 ** 32) - 1;
    return x + Math.sign(x) * (0.4 + 0.1 * Math.abs(x));
  };
}
