import { assertEquals } from "@std/assert";
import { decodeModel, Graph, GraphBuilder, mergeEquals } from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel } from "../ort.ts";

Deno.test("what is computed twice is computed once; other attributes and inputs are not the same", async () => {
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

Deno.test("numbers that JSON has no words for are not the same", () => {
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
