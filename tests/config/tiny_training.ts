// The model that tests of configurations train: y = w x.
import { GraphBuilder } from "@hooke/hooke/onnx";
import {
  type Loss,
  meanSquaredError,
  type Optimizer,
  sgd,
  tensorData,
} from "@hooke/hooke/training";

/** Parts of its trainer: four samples in batches of one. */
export interface TinyParts {
  readonly model: Uint8Array<ArrayBuffer>;
  readonly loss: Loss;
  readonly data: ReturnType<typeof tensorData>;
  readonly validation: ReturnType<typeof tensorData>;
  readonly optimizers: Optimizer;
}

/** Creates new parts. */
export function tinyParts(): TinyParts {
  const builder = new GraphBuilder("line");
  const x = builder.input("x", "f32", ["B", 1]);
  const w = builder.parameter("w", [0], [1, 1]);
  builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
  const data = () =>
    tensorData({
      x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
      wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
    }, { batchSize: 1, seed: 3 });
  return {
    model: builder.build(),
    loss: meanSquaredError({ target: "wanted" }),
    data: data(),
    validation: data(),
    optimizers: sgd({ lr: 0.01 }),
  };
}
