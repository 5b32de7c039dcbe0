import { assert } from "@std/assert";
import { fuzz } from "./fuzz.ts";

Deno.test("3000 damaged models are rejected with a reason, or valid graphs for all edits", () => {
  const { refused, senseless, graphs, slowest } = fuzz(3000, 1);
  // Each way out is taken by many.
  assert(Math.min(refused, senseless, graphs) > 200, `${refused}, ${senseless}, ${graphs}`);
  assert(slowest < 30_000, `one took ${slowest} ms`);
});
