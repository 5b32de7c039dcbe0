/**
 * Graphs with taps and patches, run through the door.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  decodeModel,
  type FeedsByInput,
  Graph,
  GraphBuilder,
  openSession,
} from "../../../src/onnx/mod.ts";
import { fromReference } from "../ort.ts";
import { readModel, readReference } from "../shared_models.ts";

/** Runs a graph on wasm, and returns the numbers of each output. */
export async function run(graph: Graph, feeds: FeedsByInput): Promise<Record<string, number[]>> {
  await using session = await openSession(graph.encode());
  const outputs = await session.run(feeds);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => {
      assertEquals(output.location, "host");
      return [name, output.location === "host" ? Array.from(output.data, Number) : []];
    }),
  );
}

/** Numbers of float32. */
export function f32(values: ArrayLike<number>, ...dims: number[]): FeedsByInput[string] {
  return { data: Float32Array.from(values), dims };
}

/** A switch. */
export function flag(isOn: boolean): FeedsByInput[string] {
  return { data: Uint8Array.of(isOn ? 1 : 0), dims: [] };
}

/** A graph that is written by formulas. */
export function graphOf(write: (g: GraphBuilder) => void): Graph {
  const builder = new GraphBuilder("small");
  write(builder);
  return new Graph(decodeModel(builder.build()));
}

/** The network of shared/models, and the batch that goes with it. */
export function mlp(): { readonly graph: Graph; readonly feeds: FeedsByInput } {
  const feeds = Object.entries(readReference("mlp").inputs).map(([name, tensor]) => {
    const { data, dims } = fromReference(tensor);
    return [name, { data: data as Float32Array<ArrayBuffer>, dims: [...dims] }];
  });
  const graph = new Graph(decodeModel(readModel("mlp_e.onnx")));
  const known = graph.inputs.map(({ name }) => name);
  return { graph, feeds: Object.fromEntries(feeds.filter(([name]) => known.includes(`${name}`))) };
}

/** Numbers between −1 and 1 that look random and are always the same. */
export function noise(count: number, seed = 1): Float32Array<ArrayBuffer> {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
