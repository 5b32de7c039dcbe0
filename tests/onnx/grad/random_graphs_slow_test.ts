import fc from "fast-check";
import { LENGTHS } from "./random_graph.ts";
import {
  assertGradient,
  assertOnRuntime,
  assertSecondOrder,
  randomGraph,
} from "./random_graphs.ts";

/** Others each time; what fails says which. */
const seed = Date.now() & 0x7fffffff;

Deno.test(`gradients of 2000 random graphs agree with finite differences (seed ${seed})`, () => {
  fc.assert(fc.property(randomGraph({ min: 3, max: 12 }), assertGradient), { numRuns: 2000, seed });
});

Deno.test(`second derivatives of 700 random graphs agree with finite differences (seed ${seed})`, () => {
  const property = fc.property(
    randomGraph({ min: 3, max: 12 }),
    fc.constantFrom(...LENGTHS),
    assertSecondOrder,
  );
  fc.assert(property, { numRuns: 700, seed });
});

Deno.test(`gradients of 300 random graphs agree between onnxruntime and the evaluator (seed ${seed})`, async () => {
  const property = fc.asyncProperty(
    randomGraph({ min: 3, max: 12 }),
    fc.constantFrom(...LENGTHS),
    assertOnRuntime,
  );
  await fc.assert(property, { numRuns: 300, seed });
});
