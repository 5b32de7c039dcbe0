import type { HostFeed, PlainFeeds } from "../../src/onnx/mod.ts";
import type { Tensors } from "./ort.ts";

/** Tensors of onnxruntime as the evaluator takes them. */
export function plainFeeds(feeds: Tensors): PlainFeeds {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { data, dims }]): [string, HostFeed] => [
      name,
      { data: data as Float32Array<ArrayBuffer>, dims },
    ]),
  );
}
