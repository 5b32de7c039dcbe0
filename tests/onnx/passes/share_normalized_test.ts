import { assert, assertEquals } from "@std/assert";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
  shareNormalized,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

const NUMBERS = Array.from({ length: 24 }, (_, i) => Math.sin(2 * i) + i / 10);

/** A graph with a LayerNormalization. */
interface Layer {
  readonly type?: "f16" | "f32" | "f64";
  readonly axis?: number;
  readonly epsilon?: number;
  readonly hasShift?: boolean;
  readonly isDifferentiated?: boolean;
  readonly givesMean?: boolean;
}

/** Returns a graph that normalizes x [4, 2, 3], sums cubes of the result, and differentiates the sum. */
function layer(
  { type = "f32", axis = -1, epsilon = 1e-5, hasShift = true, givesMean = false, ...rest }: Layer,
): Graph {
  const g = new GraphBuilder("layer"), x = g.input("x", type, [4, 2, 3]);
  const shape = axis === -1 ? [3] : [2, 3], count = shape.reduce((a, b) => a * b);
  const [scale, shift] = [0.5, -0.2].map((value) =>
    g.constant(type, NUMBERS.slice(0, count).map((number) => number + value), shape)
  );
  const inputs = hasShift ? [x, scale!, shift!] : [x, scale!];
  const y = g.op("LayerNormalization", inputs, type, { axis, epsilon: { float: epsilon } });
  g.output("y", y);
  g.output("sum", g.reduceSum(g.mul(y, g.mul(y, y)), [0, 1, 2]));
  const graph = new Graph(decodeModel(g.build()));
  if (givesMean) graph.producer("y")!.output.push(graph.freshName("mean"));
  if (rest.isDifferentiated ?? true) gradient(graph, { of: "sum", wrt: { x: "slope" } });
  return graph;
}

Deno.test("a normalization uses the normalized values of its gradient, and keeps its numbers", async () => {
  for (const axis of [-1, 1]) {
    for (const hasShift of [true, false]) {
      const graph = layer({ axis, hasShift }), bytes = layer({ axis, hasShift }).encode();
      assertEquals(shareNormalized(graph), 1);
      assertEquals(shareNormalized(graph), 0);
      assert(graph.nodes.every(({ opType }) => opType !== "LayerNormalization"));
      // The values are normalized once, for the result and for its slope.
      assertEquals(graph.nodes.filter(({ opType }) => opType === "Sqrt").length, 1);
      const feeds = { x: plainTensor("f32", [4, 2, 3], NUMBERS) };
      const [before, after] = [openEvaluator(bytes).run(feeds), openEvaluator(graph).run(feeds)];
      for (const [name, { data }] of Object.entries(before)) {
        assert(worst(after[name]!.data, data) < 1e-6, name);
      }
      const tensors = { x: f32(NUMBERS, 4, 2, 3) };
      const [old, made] = [await runModel(bytes, tensors), await runModel(graph.encode(), tensors)];
      for (const name of ["y", "sum", "slope"]) {
        assert(worst(numbersOf(made[name]), numbersOf(old[name])) < 1e-5, name);
      }
    }
  }
});

Deno.test("other normalizations stay", () => {
  assertEquals(shareNormalized(layer({ type: "f64" })), 1);
  assertEquals(shareNormalized(layer({ type: "f16" })), 0);
  assertEquals(shareNormalized(layer({ isDifferentiated: false })), 0);
  assertEquals(shareNormalized(layer({ givesMean: true })), 0);
  const graph = layer({});
  // The gradient of another normalization of the same values.
  const [node] = graph.nodes.filter(({ opType }) => opType === "LayerNormalization");
  node!.attribute.find(({ name }) => name === "epsilon")!.f = 1e-3;
  assertEquals(shareNormalized(graph), 0);
});
