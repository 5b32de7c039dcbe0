import { assertEquals } from "@std/assert";
import { gradient, GraphBuilder, openEvaluator, valueInfo } from "../../../src/onnx/mod.ts";
import { checkSlopes } from "./check_slopes.ts";
import type { RuleInput } from "../../../src/testing/onnx.ts";

function places(data: readonly number[], ...dims: number[]): RuleInput {
  return { type: "i64", dims, data, shape: [`P${dims[0]}`, ...dims.slice(1)] };
}

Deno.test("ScatterND passes gradients to base and updates for each reduction", () => {
  for (const reduction of ["none", "add", "mul", "max", "min"]) {
    const attributes = { reduction }, op = "ScatterND";
    const to = (dims: number[], indices: RuleInput, updates: number[]) =>
      checkSlopes({ op, attributes, inputs: [{ dims }, indices, { dims: updates }] });
    to([4], places([1, -1], 2, 1), [2]);
    to([4, 2], places([1, -1], 2, 1), [2, 2]);
    to([4, 2], places([1, 0, -1, 1, 1, 1], 3, 2), [3]);
    to([2, 3, 2], places([1, 2, 0, -1], 2, 1, 2), [2, 1, 2]);
    to([4, 2], places([], 0, 1), [0, 2]);
    if (reduction === "none") continue;
    // Updates that meet.
    to([4], places([1, -1, 1, -3], 4, 1), [4]);
    to([3, 2], places([1, 1, 0, 1], 4, 1), [4, 2]);
  }
});

Deno.test("ScatterElements passes gradients to base and updates for each reduction", () => {
  for (const reduction of ["none", "add", "mul", "max", "min"]) {
    for (const axis of [0, 1, -1]) {
      const attributes = { reduction, axis }, op = "ScatterElements";
      const indices = places(axis === 0 ? [2, 0, -3, 1] : [1, -2, 0, 1], 2, 2);
      checkSlopes({ op, attributes, inputs: [{ dims: [3, 2] }, indices, { dims: [2, 2] }] });
      if (reduction === "none") continue;
      const meeting = places([1, -1, 1, 1], 2, 2);
      checkSlopes({ op, attributes, inputs: [{ dims: [3, 2] }, meeting, { dims: [2, 2] }] });
    }
  }
});

Deno.test("the gradient of a scattered product is correct with zeros, too", () => {
  // Element 0: one zero, 1: two, 2: the base is zero, 3: none.
  const data = { dims: [4], data: [1.5, 0.7, 0, 2] };
  const indices = places([0, 0, 1, 1, 1, 2, 3], 7, 1);
  const updates = { dims: [7], data: [0, 3, 0, 0, 4, 2, -2] };
  const attributes = { reduction: "mul" };
  checkSlopes({ op: "ScatterND", attributes, inputs: [data, indices, updates], order: 1 });
});

for (const reduction of ["max", "min"]) {
  Deno.test(`${reduction} shares gradients evenly among equal elements`, () => {
    const { graph } = new GraphBuilder("equals");
    graph.addInput(valueInfo("data", "f32", [3]));
    graph.addInput(valueInfo("updates", "f32", [5]));
    const indices = graph.constantOf("i64", [0, 0, 1, 1, 2], [5, 1]);
    const y = graph.make("ScatterND", ["data", indices, "updates"], { reduction });
    const weighed = graph.make("Mul", [y, graph.constantOf("f32", [6, 4, 1])]);
    const loss = graph.make("ReduceSum", [weighed], { keepdims: 0 });
    gradient(graph, { of: loss, wrt: { data: "a", updates: "b" } });
    // Element 0: all three are 2. 1: both updates are 5 or −5, the data is 0. 2: the data and the update are 1.
    const far = reduction === "max" ? 5 : -5;
    const feed = (...data: number[]) =>
      ({ type: "f32", dims: [data.length], data: Float64Array.from(data) }) as const;
    const feeds = { data: feed(2, 0, 1), updates: feed(2, 2, far, far, 1) };
    const { a, b } = openEvaluator(graph).run(feeds, ["a", "b"]);
    assertEquals(Array.from(a!.data), [2, 0, 0.5]);
    assertEquals(Array.from(b!.data), [2, 2, 2, 2, 0.5]);
  });
}
