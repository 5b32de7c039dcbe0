import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import { normalNumbers } from "../../../src/training/mod.ts";

Deno.test("normalNumbers() has the moments of the normal distribution", () => {
  const numbers = normalNumbers(40_000, { seed: 5, stdev: 2 });
  const mean = (of: (x: number) => number) =>
    numbers.reduce((sum, x) => sum + of(x), 0) / numbers.length;
  assertAlmostEquals(mean((x) => x), 0, 4 * 2 / 200); // four deviations of the mean
  assertAlmostEquals(mean((x) => x * x), 4, 0.12);
  assertAlmostEquals(mean((x) => x ** 4) / 16, 3, 0.25);
  const within = numbers.filter((x) => Math.abs(x) < 2).length / numbers.length;
  assertAlmostEquals(within, 0.6827, 0.01);
});

Deno.test("normalNumbers() depends on the seed, and not on how many are drawn", () => {
  const ten = normalNumbers(10, { seed: 1 });
  assertEquals(normalNumbers(10, { seed: 1 }), ten);
  assertEquals(normalNumbers(7, { seed: 1 }), ten.slice(0, 7));
  for (const seed of [0, 2, 1 + 2 ** 32]) assertNotEquals(normalNumbers(10, { seed }), ten);
  assertEquals(new Set(ten).size, 10);
  const half = normalNumbers(10, { seed: 1, stdev: 0.5 });
  assert(half.every((x, i) => x === ten[i]! / 2));
});

Deno.test("normalNumbers() refuses what cannot be", () => {
  assertEquals(normalNumbers(0).length, 0);
  assertThrows(() => normalNumbers(-1), RangeError, "count must be a non-negative integer");
  assertThrows(() => normalNumbers(1.5), RangeError, "got 1.5");
  assertThrows(() => normalNumbers(1, { seed: 0.5 }), RangeError, "the seed must be");
  assertThrows(
    () => normalNumbers(1, { stdev: -1 }),
    RangeError,
    "stdev must be 0 or more and finite",
  );
  const misspelt = { std: 1 } as object;
  assertThrows(() => normalNumbers(1, misspelt), TypeError, "std");
});
