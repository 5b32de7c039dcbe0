/** Gradients of graphs that are in no exporter's book: names, types and nodes that get in the way. */
import { assert, assertEquals } from "@std/assert";
import {
  type Attributes,
  dataOf,
  decodeModel,
  type ElementType,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
  openSession,
  tensorValues,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { checkRule } from "../../../src/testing/onnx.ts";

/** y = Σ sin(x)² */
function squaredSines(type: ElementType = "f64"): Graph {
  const { graph } = new GraphBuilder("sines");
  graph.addInput(valueInfo("x", type, ["N"]));
  const sines = graph.make("Sin", ["x"], {}, "sines");
  graph.make("ReduceSum", [graph.make("Mul", [sines, sines])], { keepdims: 0 }, "y");
  graph.addOutput(valueInfo("y", type, []));
  return graph;
}

const X = [0.25, -1.5, 2], SLOPES = X.map((x) => Math.sin(2 * x));

function slopesOf(graph: Graph, name: string, type: ElementType = "f64"): number[] {
  const feeds = { x: { type, dims: [3], data: Float64Array.from(X) } };
  return [...openEvaluator(graph.encode()).run(feeds, [name])[name]!.data];
}

function assertNear(values: readonly number[], expected: readonly number[], most: number): void {
  assertEquals(values.length, expected.length);
  for (const [i, x] of values.entries()) {
    assert(Math.abs(x - expected[i]!) <= most, `${x} must be ${expected[i]}`);
  }
}

Deno.test("a gradient can have any unused name", () => {
  for (const name of ["cos", "mul", "mul_1", "expand", "shape", "f64_1", "f64_2", "constant"]) {
    const graph = squaredSines();
    if (graph.has(name)) continue;
    gradient(graph, { of: "y", wrt: { x: name } });
    assertNear(slopesOf(graph, name), SLOPES, 1e-14);
  }
});

Deno.test("graphs of float16 have the same gradients within their precision", async () => {
  for (const op of ["Sin", "Tanh", "Sigmoid", "Gelu", "Max", "LayerNormalization"]) {
    const graphOf = (type: ElementType) => {
      const { graph } = new GraphBuilder("halves", { opset: 20 });
      graph.addInput(valueInfo("x", type, ["N"]));
      const same = ["Max", "LayerNormalization"].includes(op);
      const made = graph.make(op, same ? ["x", graph.constantOf(type, [0.5, 0.25, 2])] : ["x"]);
      graph.make("ReduceSum", [graph.make("Mul", [made, made])], { keepdims: 0 }, "y");
      graph.addOutput(valueInfo("y", type, []));
      gradient(graph, { of: "y", wrt: { x: "slope" } });
      return graph;
    };
    const expected = slopesOf(graphOf("f64"), "slope"), graph = graphOf("f16");
    assertNear(slopesOf(graph, "slope", "f16"), expected, 2e-2);
    // Types that do not fit are refused when a file is opened.
    await using session = await openSession(graph.encode());
    assertEquals(session.inputs.map(({ name }) => name), ["x"]);
  }
});

Deno.test("graphs of bfloat16 have the same gradients within their precision", () => {
  const graph = squaredSines("bf16");
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  assertNear(slopesOf(graph, "slope", "bf16"), SLOPES, 2e-2);
});

Deno.test("existing nodes and constants are kept", () => {
  const graph = squaredSines();
  graph.make("Cos", ["x"], {}, "later");
  const unused = graph.constantOf("f64", [1, 2]);
  graph.removeOutput("y");
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  assertEquals(["later", unused, "y"].map((name) => graph.has(name)), [true, true, true]);
  gradient(graph, { of: "y", wrt: { sines: "of_sines" } });
  assertNear(slopesOf(graph, "slope"), SLOPES, 1e-14);
});

Deno.test("unused nodes of the gradient are removed", () => {
  const graph = squaredSines();
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const again = new Graph(decodeModel(graph.encode()));
  assertEquals(again.prune(), 0);
  assertEquals(again.model.graph?.initializer, graph.model.graph?.initializer);
});

Deno.test("the third derivative of sin² is −4 sin 2x", () => {
  const graph = squaredSines();
  for (const [of, name] of [["y", "first"], ["first", "second"], ["second", "third"]] as const) {
    gradient(graph, { of, wrt: { x: name } });
  }
  assertNear(slopesOf(graph, "third"), X.map((x) => -4 * Math.sin(2 * x)), 1e-13);
});

Deno.test("gradients for an input and for values computed from it can be taken together", () => {
  const graph = squaredSines();
  graph.addOutput(valueInfo("sines", "f64", ["N"]));
  gradient(graph, { of: ["y", "sines"], wrt: { x: "by_x", sines: "by_sines", y: "by_y" } });
  assertNear(slopesOf(graph, "by_y"), [1], 0);
  assertNear(slopesOf(graph, "by_sines"), X.map((x) => 2 * Math.sin(x) + 1), 1e-14);
  assertNear(slopesOf(graph, "by_x"), X.map((x) => Math.sin(2 * x) + Math.cos(x)), 1e-14);
});

/** The slope of Σ of the squares of what an operator makes of these numbers, on the evaluator and on onnxruntime. */
async function slopesAt(
  op: string,
  attributes: Attributes,
  dims: readonly number[],
  numbers: readonly number[],
): Promise<readonly [number[], number[]]> {
  const { graph } = new GraphBuilder("at");
  graph.addInput(valueInfo("x", "f32", dims));
  const made = graph.make(op, ["x"], attributes);
  graph.make("ReduceSum", [graph.make("Mul", [made, made])], { keepdims: 0 }, "y");
  graph.addOutput(valueInfo("y", "f32", []));
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const feeds = { x: { data: Float32Array.from(numbers), dims } };
  await using session = await openSession(graph.encode());
  const theirs = dataOf(await session.run(feeds), "slope", "float32");
  return [[...openEvaluator(graph).run(feeds)["slope"]!.data], [...theirs]];
}

Deno.test("LpNormalization of a zero row has a zero gradient", async () => {
  for (const p of [1, 2]) {
    const attributes = { axis: 1, p };
    for (const slopes of await slopesAt("LpNormalization", attributes, [2, 2], [0, 0, 3, -4])) {
      assertEquals(slopes.slice(0, 2).map(Math.abs), [0, 0]);
      assert(slopes.every(Number.isFinite));
    }
  }
  const row = { dims: [1, 3], data: [0, 0, 0] };
  const { graph } = new GraphBuilder("twice");
  graph.addInput(valueInfo("x", "f64", row.dims));
  graph.make("ReduceSum", [graph.make("LpNormalization", ["x"])], { keepdims: 0 }, "y");
  gradient(graph, { of: "y", wrt: { x: "first" } });
  gradient(graph, {
    of: graph.make("ReduceSum", ["first"], { keepdims: 0 }),
    wrt: { x: "second" },
  });
  const feeds = { x: { type: "f64", dims: row.dims, data: Float64Array.from(row.data) } } as const;
  const { second } = openEvaluator(graph.encode()).run(feeds);
  assertEquals([...second!.data].map(Math.abs), [0, 0, 0]);
});

Deno.test("MeanVarianceNormalization of equal numbers has a zero gradient", () => {
  const { graph } = new GraphBuilder("same");
  graph.addInput(valueInfo("x", "f64", [1, 1, 2, 2]));
  const made = graph.make("MeanVarianceNormalization", ["x"]);
  graph.make("ReduceSum", [graph.make("Mul", [made, made])], { keepdims: 0 }, "y");
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const x = { type: "f64", dims: [1, 1, 2, 2], data: Float64Array.of(2, 2, 2, 2) } as const;
  const { slope } = openEvaluator(graph.encode()).run({ x });
  assertEquals([...slope!.data].map(Math.abs), [0, 0, 0, 0]);
});

Deno.test("MaxPool passes the gradient to the maximum beside infinite values", async () => {
  const attributes = { kernel_shape: [2], strides: [2] };
  const numbers = [-Infinity, 2, 3, 1, -Infinity, -1];
  for (const slopes of await slopesAt("MaxPool", attributes, [1, 1, 6], numbers)) {
    assertEquals(slopes, [0, 4, 6, 0, 0, -2]);
  }
});

Deno.test("equal inputs of a Max share the gradient among those that need it", () => {
  const { graph } = new GraphBuilder("three");
  for (const name of ["a", "b", "c"]) graph.addInput(valueInfo(name, "f64", [3]));
  graph.make("ReduceSum", [graph.make("Max", ["a", "b", "c"])], { keepdims: 0 }, "y");
  graph.addOutput(valueInfo("y", "f64", []));
  gradient(graph, { of: "y", wrt: { a: "a_of_all", b: "b_of_all", c: "c_of_all" } });
  gradient(graph, { of: "y", wrt: { a: "a_of_two", b: "b_of_two" } });
  gradient(graph, { of: "y", wrt: { a: "a_alone" } });
  // All three, a and c, c alone.
  const numbers = { a: [1, 2, 0], b: [1, 0, 0], c: [1, 2, 1] };
  const feeds = Object.fromEntries(
    Object.entries(numbers).map(([name, data]) =>
      [name, { type: "f64", dims: [3], data: Float64Array.from(data) }] as const
    ),
  );
  const values = openEvaluator(graph.encode()).run(feeds),
    of = (name: string) => [...values[name]!.data];
  assertNear(of("a_of_all"), [1 / 3, 1 / 2, 0], 1e-15);
  assertNear(of("c_of_all"), [1 / 3, 1 / 2, 1], 1e-15);
  assertNear(of("a_of_two"), [1 / 2, 1, 0], 1e-15);
  assertNear(of("a_alone"), [1, 1, 0], 1e-15);
});

Deno.test("onnxruntime runs the gradient of Softmax of an empty batch", async () => {
  const { graph } = new GraphBuilder("none");
  graph.addInput(valueInfo("x", "f32", ["N", 3]));
  graph.addInput(valueInfo("v", "f32", ["N", 3]));
  graph.make("Softmax", ["x"], { axis: -1 }, "y");
  gradient(graph, { of: "y", wrt: { x: "first" }, cotangent: "v" });
  gradient(graph, { of: "first", wrt: { x: "second", v: "by_v" }, cotangent: "v" });
  const none = { data: new Float32Array(0), dims: [0, 3] };
  await using session = await openSession(graph.encode());
  const outputs = await session.run({ x: none, v: none });
  for (const name of ["first", "second", "by_v"]) assertEquals(outputs[name]!.dims, [0, 3]);
  const axes = graph.nodes.filter(({ opType }) => opType === "ReduceSum").map(({ input }) =>
    Array.from(tensorValues(graph.constant(input[1]!)!), Number)
  );
  assert(axes.length > 0 && axes.flat().every((axis) => axis >= 0));
});

Deno.test("Pow with an exponent of another type has a gradient", () => {
  const base = { dims: [3], data: [0.5, 1.25, -0.75] };
  for (const isConstant of [true, false]) {
    const exponent = { dims: [3], type: "i64", data: [0, 1, 3], isConstant } as const;
    checkRule({ op: "Pow", inputs: [base, exponent] });
  }
  const graph = new GraphBuilder("powers").graph;
  graph.addInput(valueInfo("x", "f64", ["N"]));
  graph.addInput(valueInfo("p", "f32", ["N"]));
  graph.make("Pow", ["x", "p"], {}, "y");
  graph.addOutput(valueInfo("y", "f64", ["N"]));
  gradient(graph, { of: "y", wrt: { x: "by_x", p: "by_p" } });
  const { by_x, by_p } = openEvaluator(graph.encode()).run({
    x: { type: "f64", dims: [1], data: Float64Array.of(2) },
    p: { type: "f32", dims: [1], data: Float64Array.of(3) },
  });
  assertEquals([by_x!.type, by_p!.type], ["f64", "f32"]);
  assertNear([...by_x!.data, ...by_p!.data], [12, 8 * Math.LN2], 1e-6);
});
