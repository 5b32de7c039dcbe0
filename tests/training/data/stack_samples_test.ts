import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { dataLoader, type Sample, stackSamples } from "../../../src/training/data/mod.ts";
import { gathered } from "./gathered.ts";

Deno.test("stackSamples() makes float32 of numbers and lists, int64 of bigints, and keeps typed arrays", () => {
  const sample = (k: number): Sample => ({
    number: k + 0.5,
    list: [k, 2 * k],
    label: BigInt(-k),
    ints: Int32Array.of(k, k, -k),
    bytes: Uint8Array.of(k),
    doubles: Float64Array.of(k / 3),
    image: { data: Float32Array.of(k, 1, 2, 3, 4, 5), dims: [1, 2, 3] },
    bare: { data: BigInt64Array.of(2n ** 60n + BigInt(k)) },
    scalar: { data: Int32Array.of(k), dims: [] },
  });
  assertEquals(stackSamples([sample(1), sample(4)]), {
    number: { data: Float32Array.of(1.5, 4.5), dims: [2] },
    list: { data: Float32Array.of(1, 2, 4, 8), dims: [2, 2] },
    label: { data: BigInt64Array.of(-1n, -4n), dims: [2] },
    ints: { data: Int32Array.of(1, 1, -1, 4, 4, -4), dims: [2, 3] },
    bytes: { data: Uint8Array.of(1, 4), dims: [2, 1] },
    doubles: { data: Float64Array.of(1 / 3, 4 / 3), dims: [2, 1] },
    image: { data: Float32Array.of(1, 1, 2, 3, 4, 5, 4, 1, 2, 3, 4, 5), dims: [2, 1, 2, 3] },
    bare: { data: BigInt64Array.of(2n ** 60n + 1n, 2n ** 60n + 4n), dims: [2, 1] },
    scalar: { data: Int32Array.of(1, 4), dims: [2] },
  });
});

Deno.test("stackSamples() copies, and takes lists and arrays of single precision for the same", () => {
  const x = Float32Array.of(1, 2);
  const stacked = stackSamples([{ x }, { x: [3, 4] }]).x!;
  assertEquals(stacked.data, Float32Array.of(1, 2, 3, 4));
  x[0] = 9;
  assertEquals(stacked.data[0], 1);
});

const BAD: readonly [samples: unknown[], kind: ErrorConstructor, message: string][] = [
  [[], RangeError, "at least one sample is required; got 0"],
  [
    [{ x: [1, 2] }, { x: [1, 2] }, { x: [1] }],
    RangeError,
    'the field "x" must have the shape [2], as in sample 0; got [1] in sample 2',
  ],
  [
    [{ x: { data: new Float32Array(6), dims: [2, 3] } }, {
      x: { data: new Float32Array(6), dims: [3, 2] },
    }],
    RangeError,
    "got [3, 2] in sample 1",
  ],
  [[{ x: 1 }, { x: [1] }], RangeError, "the shape [], as in sample 0; got [1] in sample 1"],
  [
    [{ x: 1 }, { x: 1n }],
    TypeError,
    'the field "x" must be float32, as in sample 0; got int64 in sample 1',
  ],
  [[{ x: 1, y: 2 }, { x: 1 }], TypeError, "must have the fields x, y; got x"],
  [[{ x: 1 }, { x: 1, y: 2 }], TypeError, "must have the fields x; got x, y"],
  [[{ x: 1 }, { y: 1 }], TypeError, "sample 1 must have the fields x; got y"],
  [
    [{ x: 1 }, undefined],
    TypeError,
    "sample 1 must be an object with at least one field; got undefined",
  ],
  [[{}], TypeError, "sample 0 must be an object with at least one field; got an Object"],
  [
    [{ x: [[1, 2]] }],
    TypeError,
    'the field "x" of sample 0 must be a flat list of numbers, or { data, dims }; got [1, 2] in it',
  ],
  [[{ x: [1, undefined] }], TypeError, "got undefined in it"],
  [
    [{ x: "3" }],
    TypeError,
    'the field "x" of sample 0 must be a tensor, { data, dims }, with a typed array; got "3"',
  ],
  [[{ x: { data: [1] } }], TypeError, "got [1]"],
  [[{ x: null }], TypeError, "got null"],
  [[{ x: new Uint8ClampedArray(2) }], TypeError, "with a typed array"],
  [
    [{ x: { data: new Float32Array(5), dims: [2, 3] } }],
    RangeError,
    "must have non-negative integers as dims, whose product is its 5 numbers; got [2, 3]",
  ],
];

for (const [samples, kind, message] of BAD) {
  Deno.test(`stackSamples() says what is wrong: ${message}`, () => {
    const error = assertThrows(() => stackSamples(samples as Sample[]), kind);
    assertStringIncludes(error.message, message);
    assertStringIncludes(error.message, "Cannot stack samples: ");
  });
}

Deno.test("errors of a loader number samples as the dataset does", () => {
  const samples: Sample[] = [{ x: [1] }, { x: [2] }, { x: [3] }, { x: [4, 5] }];
  const loader = dataLoader(samples, { batchSize: 2, shuffle: false });
  assertThrows(
    () => [...loader.batches(0, 1) as Iterable<unknown>],
    RangeError,
    "as in sample 2; got [2] in sample 3",
  );
});

Deno.test("a loader with a custom stacking function does not split", async () => {
  const words = ["to", "be", "or"];
  const loader = dataLoader(words, {
    batchSize: 2,
    shuffle: false,
    collate: (all, places) => ({
      length: { data: Int32Array.from(all, (word) => word.length) },
      place: { data: Int32Array.from(places) },
    }),
  });
  assertEquals(loader.split, undefined);
  assertEquals(await gathered(loader), [
    {
      feeds: { length: { data: Int32Array.of(2, 2) }, place: { data: Int32Array.of(0, 1) } },
      size: 2,
    },
    { feeds: { length: { data: Int32Array.of(2) }, place: { data: Int32Array.of(2) } }, size: 1 },
  ]);
});
