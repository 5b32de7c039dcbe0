import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  dataOf,
  decodeModel,
  evaluatorSession,
  Graph,
  GraphBuilder,
  openSession,
  UnsupportedNodeError,
} from "../../../src/onnx/mod.ts";
import { orderedScatters } from "../../../src/onnx/passes/ordered_scatters.ts";

/** A model that scatters updates into tensors of zeros, once per shape, all by the same indices. */
function scatter(shapes: readonly number[][], reduction: string, width = 1): Uint8Array {
  const builder = new GraphBuilder("scatter");
  const places = builder.input("places", "i64", ["E", width]);
  const attributes = reduction === "none" ? {} : { reduction };
  for (const [i, dims] of shapes.entries()) {
    const updates = builder.input(`updates${i}`, "f32", ["E", ...dims.slice(width)]);
    const zeros = builder.constant("f32", Array(dims.reduce((a, b) => a * b)).fill(0), dims);
    const y = builder.op("ScatterND", [zeros, places, updates], "f32", attributes);
    builder.output(`y${i}`, y, dims);
  }
  return builder.build();
}

async function run(bytes: Uint8Array, rest: readonly number[]): Promise<number[]> {
  const count = rest.reduce((a, b) => a * b, 3);
  await using session = evaluatorSession(bytes);
  const outputs = await session.run({
    places: { data: BigInt64Array.of(2n, 0n, -1n), dims: [3, 1] },
    updates0: { data: Float64Array.from({ length: count }, (_, i) => i + 1), dims: [3, ...rest] },
  });
  return [...dataOf(outputs, "y0", "float64")];
}

for (const rest of [[], [2], [2, 2]]) {
  for (const reduction of ["add", "max"]) {
    Deno.test(`a ScatterND of ${rest.length + 1} axes that reduces by ${reduction} becomes a ScatterElements`, async () => {
      const before = scatter([[3, ...rest]], reduction), graph = new Graph(decodeModel(before));
      assertEquals(orderedScatters(graph), 1);
      assertEquals(graph.nodes.some(({ opType }) => opType === "ScatterND"), false);
      const after = await run(graph.encode(), rest);
      assertEquals(after, await run(before, rest));
      const [first, last] = [1, 1 + 2 * after.length / 3]; // updates of the last row
      assertEquals(after[after.length * 2 / 3], reduction === "add" ? first + last : last);
    });
  }
}

/** Columns of the longest rows, and of those beside them. */
const LONG = 61, SHORT = 3, ROWS = 40;

/** Updates of a column: small integers, so sums are exact in any order. */
const updatesOf = (count: number, columns: number) => ({
  data: Float32Array.from({ length: count * columns }, (_, i) => i * 7919 % 13 - 5),
  dims: [count, columns],
});

/** Sums over rows by a loop, one per width. */
function expectedSums(places: readonly number[]): number[][] {
  return [LONG, SHORT].map((columns) => {
    const sums = Array<number>(ROWS * columns).fill(0),
      { data } = updatesOf(places.length, columns);
    for (const [e, place] of places.entries()) {
      const row = (place + ROWS) % ROWS;
      for (let k = 0; k < columns; k++) sums[row * columns + k]! += data[e * columns + k]!;
    }
    return sums;
  });
}

/** Lists of indices: rows without updates, negative indices, a row with most of the updates, and none at all. */
const LISTS: Readonly<Record<string, readonly number[]>> = {
  mixed: Array.from({ length: 300 }, (_, e) => e * 31 % 17 - (e % 3 === 0 ? ROWS : 0)),
  "almost all equal": Array.from({ length: 500 }, (_, e) => e % 50 === 0 ? e % ROWS : 7),
  single: [-1],
  empty: [],
};

Deno.test("sums of long rows share tables, and are equal to a loop's for any list of indices", async () => {
  const graph = new Graph(decodeModel(scatter([[ROWS, LONG], [ROWS, SHORT]], "add")));
  assertEquals(orderedScatters(graph), 2);
  const count = (op: string) => graph.nodes.filter(({ opType }) => opType === op).length;
  assertEquals([count("TopK"), count("ReduceSum")], [1, 2]);
  assertEquals(orderedScatters(graph), 0);
  for (const threads of [1, 2]) {
    await using session = await openSession(graph.encode(), { runtime: "web", threads });
    for (const [name, places] of Object.entries(LISTS)) {
      const outputs = await session.run({
        places: { data: BigInt64Array.from(places, BigInt), dims: [places.length, 1] },
        updates0: updatesOf(places.length, LONG),
        updates1: updatesOf(places.length, SHORT),
      });
      const sums = ["y0", "y1"].map((y) => [...dataOf(outputs, y, "float32")]);
      assertEquals(sums, expectedSums(places), `${name}, ${threads} threads`);
    }
  }
});

Deno.test("an index out of range is an error, not the sum of another row", async () => {
  const graph = new Graph(decodeModel(scatter([[ROWS, LONG + SHORT]], "add")));
  assertEquals(orderedScatters(graph), 1);
  await using session = await openSession(graph.encode(), { runtime: "web", threads: 1 });
  for (const place of [BigInt(ROWS), BigInt(-ROWS - 1)]) {
    const feeds = {
      places: { data: BigInt64Array.of(place), dims: [1, 1] },
      updates0: updatesOf(1, LONG + SHORT),
    };
    const error = await session.run(feeds).then(() => undefined, (reason) => reason);
    assert(error instanceof RangeError && error.message.includes("out of"), `${error}`);
  }
});

Deno.test("a ScatterND without a reduction is kept, and indices other than [E, 1] are rejected", () => {
  const plain = new Graph(decodeModel(scatter([[3, 2]], "none")));
  assertEquals([orderedScatters(plain), plain.nodes.length], [0, 1]);
  const pairs = new Graph(decodeModel(scatter([[3, 2]], "add", 2)));
  const error = assertThrows(() => orderedScatters(pairs), UnsupportedNodeError);
  assertEquals([error.op, error.action], ["ScatterND", "run on several threads"]);
});
