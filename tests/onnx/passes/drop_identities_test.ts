import { assertEquals } from "@std/assert";
import {
  decodeModel,
  dropIdentities,
  Graph,
  GraphBuilder,
  openEvaluator,
  type Value,
} from "../../../src/onnx/mod.ts";
import { assertKeepsNumbers, passGraphs } from "./pass_graphs.ts";
import { slowTest, test } from "../../suite.ts";

type F32 = Value<"f32">;

/** Functions of x [N, M, 1, 3], and the nodes that remain after the pass. */
const CASES: readonly [name: string, make: (g: GraphBuilder, x: F32) => F32, left: string][] = [
  ["Identity", (g, x) => g.op("Identity", [x], "f32"), ""],
  ["x + 0", (g, x) => g.add(x, 0), ""],
  ["0 + x", (g, x) => g.add(g.constant("f32", 0), x), ""],
  ["x − 0", (g, x) => g.sub(x, 0), ""],
  ["0 − x", (g, x) => g.sub(0, x), "Sub"],
  ["x · 1", (g, x) => g.mul(x, g.constant("f32", [1, 1, 1])), ""],
  ["x · [1, 1, 2]", (g, x) => g.mul(x, g.constant("f32", [1, 1, 2])), "Mul"],
  ["x · 0", (g, x) => g.mul(x, 0), "Mul"],
  ["x / 1", (g, x) => g.div(x, 1), ""],
  ["1 / x", (g, x) => g.div(1, x), "Div"],
  ["x¹", (g, x) => g.op("Pow", [x, g.constant("f32", 1)], "f32"), ""],
  ["1ˣ", (g, x) => g.op("Pow", [g.constant("f32", 1), x], "f32"), "Pow"],
  ["x + 0 of a larger shape", (g, x) => g.add(x, g.constant("f32", [0, 0], [2, 1])), "Add"],
  ["a Cast to f32", (g, x) => g.op("Cast", [x], "f32", { to: 1 }), ""],
  ["a Cast to f64 and back", (g, x) => {
    return g.op("Cast", [g.op("Cast", [x], "f64", { to: 11 })], "f32", { to: 1 });
  }, "Cast Cast"],
  ["a Reshape to its own Shape", (g, x) => g.reshape(x, g.op("Shape", [x], "i64")), ""],
  ["a Reshape to 0 0 1 3", (g, x) => g.reshape(x, g.constant("i64", [0, 0, 1, 3])), ""],
  ["a Reshape and back", (g, x) => {
    const flat = g.reshape(x, g.constant("i64", [-1]));
    return g.reshape(flat, g.op("Shape", [x], "i64"));
  }, ""],
  ["a Reshape to another order", (g, x) => {
    const shape = g.op("Shape", [g.op("Transpose", [x], "f32", { perm: [1, 0, 2, 3] })], "i64");
    return g.reshape(x, shape);
  }, "Transpose Shape Reshape"],
  ["Squeeze of Unsqueeze", (g, x) => g.squeeze(g.unsqueeze(x, [1]), [1]), ""],
  ["Unsqueeze of Squeeze", (g, x) => g.unsqueeze(g.squeeze(x, [2]), [2]), ""],
  ["Squeeze of another Unsqueeze", (g, x) => g.squeeze(g.unsqueeze(x, [3]), [2]), ""],
  ["Unsqueeze elsewhere", (g, x) => g.unsqueeze(g.squeeze(x, [2]), [3]), "Squeeze Unsqueeze"],
  ["an Expand to nothing more", (g, x) => g.expand(x, [1, 3]), ""],
  ["an Expand to more", (g, x) => g.expand(x, [2, 3]), "Expand"],
  ["a Transpose that moves nothing", (g, x) => {
    return g.op("Transpose", [x], "f32", { perm: [0, 1, 2, 3] });
  }, ""],
  ["a Transpose and back", (g, x) => {
    const there = g.op("Transpose", [x], "f32", { perm: [1, 3, 0, 2] });
    return g.op("Transpose", [there], "f32", { perm: [2, 0, 3, 1] });
  }, ""],
  ["twice turned round", (g, x) => {
    return g.op("Transpose", [g.op("Transpose", [x], "f32")], "f32");
  }, ""],
  ["two Transposes", (g, x) => {
    const there = g.op("Transpose", [x], "f32", { perm: [1, 3, 0, 2] });
    return g.op("Transpose", [there], "f32", { perm: [0, 2, 1, 3] });
  }, "Transpose"],
  ["a Slice of all", (g, x) => {
    const [start, end] = [g.constant("i64", [0]), g.constant("i64", [1000])];
    return g.op("Slice", [x, start, end, g.constant("i64", [3])], "f32");
  }, ""],
  ["a Slice backwards", (g, x) => {
    const [start, end] = [g.constant("i64", [-1]), g.constant("i64", [-1000])];
    const axes = g.constant("i64", [3]), steps = g.constant("i64", [-1]);
    return g.op("Slice", [x, start, end, axes, steps], "f32");
  }, "Slice"],
  ["a Tile of one", (g, x) => g.op("Tile", [x, g.constant("i64", [1, 1, 1, 1])], "f32"), ""],
  ["a Tile of two", (g, x) => g.op("Tile", [x, g.constant("i64", [1, 1, 2, 1])], "f32"), "Tile"],
];

for (const [name, make, left] of CASES) {
  test(`${name} leaves ${left || "nothing"}`, () => {
    const g = new GraphBuilder("case");
    const x = g.input("x", "f32", ["N", "M", 1, 3]);
    g.output("y", g.op("Neg", [make(g, x)], "f32"));
    const bytes = g.build();
    const graph = new Graph(decodeModel(bytes));
    const before = graph.nodes.length;
    const count = dropIdentities(graph);
    assertEquals(graph.nodes.length, before - count);
    graph.prune();
    const ops = graph.sort().map(({ opType }) => opType);
    assertEquals(ops.slice(0, -1).join(" "), left);
    const data = Float32Array.from({ length: 18 }, (_, i) => i - 5.5);
    const feeds = { x: { data, dims: [2, 3, 1, 3] } };
    assertEquals(openEvaluator(graph).run(feeds), openEvaluator(bytes).run(feeds));
  });
}

test("outputs are kept, and nodes whose shapes are not known to be equal", () => {
  const g = new GraphBuilder("kept");
  const x = g.input("x", "f32", ["N"]), y = g.input("y", "f32", [undefined]);
  g.output("same", g.op("Identity", [x], "f32"));
  const zeros = g.constant("f32", [0]);
  g.output("a", g.op("Neg", [g.add(y, zeros)], "f32"));
  g.output("b", g.op("Neg", [g.reshape(y, g.input("shape", "i64", [1]))], "f32"));
  const graph = new Graph(decodeModel(g.build()));
  const before = graph.nodes.length;
  // An unknown length is one length all the same: beside [1] it stays what it is.
  assertEquals(dropIdentities(graph), 1);
  assertEquals(graph.nodes.length, before - 1);
  assertEquals(graph.nodes.map(({ opType }) => opType).sort(), [
    "Identity",
    "Neg",
    "Neg",
    "Reshape",
  ]);
});

slowTest("real models lose identities and give bitwise identical results", () => {
  const counts: Record<string, number> = {};
  for (const each of passGraphs()) {
    counts[each.name] = assertKeepsNumbers(each, dropIdentities, 0).changed;
  }
  assertEquals(counts["Lennard-Jones"], 0);
  if ("schnet_ef.onnx" in counts) assertEquals(counts["schnet_ef.onnx"], 5);
});
