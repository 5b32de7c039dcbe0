import { assertEquals, assertThrows } from "@std/assert";
import {
  constantOfShapeToExpand,
  decodeModel,
  Graph,
  GraphBuilder,
  makeTensorProto,
  UnsupportedNodeError,
} from "../../../src/onnx/mod.ts";
import { branching } from "../odd_models.ts";
import { f32, i64, numbersOf, runModel } from "../ort.ts";

Deno.test("ConstantOfShape equals the Expand of all types, also if empty", async () => {
  const g = new GraphBuilder("filled");
  const [shape, x] = [g.input("shape", "i64", ["R"]), g.input("x", "f32", [])];
  g.output("zeros", g.add(g.op("ConstantOfShape", [shape], "f32"), x));
  const value = makeTensorProto("i64", [1], [-7]);
  g.output("sevens", g.op("ConstantOfShape", [shape], "i64", { value }));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(constantOfShapeToExpand(graph), 2);
  assertEquals(graph.nodes.map(({ opType }) => opType).sort(), ["Add", "Expand", "Expand"]);
  const bytes = graph.encode();
  for (const [lengths, count] of [[[2, 2], 4], [[3], 3], [[], 1], [[0, 5], 0]] as const) {
    const inputs = { shape: i64(lengths, lengths.length), x: f32([1.5]) };
    const [before, after] = [await runModel(g.build(), inputs), await runModel(bytes, inputs)];
    for (const name of ["zeros", "sevens"]) {
      assertEquals(after[name]!.dims, before[name]!.dims);
      assertEquals(numbersOf(after[name]), numbersOf(before[name]));
    }
    assertEquals(numbersOf(after.sevens), Array(count).fill(-7));
    assertEquals(numbersOf(after.zeros), Array(count).fill(1.5));
  }
});

Deno.test("a ConstantOfShape in a subgraph, or without input, is rejected", () => {
  const model = branching();
  model.graph!.node[0]!.attribute[1]!.g!.node[0]!.opType = "ConstantOfShape";
  assertThrows(() => constantOfShapeToExpand(new Graph(model)), UnsupportedNodeError, "got the If");
  const g = new GraphBuilder("nothing");
  g.output("y", g.op("ConstantOfShape", [], "f32"));
  assertThrows(
    () => constantOfShapeToExpand(new Graph(decodeModel(g.build()))),
    UnsupportedNodeError,
    "it must have at least 1 inputs and an output; got the ConstantOfShape",
  );
});
