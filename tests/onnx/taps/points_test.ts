import { assertEquals, assertThrows } from "@std/assert";
import { Graph, points, showPoints, statistics, valueInfo, zero } from "../../../src/onnx/mod.ts";
import { branching, modelOf, node } from "../odd_models.ts";
import { readModel } from "../shared_models.ts";
import { graphOf, mlp } from "./run.ts";
import { lacks } from "../../machine.ts";

/** A weight, a bias by formula, one value in between and one that comes out. */
const small = () =>
  graphOf((g) => {
    const x = g.input("x", "f32", ["N", 2]);
    const weight = g.constant("f32", [1, 2], [2]);
    const product = g.describe(g.mul(x, weight), ["N", 2]);
    g.output("y", g.op("Tanh", [g.add(product, 1)], "f32"), ["N", 2]);
  });

Deno.test("points are inputs, constants and results of nodes, with types and shapes", () => {
  assertEquals(showPoints(points(small())).split("\n"), [
    "input      x        f32 [N, 2]",
    "parameter  f32_1_2  f32 [2]",
    "constant   f32_1    f32 []",
    "value      mul      f32 [N, 2]  Mul",
    "value      add      f32 [N, 2]  Add",
    "output     y        f32 [N, 2]  Tanh",
  ]);
  const [, , , product] = points(small());
  assertEquals(product, {
    name: "mul",
    kind: "value",
    node: "Mul_mul",
    op: "Mul",
    type: "f32",
    shape: ["N", 2],
    globs: [],
  });
});

Deno.test("points list the matching patterns, in the order of the graph", () => {
  const found = points(small(), ["y", "f32*", "f32_1", "?"]);
  assertEquals(found.map(({ name, globs }) => [name, globs]), [
    ["x", ["?"]],
    ["f32_1_2", ["f32*"]],
    ["f32_1", ["f32*", "f32_1"]],
    ["y", ["y", "?"]],
  ]);
});

Deno.test("an exact name refers to its tensor, even if it looks like a pattern", () => {
  const graph = new Graph(modelOf({
    node: [node("Neg", ["x"], ["a[0]"]), node("Exp", ["a[0]"], ["a0"])],
    input: [valueInfo("x", "f32", ["N"])],
    output: [valueInfo("a0", "f32", ["N"])],
  }));
  assertEquals(points(graph, "a[0]").map(({ name }) => name), ["a[0]"]);
  assertEquals(points(graph, "a[0-9]").map(({ name }) => name), ["a0"]);
});

Deno.test("a pattern that matches nothing is an error with the closest names", () => {
  assertThrows(
    () => points(small(), ["x", "mull*"]),
    RangeError,
    "Cannot list the points of a graph: no tensor matches " +
      '"mull*"; the closest names are mul',
  );
  assertThrows(
    () => points(small(), "nothing like it"),
    RangeError,
    'no tensor matches "nothing like it"',
  );
});

Deno.test("values added by taps and patches match only by name", () => {
  const graph = small();
  const before = points(graph, "*").map(({ name }) => name);
  const [found] = statistics(graph, "mul", { of: ["mean"] });
  const { original } = zero(graph, "mul");
  assertEquals(points(graph, "*").map(({ name }) => name).sort(), before.sort());
  assertEquals(points(graph, [found!.output!, original]).map(({ op }) => op).sort(), [
    "Concat",
    "Mul",
  ]);
});

Deno.test("values in subgraphs are not listed, and rejected by name", () => {
  const graph = new Graph(branching());
  assertEquals(points(graph).map(({ name }) => name), ["x", "flag", "y"]);
  const error = assertThrows(() => points(graph, "then_branch_y"), Error, "(then_branch_y)");
  assertEquals([error.name, "op" in error && error.op], ["UnsupportedNodeError", "If"]);
});

Deno.test("sequences are not listed, and rejected by name", () => {
  const graph = new Graph(modelOf({
    node: [node("SplitToSequence", ["x"], ["parts"]), node("ConcatFromSequence", ["parts"], ["y"])],
    input: [valueInfo("x", "f32", ["N"])],
    output: [valueInfo("y", "f32", ["N"])],
  }));
  assertEquals(points(graph).map(({ name }) => name), ["x", "y"]);
  assertThrows(
    () => points(graph, "parts"),
    TypeError,
    '"parts" must be a tensor; got made by SplitToSequence',
  );
});

Deno.test({
  name: "patterns select activations and weights of a network",
  ignore: lacks("models"),
  fn: () => {
    const found = points(readModel("mlp_e.onnx"), ["tanh*", "net.*.weight", "energy*"]);
    assertEquals(found.map(({ name, kind, shape }) => [name, kind, shape]), [
      ["energy0", "input", ["B"]],
      ["net.0.weight", "parameter", [64, 96]],
      ["net.2.weight", "parameter", [64, 64]],
      ["net.4.weight", "parameter", [1, 64]],
      ["tanh", "value", ["N", 64]],
      ["tanh_1", "value", ["N", 64]],
      ["energy", "output", ["B"]],
    ]);
    const { graph } = mlp();
    assertEquals(points(graph).length, 6 + 22 + graph.nodes.length);
  },
});
