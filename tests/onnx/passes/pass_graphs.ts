/** The real models and Lennard-Jones, with their inputs, and what passes must leave as it is: their numbers. */
import { assert, assertEquals } from "@std/assert";
import {
  decodeModel,
  Graph,
  lennardJonesModel,
  openEvaluator,
  type PlainFeeds,
} from "../../../src/onnx/mod.ts";
import { f32, fromReference, i32, type Tensors, worst } from "../ort.ts";
import { plainFeeds } from "../plain_feeds.ts";
import { readModel, readReference, SMALL_MODELS } from "../shared_models.ts";
import { has } from "../../machine.ts";

/** A model and a batch for it. */
export interface PassGraph {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For onnxruntime. */
  readonly tensors: Tensors;
  /** For the evaluator. */
  readonly feeds: PlainFeeds;
}

/** Six atoms in two systems, every pair both ways. */
export function lennardJonesBatch(): PassGraph {
  const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const positions = [0, 0, 0, 3.7, 0.2, 0, 0.3, 3.9, 0.4, 0, 0, 0, 3.6, 0, 0.5, 0.1, 0.2, 4.1];
  const pairs = [0, 1, 2].flatMap((i) => [0, 1, 2].filter((j) => i !== j).map((j) => [i, j]));
  const all = [...pairs, ...pairs.map((pair) => pair.map((atom) => atom + 3))];
  const shifts = all.flatMap((_, k) => k % 5 === 0 ? [0.4, -0.2, 0.1] : [0, 0, 0]);
  const tensors = {
    positions: f32(positions, 6, 3),
    edge_index: i32([0, 1].flatMap((row) => all.map((pair) => pair[row]!)), 2, all.length),
    shifts: f32(shifts, all.length, 3),
    batch_idx: i32([0, 0, 0, 1, 1, 1], 6),
    energy0: f32([0, 0], 2),
  };
  return { name: "Lennard-Jones", bytes, tensors, feeds: plainFeeds(tensors) };
}

/** All models there are: one of our own, and the real ones if they are there. */
export function passGraphs(): PassGraph[] {
  return [
    lennardJonesBatch(),
    ...(has("models") ? SMALL_MODELS : []).map((name) => {
      const bytes = readModel(name);
      const inputs = decodeModel(bytes).graph!.input.map((input) => input.name);
      const reference = readReference(name.replace(/_ef?\.onnx$/, "")).inputs;
      const tensors = Object.fromEntries(
        Object.entries(reference).filter(([input]) => inputs.includes(input))
          .map(([input, tensor]) => [input, fromReference(tensor)]),
      );
      return { name, bytes, tensors, feeds: plainFeeds(tensors) };
    }),
  ];
}

/** The graph after a pass makes the same of the same, to rounding; answers with what the pass answered. */
export function assertKeepsNumbers(
  { name, bytes, feeds }: PassGraph,
  apply: (graph: Graph) => number,
  tolerance: number,
): { changed: number; graph: Graph } {
  const graph = new Graph(decodeModel(bytes));
  const changed = apply(graph);
  const before = openEvaluator(bytes).run(feeds);
  const after = openEvaluator(graph.encode()).run(feeds);
  assertEquals(Object.keys(after), Object.keys(before));
  for (const [output, { type, dims, data }] of Object.entries(before)) {
    const made = after[output]!;
    assertEquals([made.type, made.dims], [type, dims], `${name}: ${output}`);
    const off = worst(made.data, data);
    assert(off <= tolerance, `${name}: ${output} is off by ${off}`);
  }
  return { changed, graph };
}
