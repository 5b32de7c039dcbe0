import { assertEquals, assertThrows } from "@std/assert";
import {
  dataOf,
  decodeModel,
  evaluatorSession,
  Graph,
  GraphBuilder,
  UnsupportedNodeError,
} from "../../../src/onnx/mod.ts";
import { orderedScatters } from "../../../src/onnx/passes/ordered_scatters.ts";

/** A model that scatters three updates into zeros of this shape, the first and last into the same place. */
function scatter(dims: readonly number[], reduction: string, width = 1): Uint8Array {
  const builder = new GraphBuilder("scatter");
  const places = builder.input("places", "i64", ["E", width]);
  const updates = builder.input("updates", "f32", ["E", ...dims.slice(width)]);
  const zeros = builder.constant("f32", Array(dims.reduce((a, b) => a * b)).fill(0), dims);
  const attributes = reduction === "none" ? {} : { reduction };
  builder.output("y", builder.op("ScatterND", [zeros, places, updates], "f32", attributes), dims);
  return builder.build();
}

async function run(bytes: Uint8Array, rest: readonly number[]): Promise<number[]> {
  const count = rest.reduce((a, b) => a * b, 3);
  await using session = evaluatorSession(bytes);
  const outputs = await session.run({
    places: { data: BigInt64Array.of(2n, 0n, -1n), dims: [3, 1] },
    updates: { data: Float64Array.from({ length: count }, (_, i) => i + 1), dims: [3, ...rest] },
  });
  return [...dataOf(outputs, "y", "float64")];
}

for (const rest of [[], [2], [2, 2]]) {
  for (const reduction of ["add", "max"]) {
    Deno.test(`a ScatterND of ${rest.length + 1} axes that reduces by ${reduction} becomes a ScatterElements`, async () => {
      const before = scatter([3, ...rest], reduction), graph = new Graph(decodeModel(before));
      assertEquals(orderedScatters(graph), 1);
      assertEquals(graph.nodes.some(({ opType }) => opType === "ScatterND"), false);
      const after = await run(graph.encode(), rest);
      assertEquals(after, await run(before, rest));
      const [first, last] = [1, 1 + 2 * after.length / 3]; // updates of the last row
      assertEquals(after[after.length * 2 / 3], reduction === "add" ? first + last : last);
    });
  }
}

Deno.test("a ScatterND without a reduction is kept, and indices other than [E, 1] are rejected", () => {
  const plain = new Graph(decodeModel(scatter([3, 2], "none")));
  assertEquals([orderedScatters(plain), plain.nodes.length], [0, 1]);
  const pairs = new Graph(decodeModel(scatter([3, 2], "add", 2)));
  const error = assertThrows(() => orderedScatters(pairs), UnsupportedNodeError);
  assertEquals([error.op, error.action], ["ScatterND", "run on several threads"]);
});
