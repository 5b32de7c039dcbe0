import fc from "fast-check";
import { assertGradient, assertSecondOrder, randomGraph } from "./random_graphs.ts";

Deno.test("gradients of 150 random graphs are what differences say, whatever is known of lengths", () => {
  fc.assert(fc.property(randomGraph({ min: 3, max: 12 }), assertGradient), { numRuns: 150 });
});

Deno.test("gradients of gradients of 40 random graphs are what differences say", () => {
  fc.assert(
    fc.property(
      randomGraph({ min: 3, max: 8 }),
      fc.constantFrom("fixed", "named", "free"),
      assertSecondOrder,
    ),
    { numRuns: 40 },
  );
});
