import { assert } from "@std/assert";
import { fuzz } from "./fuzz.ts";

Deno.test("1000 damaged models are rejected with a reason, or valid graphs for all edits", () => {
  const { refused, senseless, graphs, slowest } = fuzz(1000, 1);
  // Each way out is taken by many.
  assert(Math.min(refused, senseless, graphs) > 60, `${refused}, ${senseless}, ${graphs}`);
  assert(slowest < 30_000, `one took ${slowest} ms`);
});
