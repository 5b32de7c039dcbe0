import { assert, assertEquals } from "@std/assert";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
  shareActivations,
  type Value,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

type Activation = (g: GraphBuilder, x: Value<"f32">) => Value<"f32">;

/** Returns the gradient of Σ w · f(2 x), where w are weights, as the output `slope`. */
function slopeOf(activation: Activation): Graph {
  const g = new GraphBuilder("activation");
  const x = g.input("x", "f32", ["N"]), w = g.input("w", "f32", ["N"]);
  g.output("energy", g.reduceSum(g.mul(w, activation(g, g.mul(x, 2))), [0]));
  const graph = new Graph(decodeModel(g.build()));
  gradient(graph, { of: "energy", wrt: { x: "slope" } });
  return graph;
}

const silu: Activation = (g, x) => g.mul(x, g.op("Sigmoid", [x], "f32"));

/** max(x, 0) + scale · (exp(factor · min(x, 0)) − 1) */
function celu(scale: number, factor: number): Activation {
  return (g, x) => {
    const below = g.op("Min", [x, g.constant("f32", 0)], "f32");
    const exponential = g.op("Exp", [g.mul(below, factor)], "f32");
    const above = g.op("Max", [x, g.constant("f32", 0)], "f32");
    return g.add(above, g.mul(g.sub(exponential, 1), scale));
  };
}

const X = [-30, -2, -0.3, -1e-3, 0, 1e-3, 0.4, 2, 30], W = X.map((_, i) => Math.cos(i));

/** Checks the slopes of both graphs, in the evaluator and in onnxruntime, against the derivative f′(2 x). */
async function assertSlopes(graph: Graph, derivative: (x: number) => number): Promise<void> {
  const expected = X.map((x, i) => 2 * W[i]! * derivative(2 * x));
  const dims = [X.length];
  const feeds = { x: plainTensor("f32", dims, X), w: plainTensor("f32", dims, W) };
  const { slope } = openEvaluator(graph).run(feeds);
  assert(worst(slope!.data, expected) < 1e-6, `${slope!.data}`);
  const made = await runModel(graph.encode(), { x: f32(X, ...dims), w: f32(W, ...dims) });
  assert(worst(numbersOf(made["slope"]), expected) < 1e-6);
}

Deno.test("slopes of SiLU and CELU use the values of the functions", async () => {
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const graph = slopeOf(silu), before = graph.nodes.length;
  assertEquals(shareActivations(graph), 1);
  assertEquals(shareActivations(graph), 0);
  graph.prune();
  assertEquals(graph.nodes.length, before - 2);
  await assertSlopes(graph, (x) => sigmoid(x) * (1 + x * (1 - sigmoid(x))));

  const other = slopeOf(celu(0.1, 10));
  assertEquals(shareActivations(other), 1);
  other.prune();
  const ops = other.nodes.map(({ opType }) => opType);
  assert(!ops.includes("Where") && !ops.includes("GreaterOrEqual"), `${ops}`);
  // The slope at 0 is 1.
  await assertSlopes(other, (x) => Math.exp(10 * Math.min(x, 0)));
});

Deno.test("other functions keep their slopes", () => {
  assertEquals(shareActivations(slopeOf(celu(0.1, 9))), 0);
  assertEquals(shareActivations(slopeOf(celu(1, 1))), 1);
  // x · sigmoid(2 x) is no SiLU.
  const scaled: Activation = (g, x) => g.mul(x, g.op("Sigmoid", [g.mul(x, 2)], "f32"));
  assertEquals(shareActivations(slopeOf(scaled)), 0);
  const graph = slopeOf(celu(0.1, 10));
  const parameters = graph.nodes.flatMap(({ input }) => input)
    .filter((name) => graph.constant(name)?.dims.length === 0);
  assertEquals(shareActivations(graph, { parameters }), 0);
});
