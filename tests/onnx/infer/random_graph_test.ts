/** Compares inferred facts with the results of random graphs. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { mismatch } from "./mismatch.ts";
import { randomGraph } from "./random_graph.ts";

Deno.test("shapes, types and values inferred for random graphs agree with the evaluator", () => {
  const counts: Record<string, number> = {};
  const choices = fc.array(fc.nat({ max: 9999 }), { minLength: 40, maxLength: 200 });
  const length = fc.integer({ min: 0, max: 5 });
  fc.assert(
    fc.property(choices, length, length, (numbers, N, M) => {
      const { graph, made, counts: some } = randomGraph(numbers, { N, M });
      const facts = new GraphFacts(graph);
      for (const { name, tensor } of made) {
        const fault = mismatch(facts.of(name), tensor, { N, M });
        assertEquals(fault, undefined, `${name} for N ${N}, M ${M}`);
      }
      for (const [op, count] of Object.entries(some)) counts[op] = (counts[op] ?? 0) + count;
    }),
    { numRuns: 500, seed: 1 },
  );
  const rare = Object.entries(counts).filter(([, count]) => count < 10);
  assertEquals(rare, []);
  assert(Object.keys(counts).length > 35, `${Object.keys(counts)}`);
});
