import { checkRule } from "../../../src/testing/mod.ts";
import type { RuleInput } from "../../../src/testing/mod.ts";

function places(data: readonly number[], ...dims: number[]): RuleInput {
  return { type: "i64", dims, data, shape: [`P${dims[0]}`, ...dims.slice(1)] };
}

Deno.test("ScatterND gives each place what comes back for it, as it came there", () => {
  for (const reduction of ["none", "add", "mul", "max", "min"]) {
    const attributes = { reduction }, op = "ScatterND";
    const to = (dims: number[], indices: RuleInput, updates: number[]) =>
      checkRule({ op, attributes, inputs: [{ dims }, indices, { dims: updates }] });
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

Deno.test("ScatterElements gives each place what comes back for it, as it came there", () => {
  for (const reduction of ["none", "add", "mul", "max", "min"]) {
    for (const axis of [0, 1, -1]) {
      const attributes = { reduction, axis }, op = "ScatterElements";
      const indices = places(axis === 0 ? [2, 0, -3, 1] : [1, -2, 0, 1], 2, 2);
      checkRule({ op, attributes, inputs: [{ dims: [3, 2] }, indices, { dims: [2, 2] }] });
      if (reduction === "none") continue;
      const meeting = places([1, -1, 1, 1], 2, 2);
      checkRule({ op, attributes, inputs: [{ dims: [3, 2] }, meeting, { dims: [2, 2] }] });
    }
  }
});

Deno.test("what is multiplied gets the product of the others, zeros among them too", () => {
  // Element 0: one zero, 1: two, 2: the base is zero, 3: none.
  const data = { dims: [4], data: [1.5, 0.7, 0, 2] };
  const indices = places([0, 0, 1, 1, 1, 2, 3], 7, 1);
  const updates = { dims: [7], data: [0, 3, 0, 0, 4, 2, -2] };
  const attributes = { reduction: "mul" };
  checkRule({ op: "ScatterND", attributes, inputs: [data, indices, updates], order: 1 });
});
