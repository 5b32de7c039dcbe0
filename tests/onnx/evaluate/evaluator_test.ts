import { assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../src/onnx/mod.ts";
import { openEvaluator } from "../../../src/onnx/evaluate/evaluator.ts";

Deno.test("a graph is computed in double precision, whatever its types", () => {
  const g = new GraphBuilder("sum");
  const x = g.input("x", "f32", ["N", 2]), y = g.input("y", "f32", [2]);
  g.output("z", g.add(g.mul(x, x), y));
  const { z } = openEvaluator(g.build()).run({
    x: { type: "f32", dims: [2, 2], data: Float64Array.of(0.1, 2, 3, 4) },
    y: { data: Float32Array.of(1, 2) },
  });
  assertEquals(z, { type: "f32", dims: [2, 2], data: Float64Array.of(0.1 * 0.1 + 1, 6, 10, 18) });
});
