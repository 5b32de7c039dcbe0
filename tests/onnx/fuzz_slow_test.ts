import { assert } from "@std/assert";
import { fuzz } from "./fuzz.ts";

Deno.test("40000 damaged models are rejected with a reason, or valid graphs for all edits", () => {
  for (let seed = 2; seed < 6; seed++) {
    const { slowest, ...counts } = fuzz(10_000, seed);
    console.log(seed, counts, `${slowest.toFixed(1)} ms at most`);
    assert(slowest < 30_000, `one took ${slowest} ms`);
  }
});
