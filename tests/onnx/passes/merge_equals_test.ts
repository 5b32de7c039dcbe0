import { assertEquals } from "@std/assert";
import {
  type Attributes,
  decodeModel,
  Graph,
  GraphBuilder,
  makeTensorProto,
  mergeEquals,
  openEvaluator,
  type TensorProto,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { modelOf, node } from "../odd_models.ts";
import { assertKeepsNumbers, passGraphs } from "./pass_graphs.ts";
import { f32, numbersOf, runModel } from "../ort.ts";
import { slowTest, test } from "../../suite.ts";

test("equal nodes are merged; nodes with other attributes or inputs are not", async () => {
  const g = new GraphBuilder("twice");
  const x = g.input("x", "f32", ["N", 2]);
  const axes = [0, 1].map((axis) => g.constant("i64", [axis]));
  const sum = (axis: 0 | 1) => g.op("ReduceSum", [x, axes[axis]!], "f32", { keepdims: 1 });
  // Equal, and what is made of the equal ones is equal too; summing over the other axis is not.
  const [a, b] = [g.op("Exp", [sum(1)], "f32"), g.op("Exp", [sum(1)], "f32")];
  g.output("y", g.add(a, b));
  g.output("z", sum(0));
  g.output("again", sum(0));
  const graph = new Graph(decodeModel(g.build()));
  const before = graph.nodes.length;
  const merged = mergeEquals(graph);
  assertEquals(graph.nodes.length, before - merged);
  assertEquals(graph.nodes.filter(({ opType }) => opType === "Exp").length, 1);
  const { y, z, again } = await runModel(graph.encode(), { x: f32([0, 0, 1, -1], 2, 2) });
  assertEquals(numbersOf(y!), [2, 2]);
  assertEquals(numbersOf(z!), [1, -1]);
  assertEquals(numbersOf(again!), [1, -1]);
});

test("attributes with NaN, infinities and −0 are distinguished", () => {
  const g = new GraphBuilder("bounds");
  const x = g.input("x", "f32", ["N"]);
  const alphas = [Infinity, -Infinity, NaN, NaN, 0, -0];
  const all = alphas.map((float) => g.op("Elu", [x], "f32", { alpha: { float } }));
  g.output("y", all.reduce((sum, one) => g.add(sum, one)));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(mergeEquals(graph), 1); // NaN twice
  const left = graph.nodes.filter(({ opType }) => opType === "Elu");
  assertEquals(left.map(({ attribute }) => attribute[0]!.f), [Infinity, -Infinity, NaN, 0, -0]);
});

test("constants of equal type, shape and bytes are merged, whichever field holds them", () => {
  const g = new GraphBuilder("constants");
  const x = g.input("x", "f32", ["N"]);
  const add = (tensor: TensorProto, name: string) => g.graph.addConstant({ ...tensor, name });
  const two = makeTensorProto("f32", [2], [0, 1]);
  add(two, "raw");
  add({ ...two, rawData: new Uint8Array(), floatData: [0, 1] }, "list");
  add(makeTensorProto("f32", [2], [-0, 1]), "negative");
  add(makeTensorProto("f32", [1, 2], [0, 1]), "row");
  add(makeTensorProto("i32", [2], [0, 0x3f800000]), "whole");
  const long = Array.from({ length: 9 }, (_, i) => i);
  add(makeTensorProto("f32", [9], long), "long");
  add(makeTensorProto("f32", [9], [...long.slice(0, -1), 7]), "other");
  const names = ["raw", "list", "negative", "row", "long", "other"];
  const sums = names.map((name) =>
    g.op("ReduceSum", [{ name, type: "f32" }], "f32", { keepdims: 0 })
  );
  const whole = g.op("Cast", [{ name: "whole", type: "i32" }], "f32", { to: 1 });
  g.output("y", g.add(sums.reduce((sum, each) => g.add(sum, each), x), g.reduceSum(whole, [0])));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(mergeEquals(graph), 1); // what is made of them is equal then
  graph.prune();
  const left = graph.model.graph!.initializer.map(({ name }) => name);
  assertEquals(left.includes("raw"), true);
  assertEquals(left.includes("list"), false);
  for (const name of ["negative", "row", "whole", "long", "other"]) {
    assertEquals(left.includes(name), true, name);
  }
});

test("constants that are outputs or inputs are kept", () => {
  const twos = ["a", "b", "c", "fed"].map((name) => makeTensorProto("f32", [], [2], name));
  const graph = new Graph(modelOf({
    initializer: twos,
    input: [valueInfo("x", "f32", []), valueInfo("fed", "f32", [])],
    output: [valueInfo("y", "f32", []), valueInfo("b", "f32", [])],
    node: [node("Sum", ["x", "a", "b", "c", "fed"], ["y"])],
  }));
  assertEquals(mergeEquals(graph), 0);
  assertEquals(graph.nodes[0]!.input, ["x", "a", "b", "a", "fed"]);
});

slowTest("real models give bitwise identical results", () => {
  for (const each of passGraphs()) assertKeepsNumbers(each, mergeEquals, 0);
});

test("a node that omits an optional output does not replace one that has it", () => {
  const graph = new Graph(modelOf({
    initializer: [makeTensorProto("i64", [1], [1], "k")],
    input: [valueInfo("x", "f32", [3])],
    output: [valueInfo("y", "i64", [1]), valueInfo("z", "f32", [1])],
    node: [
      node("TopK", ["x", "k"], ["", "place"]),
      node("TopK", ["x", "k"], ["most", "again"]),
      node("Add", ["place", "place"], ["y"]),
      node("Neg", ["most"], ["z"]),
    ],
  }));
  mergeEquals(graph);
  const { y, z } = openEvaluator(graph).run({ x: { data: Float32Array.of(1, 5, 3) } });
  assertEquals([[...y!.data], [...z!.data]], [[2], [-5]]);
});

test("parameters from Constant nodes are not merged", () => {
  const g = new GraphBuilder("parameters");
  const zero = () => g.op("Constant", [], "f32", { value_float: { float: 0 } });
  const [a, b, c] = [zero(), zero(), zero()];
  g.output("y", g.add(g.add(g.input("x", "f32", []), a), g.add(b, c)));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(mergeEquals(graph, { parameters: [b.name] }), 1);
  assertEquals(graph.nodes.map(({ output }) => output[0]).includes(b.name), true);
  assertEquals(graph.uses(b.name).length, 1);
});

test("nodes whose attributes differ are not merged", () => {
  const g = new GraphBuilder("attributes");
  const x = g.input("x", "f32", [2, 3, 4]);
  const nodes: readonly [string, Attributes][] = [
    ["Softmax", { axis: 1 }],
    ["Softmax", { axis: 2 }],
    ["Transpose", { perm: [0, 2, 1] }],
    ["Transpose", { perm: [0, 1, 2] }],
    ["LeakyRelu", { alpha: { float: 0 } }],
    ["LeakyRelu", { alpha: { float: -0 } }],
    ["Gelu", { approximate: "none" }],
    ["Gelu", { approximate: "tanh" }],
  ];
  for (const [i, [op, attributes]] of [...nodes, ...nodes].entries()) {
    g.output(`y${i}`, g.op("Exp", [g.op(op, [x], "f32", attributes)], "f32"));
  }
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(mergeEquals(graph), nodes.length);
});
