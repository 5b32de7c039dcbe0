import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { splitBatch, splitDataset, type TrainingBatch } from "../../../src/training/data/mod.ts";

const numbers = Array.from({ length: 10 }, (_, i) => i);

Deno.test("splitBatch() cuts what is as long as the batch, and gives the rest to each part", () => {
  const batch: TrainingBatch = {
    feeds: {
      x: { data: Float32Array.from(numbers), dims: [5, 2] },
      y: { data: BigInt64Array.of(0n, 1n, 2n, 3n, 4n) },
      weights: { data: Float32Array.of(7, 8), dims: [2] },
      scale: { data: Float32Array.of(9), dims: [] },
    },
    size: 5,
    tokens: 101,
  };
  const parts = splitBatch(batch, 2);
  assertEquals(parts, [
    {
      feeds: {
        x: { data: Float32Array.of(0, 1, 2, 3), dims: [2, 2] },
        y: { data: BigInt64Array.of(0n, 1n), dims: [2] },
        weights: { data: Float32Array.of(7, 8), dims: [2] },
        scale: { data: Float32Array.of(9), dims: [] },
      },
      size: 2,
      tokens: 40,
    },
    {
      feeds: {
        x: { data: Float32Array.of(4, 5, 6, 7, 8, 9), dims: [3, 2] },
        y: { data: BigInt64Array.of(2n, 3n, 4n), dims: [3] },
        weights: { data: Float32Array.of(7, 8), dims: [2] },
        scale: { data: Float32Array.of(9), dims: [] },
      },
      size: 3,
      tokens: 61,
    },
  ]);
  const buffers = parts.flatMap(({ feeds }) => Object.values(feeds).map(({ data }) => data.buffer));
  assertEquals(new Set(buffers).size, 8);
});

Deno.test("splitBatch() makes parts whose sizes differ by one at most, and none without samples", () => {
  for (const size of [1, 2, 7, 12]) {
    const batch = { feeds: { x: { data: new Float32Array(size) } }, size };
    for (const parts of [1, 2, 3, 5, 20]) {
      const sizes = splitBatch(batch, parts).map((part) => part.size);
      assertEquals(sizes.length, Math.min(parts, size));
      assertEquals(sizes.reduce((a, b) => a + b), size);
      assert(Math.max(...sizes) - Math.min(...sizes) <= 1);
    }
  }
});

Deno.test("splitBatch() says what cannot be split", () => {
  const x = { data: new Float32Array(6), dims: [3, 2] };
  assertThrows(
    () => splitBatch({ feeds: { x }, size: 2 }, 2),
    RangeError,
    "the first dimension of at least one tensor must be 2, the size of the batch; got x [3, 2]",
  );
  assertThrows(
    () => splitBatch({ feeds: { x }, size: 3 }, 1.5),
    RangeError,
    "got 1.5",
  );
});

Deno.test("splitDataset() puts each sample into one part, in order, by the seed alone", () => {
  const parts = splitDataset(numbers, [0.5, 0.3, 0.2], 4);
  assertEquals(parts.map(({ length }) => length), [5, 3, 2]);
  assertEquals(parts.flat().sort(), numbers);
  for (const part of parts) assertEquals(part, part.toSorted());
  assertEquals(splitDataset(numbers, [0.5, 0.3, 0.2], 4), parts);
  assertNotEquals(splitDataset(numbers, [0.5, 0.3, 0.2], 5), parts);
  assertEquals(splitDataset(numbers, [0.5, 0.5]), splitDataset(numbers, [0.5, 0.5], 0));
});

Deno.test("splitDataset() rounds so that no sample is too many or too few", () => {
  const sizes = (count: number, fractions: number[]) =>
    splitDataset(numbers.slice(0, count), fractions).map(({ length }) => length);
  assertEquals(sizes(10, [1 / 3, 1 / 3, 1 / 3]), [3, 4, 3]);
  assertEquals(sizes(10, [0.7, 0.2, 0.1]), [7, 2, 1]);
  // A little more than 1, as these are rounded.
  assertEquals(sizes(10, [0.05, 0.55, 0.3, 0.1]).reduce((a, b) => a + b), 10);
  assertEquals(sizes(3, [0.5, 0.5]), [2, 1]);
  assertEquals(sizes(10, [0.5, 0.2]), [5, 2]);
  assertEquals(sizes(10, [1, 0]), [10, 0]);
});

Deno.test("splitDataset() of what is got gives what gets the same samples", async () => {
  const get = (index: number, epoch: number) => Promise.resolve(100 * epoch + index);
  const [train, validation] = splitDataset({ length: 10, get }, [0.8, 0.2], 4);
  const [expected, rest] = splitDataset(numbers, [0.8, 0.2], 4);
  assertEquals([train!.length, validation!.length], [8, 2]);
  const indices = (length: number) => Array.from({ length }, (_, i) => i);
  const got = await Promise.all(indices(8).map((i) => train!.get(i, 3)));
  assertEquals(got, expected!.map((x) => 300 + x));
  assertEquals(await Promise.all(indices(2).map((i) => validation!.get(i, 0))), rest);
});

Deno.test("splitDataset() refuses invalid datasets and fractions", () => {
  const split = splitDataset as (dataset: unknown, fractions: unknown, seed?: number) => unknown;
  for (const bad of [[], [0.5, 0.6], [-0.1, 0.5], [NaN], ["0.5"], 0.5]) {
    assertThrows(
      () => split(numbers, bad),
      RangeError,
      "fractions must be 0 or more, and their sum at most 1",
    );
  }
  assertThrows(
    () => split(3, [1]),
    TypeError,
    "samples must be an array, or an object with length",
  );
  assertThrows(() => split(numbers, [1], -1), RangeError, "the seed must be");
});
