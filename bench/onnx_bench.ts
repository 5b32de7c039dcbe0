/**
 * Measures models and prints quick figures: `deno bench -A bench/onnx_bench.ts`. `deno task bench:table onnx`
 * measures the promises.
 *
 * @module
 */

import { captureSafe, decodeModel, Graph, int64ToInt32 } from "../src/onnx/mod.ts";
import { bare, ours } from "./onnx/codec.ts";
import { largestModel } from "./onnx/models.ts";

const path = await largestModel();
if (path === undefined) console.log("no models beside the project: nothing to measure");
else {
  const bytes = await Deno.readFile(path);
  const group = "read and write the largest model";
  Deno.bench({ name: "onnx-buf", group, baseline: true, fn: () => void bare(bytes) });
  Deno.bench({ name: "hooke", group, fn: () => void ours(bytes) });
  Deno.bench({
    name: "hooke, with two edits",
    group,
    fn() {
      const graph = new Graph(decodeModel(bytes));
      int64ToInt32(graph);
      captureSafe(graph);
      graph.encode();
    },
  });
}
