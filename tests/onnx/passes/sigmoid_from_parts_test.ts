import { assertAlmostEquals, assertEquals } from "@std/assert";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  makeTensorProto,
  sigmoidFromParts,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel } from "../ort.ts";

/** 1 / (1 + exp(−x)) in two spellings, and 1 / (2 + exp(−x)), which is something else. */
function spelled(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("spelled");
  const x = g.input("x", "f32", ["N"]);
  const exp = g.op("Exp", [g.op("Neg", [x], "f32")], "f32");
  g.output("a", g.op("Reciprocal", [g.add(exp, 1)], "f32"));
  const one = g.constant("f32", 1);
  g.output("b", g.div(one, g.add(one, exp)));
  g.output("c", g.div(one, g.add(exp, 2)));
  return g.build();
}

Deno.test("a sigmoid in parts becomes one operator, and other formulas are kept", async () => {
  const graph = new Graph(decodeModel(spelled()));
  assertEquals(sigmoidFromParts(graph), 2);
  graph.prune();
  assertEquals(graph.nodes.filter(({ opType }) => opType === "Sigmoid").length, 2);
  const x = [-100, -3, 0, 1, 40];
  const outputs = await runModel(graph.encode(), { x: f32(x, x.length) });
  const [a, b, c] = ["a", "b", "c"].map((name) => numbersOf(outputs[name]!));
  for (const [i, value] of x.entries()) {
    assertAlmostEquals(a![i]!, 1 / (1 + Math.exp(-value)), 1e-6);
    assertAlmostEquals(b![i]!, 1 / (1 + Math.exp(-value)), 1e-6);
    assertAlmostEquals(c![i]!, 1 / (2 + Math.exp(-value)), 1e-6);
  }
});

Deno.test("a parameter that is currently 1 is not treated as a constant", () => {
  const g = new GraphBuilder("parameter");
  const x = g.input("x", "f32", ["N"]), one = g.constant("f32", 1);
  g.output(
    "y",
    g.op("Reciprocal", [g.add(g.op("Exp", [g.op("Neg", [x], "f32")], "f32"), one)], "f32"),
  );
  const build = () => new Graph(decodeModel(g.build()));
  assertEquals(sigmoidFromParts(build(), { parameters: [one.name] }), 0);
  assertEquals(sigmoidFromParts(build()), 1);
});

Deno.test("a 16-bit 1 is recognized by its value", () => {
  for (const [bits, changed] of [[0x3c00, 1], [1, 0]] as const) {
    const g = new GraphBuilder("short");
    const x = g.input("x", "f16", ["N"]);
    const one = g.graph.addConstant(makeTensorProto("f16", [], [bits], g.graph.freshName("one")));
    const exp = g.op("Exp", [g.op("Neg", [x], "f16")], "f16");
    g.output(
      "y",
      g.op("Reciprocal", [g.op("Add", [exp, { name: one, type: "f16" }], "f16")], "f16"),
    );
    assertEquals(sigmoidFromParts(new Graph(decodeModel(g.build()))), changed);
  }
});
