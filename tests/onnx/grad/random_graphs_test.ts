import fc from "fast-check";
import { LENGTHS } from "./random_graph.ts";
import {
  assertGradient,
  assertOnRuntime,
  assertSecondOrder,
  randomGraph,
} from "./random_graphs.ts";

// Always the same ones here; random_graphs_slow_test.ts goes on.
const seed = 6;

Deno.test("gradients of 80 random graphs agree with finite differences, with known and unknown lengths", () => {
  fc.assert(fc.property(randomGraph({ min: 3, max: 12 }), assertGradient), { numRuns: 80, seed });
});

Deno.test("second derivatives of 25 random graphs agree with finite differences", () => {
  const property = fc.property(
    randomGraph({ min: 3, max: 8 }),
    fc.constantFrom(...LENGTHS),
    assertSecondOrder,
  );
  fc.assert(property, { numRuns: 25, seed });
});

Deno.test("gradients of 25 random graphs agree between onnxruntime and the evaluator", async () => {
  const property = fc.asyncProperty(
    randomGraph({ min: 3, max: 12 }),
    fc.constantFrom(...LENGTHS),
    assertOnRuntime,
  );
  await fc.assert(property, { numRuns: 25, seed });
});
