/** The input `reverseEdges`. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE, type SystemInput } from "@hooke/hooke";
import { OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { GraphBuilder } from "@hooke/hooke/onnx";

/**
 * E = weight · Σ |v(e) + v(other edge)|² + Σ |v(e)|²: the first sum is 0 if the other edge is the reverse.
 */
function model(weight: number): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("both ways");
  const x = graph.input("positions", "f32", ["N", 3]);
  const edges = graph.input("edge_index", "i64", [2, "E"]);
  const shifts = graph.input("shifts", "f32", ["E", 3]);
  const reverse = graph.input("reverse_edge", "i64", ["E"]);
  const [source, target] = [0, 1].map((row) => graph.gather(edges, graph.constant("i64", row)));
  const vectors = graph.add(graph.sub(graph.gather(x, target!), graph.gather(x, source!)), shifts);
  const sums = graph.add(vectors, graph.gather(vectors, reverse));
  const square = (a: typeof sums) => graph.reduceSum(graph.mul(a, a), [0, 1]);
  graph.output("energy", graph.add(graph.mul(square(sums), weight), square(vectors)), []);
  return graph.build();
}

// One atom whose neighbors are its own images, and three atoms of which two are neighbors by several images.
const SYSTEMS: readonly SystemInput[] = [
  { symbols: ["Ar"], positions: [0, 0, 0], cell: [3, 0, 0, 0.4, 3.1, 0, 0.2, 0.3, 2.9] },
  {
    symbols: ["Ar", "Ar", "Ar"],
    positions: [0, 0, 0, 1.4, 0.1, 0.2, 0.3, 1.6, 1.1],
    cell: [3, 3.2, 3.4],
  },
  { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 1.5, 0, 0] },
];

async function energies(weight: number, options: OnnxModelOptions = {}): Promise<number[]> {
  await using open = await OnnxModel.open(model(weight), { cutoff: 5, ...options });
  const found: number[] = [];
  for (const system of SYSTEMS) {
    await using md = new NVE({ model: open, dt: 1 });
    found.push((await md.run(Batch.from([system]), 0)).get("energy")[0]!);
  }
  return found;
}

Deno.test("each edge is paired with its reverse, for all images", async () => {
  const [paired, alone] = [await energies(1e3), await energies(0)];
  assertEquals(paired, alone);
  assertAlmostEquals(alone[2]!, 2 * 1.5 ** 2, 1e-5);
});

Deno.test("reverse edges of half lists are an error", async () => {
  const error = await assertRejects(() => energies(1, { neighbors: "half" }));
  assert((error as Error).message.includes('neighbors must be "full"'), (error as Error).message);
});
