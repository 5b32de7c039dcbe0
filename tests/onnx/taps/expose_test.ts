import { assert, assertEquals, assertThrows } from "@std/assert";
import { expose, Graph, points, valueInfo } from "../../../src/onnx/mod.ts";
import { modelOf, node } from "../odd_models.ts";
import { f32, graphOf, mlp, run } from "./run.ts";
import { lacks } from "../../machine.ts";

Deno.test("exposed tensors are outputs: results of nodes, inputs and constants", async () => {
  const graph = graphOf((g) => {
    const x = g.input("x", "f32", ["N", 2]);
    const product = g.describe(g.mul(x, g.constant("f32", [10, 20], [2])), ["N", 2]);
    g.output("y", g.op("Neg", [product], "f32"), ["N", 2]);
  });
  const names = expose(graph, ["mul", "x", "f32_10_20", "y"]);
  assertEquals(names, { x: "tap:x", f32_10_20: "tap:f32_10_20", mul: "mul", y: "y" });
  assertEquals(await run(graph, { x: f32([1, 2, 3, 4], 2, 2) }), {
    "y": [-10, -40, -30, -80],
    "tap:x": [1, 2, 3, 4],
    "tap:f32_10_20": [10, 20],
    "mul": [10, 40, 30, 80],
  });
  assertEquals([graph.type("mul"), graph.shape("mul")], ["f32", ["N", 2]]);
});

Deno.test("exposing a tensor twice has no further effect", () => {
  const graph = graphOf((g) => {
    const x = g.input("x", "f32", ["N"]);
    g.output("y", g.op("Neg", [g.op("Exp", [x], "f32")], "f32"), ["N"]);
  });
  const names = expose(graph, ["x", "exp"]);
  assertEquals(expose(graph, "*"), { ...names, y: "y" });
  assertEquals(graph.outputs.length, 3);
});

Deno.test("a tensor of unknown type can be exposed", async () => {
  const graph = new Graph(modelOf({
    node: [node("Erf", ["x"], ["a"]), node("Neg", ["a"], ["y"])],
    input: [valueInfo("x", "f32", ["N"])],
    output: [valueInfo("y", "f32", ["N"])],
  }));
  assertEquals(graph.type("a"), undefined);
  expose(graph, "a");
  assertEquals(await run(graph, { x: f32([0], 1) }), { y: [-0], a: [0] });
});

Deno.test("if one of several patterns matches nothing, nothing is exposed", () => {
  const graph = graphOf((g) => {
    g.output("y", g.op("Exp", [g.op("Neg", [g.input("x", "f32", ["N"])], "f32")], "f32"), ["N"]);
  });
  const error = assertThrows(() => expose(graph, ["neg", "nag"]), RangeError);
  assertEquals(
    error.message,
    "Cannot expose tensors: no tensor matches " +
      '"nag"; the closest names are neg',
  );
  assertEquals(graph.outputs.map(({ name }) => name), ["y"]);
});

Deno.test({
  name: "exposing everything of a network does not change a bit of its output",
  ignore: lacks("models"),
  fn: async () => {
    const { graph, feeds } = mlp();
    const plain = await run(graph, feeds);
    const names = expose(graph, "*");
    const all = await run(graph, feeds);
    assertEquals(all["energy"], plain["energy"]);
    assertEquals(Object.keys(names).length, points(graph).length);
    assertEquals(Object.keys(all).sort(), Object.values(names).sort());
    // They are what they are called: the second activation is the tangent of its layer, which is of the first.
    assertEquals(all["tap:positions"], Array.from(feeds["positions"]!.data as Float32Array));
    const [before, after] = [all["linear_1"]!, all["tanh_1"]!];
    assert(before.length === feeds["positions"]!.dims![0]! * 64);
    assert(after.every((value, i) => Math.abs(value - Math.tanh(before[i]!)) < 1e-6));
  },
});
