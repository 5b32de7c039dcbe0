/**
 * Results of operators in PyTorch, and their gradients of first and second order, as graphs to differentiate.
 * gradients_torch.py writes and explains the file tests/data/gradients_torch.jsonl.
 *
 * @module
 */

import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import type { ElementType } from "../../../src/onnx/codec/element_type.ts";
import { countOf, type PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { Graph } from "../../../src/onnx/graph/graph.ts";
import { GraphBuilder } from "../../../src/onnx/graph/graph_builder.ts";
import { GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { type Shape, valueInfo } from "../../../src/onnx/codec/value_info.ts";

/** Description of the lengths of inputs: names or numbers. */
export type Lengths = "named" | "fixed";

/** Name → tensor. */
export type PlainTensors = Readonly<Record<string, PlainTensor>>;

/** One operator on some inputs. */
export interface TorchCase {
  /** The operator, and what is special. */
  readonly name: string;
  /** The operator. */
  readonly op: string;
  /** Feeds: inputs x0, x1 …, cotangents v0, v1 … and, for the second order, weights w0, w1 …. */
  readonly feeds: PlainTensors;
  /** Outputs of the operator: y0, y1 …. */
  readonly outputs: PlainTensors;
  /** By what it is differentiated: x0, x1 …. */
  readonly wrt: readonly string[];
  /** Of each of `wrt`: dL/dx, with L = Σ v·y. */
  readonly first: PlainTensors;
  /** Of each of `wrt` and each v: the derivative of S = Σ w·dL/dx. Missing where there is none. */
  readonly second: PlainTensors | undefined;
  /** Largest accepted difference, relative to the largest number. */
  readonly tolerance: number;
  /** A new graph with the node, and L as the output `loss`. */
  graph(lengths: Lengths): Graph;
  /** Adds S as the output `weighed`, given the name of dL/dx for each of `wrt`. */
  weigh(graph: Graph, gradients: Readonly<Record<string, string>>): void;
}

/** A tensor as the file has it: base64 of doubles, or 0 where all are 0. */
interface Encoded {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly data: string | 0;
}

interface GivenInput {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly data: readonly number[];
  readonly constant?: boolean;
  readonly shape?: Shape;
}

/** A line of the file. */
interface Line {
  readonly name: string;
  readonly op: string;
  readonly opset?: number;
  readonly attributes?: Attributes;
  readonly inputs: readonly (GivenInput | { readonly same: number } | null)[];
  readonly y: readonly Encoded[];
  readonly v: readonly (readonly number[] | null)[];
  readonly wrt: readonly number[];
  readonly first: readonly Encoded["data"][];
  readonly w?: readonly (readonly number[])[];
  readonly second?: readonly Encoded["data"][];
  readonly secondV?: readonly Encoded["data"][];
  readonly tolerance?: number;
}

const FILE = new URL("../../data/gradients_torch.jsonl", import.meta.url);

/** Floats of inputs are whole numbers of these. */
const UNIT = 1 / 64;

/** All cases, in the order of the file. */
export function torchCases(): TorchCase[] {
  const lines = Deno.readTextFileSync(FILE).trimEnd().split("\n");
  return lines.map((line) => caseOf(JSON.parse(line)));
}

function caseOf(line: Line): TorchCase {
  const { name, op, wrt, first, tolerance = 1e-10 } = line;
  const outputs = Object.fromEntries(line.y.map((y, k) => [`y${k}`, decoded(y)]));
  const feeds = feedsOf(line, outputs);
  const like = (of: PlainTensor, data: Encoded["data"]) => decoded({ ...of, data });
  const by = wrt.map((i) => `x${i}`);
  const byV = Object.keys(feeds).filter((each) => each.startsWith("v"));
  const firstOf = by.map((x, k) => [x, like(feeds[x]!, first[k]!)]);
  const { second, secondV } = line;
  const secondOf = second && secondV &&
    [...by, ...byV].map((x, k) => [x, like(feeds[x]!, [...second, ...secondV][k]!)]);
  return {
    name,
    op,
    feeds,
    outputs,
    wrt: by,
    first: Object.fromEntries(firstOf),
    second: secondOf && Object.fromEntries(secondOf),
    tolerance,
    graph: (lengths) => graphOf(line, lengths, feeds),
    weigh: (graph, gradients) => weigh(graph, by.map((x) => gradients[x]!), "w", "weighed", feeds),
  };
}

function decoded({ type, dims, data }: Encoded): PlainTensor {
  const zeros = () => new Float64Array(countOf(dims));
  return { type, dims, data: data === 0 ? zeros() : new Float64Array(bytesOf(data).buffer) };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(base64);
}

function feedsOf({ inputs, v, w, wrt }: Line, outputs: PlainTensors): PlainTensors {
  const feeds: Record<string, PlainTensor> = {};
  for (const [i, input] of inputs.entries()) {
    if (input !== null && "data" in input && input.constant !== true) feeds[`x${i}`] = given(input);
  }
  for (const [k, data] of v.entries()) {
    if (data !== null) feeds[`v${k}`] = given({ ...outputs[`y${k}`]!, data });
  }
  for (const [k, data] of (w ?? []).entries()) {
    feeds[`w${k}`] = given({ ...feeds[`x${wrt[k]}`]!, data });
  }
  return feeds;
}

function given({ type, dims, data }: GivenInput): PlainTensor {
  const unit = type.startsWith("f") ? UNIT : 1;
  return { type, dims, data: Float64Array.from(data, (each) => each * unit) };
}

function graphOf(line: Line, lengths: Lengths, feeds: PlainTensors): Graph {
  const { op, opset = 18, attributes = {}, inputs, y, v } = line;
  const graph = new GraphBuilder(line.name, { opset }).graph;
  const names: string[] = [];
  for (const [i, input] of inputs.entries()) {
    if (input === null) names.push("");
    else if ("same" in input) names.push(names[input.same]!);
    else names.push(give(graph, `x${i}`, input, lengths));
  }
  const made = y.map((_, k) => `y${k}`);
  graph.add(op, names, { attributes, outputs: made });
  weigh(graph, made.map((each, k) => v[k] === null ? "" : each), "v", "loss", feeds);
  return graph;
}

function give(graph: Graph, name: string, input: GivenInput, lengths: Lengths): string {
  const { type, dims, shape = dims, constant = false } = input;
  if (constant) return graph.constantOf(type, given(input).data, dims, name);
  graph.addInput(valueInfo(name, type, lengths === "fixed" ? dims : shape));
  return name;
}

/** Lets Σ weights·values come out. Weights are inputs of the shape that is known of their value; "" has none. */
function weigh(
  graph: Graph,
  values: readonly string[],
  weight: string,
  output: string,
  feeds: PlainTensors,
): void {
  const facts = new GraphFacts(graph);
  const terms = values.flatMap((value, k) => {
    if (value === "") return [];
    const name = `${weight}${k}`, { type, dims } = feeds[name]!;
    graph.addInput(valueInfo(name, type, lengthsOf(facts.of(value).shape, dims, name)));
    return [graph.make("ReduceSum", [graph.make("Mul", [value, name])], { keepdims: 0 })];
  });
  const sum = terms.reduce((a, b) => graph.make("Add", [a, b]));
  graph.rename(sum, output);
  graph.addOutput(valueInfo(output, feeds[`${weight}${values.findIndex(Boolean)}`]!.type, []));
}

/** Unknown lengths get unique names. */
function lengthsOf(shape: Shape | undefined, dims: readonly number[], name: string): Shape {
  const known = shape ?? dims.map(() => undefined);
  return known.map((length, axis) =>
    length === undefined || String(length).startsWith("?") ? `${name}_${axis}` : length
  );
}
