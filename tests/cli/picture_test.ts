import { assertAlmostEquals, assertEquals } from "@std/assert";
import { histogram, meanAndSpread, sparkline } from "../../src/cli/picture.ts";

Deno.test("a histogram has a line for each range, as long as values fall into it", () => {
  assertEquals(histogram([8, 9, 9, 11], 8, 4), [" 8  ██ 1", " 9  ████ 2", "10  0", "11  ██ 1"]);
  // Ranges of equal width where there are more values than lines; bars to an eighth of a character.
  assertEquals(histogram([0, 1, 2, 3, 4, 5, 5, 5, 5], 3, 1), ["0–1  ▍ 2", "2–3  ▍ 2", "4–5  █ 5"]);
  assertEquals(histogram([7], 8, 3), ["7  ███ 1"]);
});

Deno.test("a sparkline goes from the least to the most, and averages what it has no room for", () => {
  assertEquals(sparkline([0, 7, 3, 4], 10), "▁█▄▅");
  assertEquals(sparkline([0, 2, 6, 8], 2), "▁█");
  assertEquals(sparkline([0, 0, 0, 10, 20, 20], 3), "▁▃█");
  assertEquals(sparkline([5, 5], 4), "▁▁");
});

Deno.test("mean and spread are those of the values themselves, not of a sample", () => {
  const { mean, spread } = meanAndSpread([1, 3, 5, 7]);
  assertEquals(mean, 4);
  assertAlmostEquals(spread, Math.sqrt(5), 1e-12);
});
