import { assertEquals, assertThrows } from "@std/assert";
import type { HostFeed, TensorArray } from "../../../src/onnx/session/session_tensor.ts";
import { tensorData } from "../../../src/training/data/mod.ts";
import { gathered } from "./gathered.ts";

const COUNT = 9;

/** Number i is i, from the middle of a larger memory. */
const ARRAYS: Readonly<Record<string, (length: number) => TensorArray>> = {
  float32: (n) => Float32Array.from({ length: n + 3 }, (_, i) => i - 3).subarray(3),
  float64: (n) => Float64Array.from({ length: n + 1 }, (_, i) => i - 1).subarray(1),
  float16: (n) => Float16Array.from({ length: n }, (_, i) => i),
  int8: (n) => Int8Array.from({ length: n + 1 }, (_, i) => i - 1).subarray(1),
  uint16: (n) => Uint16Array.from({ length: n + 1 }, (_, i) => i - 1).subarray(1),
  int32: (n) => Int32Array.from({ length: n }, (_, i) => i),
  uint8: (n) => Uint8Array.from({ length: n + 5 }, (_, i) => i - 5).subarray(5),
  int64: (n) => BigInt64Array.from({ length: n + 1 }, (_, i) => BigInt(i - 1)).subarray(1),
  uint64: (n) => BigUint64Array.from({ length: n + 1 }, (_, i) => BigInt(i)).subarray(0, n),
};

for (const [dtype, make] of Object.entries(ARRAYS)) {
  Deno.test(`rows of ${dtype}, short ones and long ones, are those of the tensor`, async () => {
    for (const width of [1, 3, 11, 14]) {
      const x = { data: make(COUNT * width), dims: [COUNT, width] };
      const row = { data: Int32Array.from({ length: COUNT }, (_, i) => i) };
      for (const { feeds, size } of await gathered(tensorData({ x, row }, { batchSize: 4 }))) {
        const rows = Array.from(feeds.row!.data, Number);
        const numbers = rows.flatMap((r) => Array.from({ length: width }, (_, k) => r * width + k));
        assertEquals(Array.from(feeds.x!.data, Number), numbers);
        assertEquals(feeds.x!.dims, [size, width]);
        assertEquals(feeds.x!.data.constructor, x.data.constructor);
      }
    }
  });
}

Deno.test("numbers of 64 bits come through with all their bits", async () => {
  const data = BigInt64Array.of(-1n, 2n ** 62n + 1n, -(2n ** 63n), 2n ** 32n - 1n);
  const [batch] = await gathered(tensorData({ x: { data } }, { batchSize: 4, shuffle: false }));
  assertEquals(batch!.feeds.x!.data, data);
});

Deno.test("samples of any shape are cut along the first axis alone", async () => {
  const x = { data: Float32Array.from({ length: 24 }, (_, i) => i), dims: [2, 3, 4] };
  const empty = { data: new Float32Array(0), dims: [2, 0] };
  const batches = await gathered(tensorData({ x, empty }, { batchSize: 1, shuffle: false }));
  assertEquals(batches[1]!.feeds, {
    x: { data: x.data.slice(12), dims: [1, 3, 4] },
    empty: { data: new Float32Array(0), dims: [1, 0] },
  });
});

Deno.test("tensorData() refuses values that are not tensors, and shapes that do not fit together", () => {
  const make = (tensors: unknown) => () =>
    tensorData(tensors as Record<string, HostFeed>, { batchSize: 1 });
  const x = { data: new Float32Array(6), dims: [3, 2] };
  assertThrows(make({ x: [1, 2] }), TypeError, 'the tensor "x" must be a tensor, { data, dims }');
  assertThrows(
    make({ x: { ...x, dims: [4, 2] } }),
    RangeError,
    "whose product is its 6 numbers; got [4, 2]",
  );
  assertThrows(
    make({ x: { ...x, dims: [-3, -2] } }),
    RangeError,
    "non-negative integers as dims, whose product is its 6 numbers; got [-3, -2]",
  );
  assertThrows(
    make({ x, y: { data: new Float32Array(2) } }),
    RangeError,
    "the first axis of all tensors must have the same length; got x [3, 2], y [2]",
  );
  const scalar = { data: new Float32Array(1), dims: [] };
  assertThrows(make({ scalar }), RangeError, "got scalar []");
  assertThrows(make({}), RangeError, "got none");
  const none = { data: new Float32Array(0), dims: [0, 2] };
  assertThrows(make({ none }), RangeError, "must have at least one sample; got 0");
});
