import { assert, assertEquals, assertThrows } from "@std/assert";
import { permutation } from "../../../src/training/data/permutation.ts";

/** Σ (found − expected)² / expected. */
function chiSquare(counts: Iterable<number>, expected: number): number {
  let sum = 0;
  for (const count of counts) sum += (count - expected) ** 2 / expected;
  return sum;
}

Deno.test("permutation() is what the same arithmetic gives in Python's whole numbers", () => {
  assertEquals([...permutation(10, 0, 0)], [9, 0, 5, 1, 7, 2, 3, 4, 6, 8]);
  assertEquals([...permutation(10, 0, 1)], [9, 4, 3, 2, 0, 6, 5, 7, 8, 1]);
  assertEquals([...permutation(10, 1, 0)], [3, 7, 2, 8, 5, 0, 4, 6, 9, 1]);
  // Seeds and epochs of more than 32 bits.
  assertEquals([...permutation(10, 2 ** 40 + 7, 3)], [7, 3, 0, 4, 1, 5, 8, 9, 2, 6]);
  assertEquals([...permutation(6, 123456789, 2 ** 33)], [4, 0, 1, 3, 2, 5]);
});

Deno.test("permutation() has every number once, however many there are", () => {
  for (const count of [0, 1, 2, 3, 100, 4097]) {
    const sorted = permutation(count, 5, 8).sort();
    assertEquals([...sorted], Array.from({ length: count }, (_, i) => i));
  }
});

Deno.test("permutation() gives each order of five equally often, by epoch and by seed", () => {
  for (const draw of [(i: number) => permutation(5, 3, i), (i: number) => permutation(5, i, 3)]) {
    const counts = new Map<string, number>();
    for (let i = 0; i < 12000; i++) {
      const order = draw(i).join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    assertEquals(counts.size, 120);
    // 119 degrees of freedom: the mean is 119, and one in ten thousand is above 181.
    const found = chiSquare(counts.values(), 100);
    assert(found > 70 && found < 181, `${found}`);
  }
});

Deno.test("permutation() brings each number to each place equally often, whatever the order before", () => {
  const count = 30, epochs = 4000;
  const places = new Uint32Array(count * count), followers = new Uint32Array(count * count);
  let before = permutation(count, 7, 0);
  for (let epoch = 1; epoch <= epochs; epoch++) {
    const order = permutation(count, 7, epoch);
    for (let i = 0; i < count; i++) {
      places[count * i + order[i]!]!++;
      followers[count * before[i]! + order[i]!]!++;
    }
    before = order;
  }
  // 29² degrees of freedom; 841 ± 41, and one in ten thousand is above 1000.
  for (const counts of [places, followers]) {
    const found = chiSquare(counts, epochs / count);
    assert(found > 690 && found < 1000, `${found}`);
  }
});

Deno.test("permutation() refuses invalid seeds and epochs", () => {
  for (const bad of [-1, 0.5, NaN, 2 ** 53]) {
    assertThrows(() => permutation(3, bad, 0), RangeError, "Cannot shuffle: the seed must be");
  }
});
