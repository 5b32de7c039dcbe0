/**
 * Finds the origin of a NaN: NanGuard ends the run before parameters are damaged, and names the step, the batch and
 * the tensors that are not finite. A hook that reads all tensors of the model finds the first one. Then the same data
 * is trained with such steps skipped.
 *
 * Run: `deno run -P=onnx examples/find_nan.ts`
 */
import {
  GraphBuilder,
  hook,
  meanSquaredError,
  NanGuard,
  sgd,
  tensorData,
  Trainer,
} from "@hooke/hooke";
import { NotFiniteError } from "@hooke/hooke/observe";

/** y = w ln x + b. The product has a name; other tensors are named after operators. */
const builder = new GraphBuilder("logarithm");
const x = builder.input("x", "f32", ["B", 1]);
const w = builder.parameter("w", [0], [1]), b = builder.parameter("b", [0], [1]);
const product = builder.named(builder.mul(builder.op("Log", [x], "f32"), w), "product");
builder.output("y", builder.add(product, b), ["B", 1]);
const model = builder.build();

/** y = 2 ln x + 1, with x = 0 in one of 80 points. */
const xs = Float32Array.from({ length: 80 }, (_, i) => i === 42 ? 0 : 0.2 + i / 20);
const data = tensorData({
  x: { data: xs, dims: [80, 1] },
  target: { data: xs.map((x) => x === 0 ? 0 : 2 * Math.log(x) + 1), dims: [80, 1] },
}, { batchSize: 8, shuffle: false });
const parts = { model, data, loss: meanSquaredError(), optimizers: sgd({ lr: 0.1 }), epochs: 20 };

/** Tensors of the model in the order in which they are computed. */
const firstNaN = hook({
  name: "firstNaN",
  reads: ["activations:*"],
  on: {
    training: {
      AFTER_FORWARD({ stepCount, read }) {
        const isBad = ({ data }: { data: ArrayLike<number> }) =>
          Array.from(data, Number).some((x) => !Number.isFinite(x));
        const bad = [...read["activations:*"]].find(([, tensor]) => isBad(tensor));
        if (bad !== undefined) console.log(`step ${stepCount}: the first is ${bad[0]}`);
      },
    },
  },
});

{
  await using trainer = new Trainer({ ...parts, hooks: [firstNaN, new NanGuard()] });
  try {
    await trainer.train();
  } catch (error) {
    if (!(error instanceof NotFiniteError)) throw error;
    console.log(error.message);
  }
}
{
  const guard = new NanGuard({ mode: "skip", write: () => {} });
  await using trainer = new Trainer({ ...parts, hooks: [guard] });
  await trainer.train();
  const [w, b] = [await trainer.parameter("w"), await trainer.parameter("b")];
  console.log(`${guard.skipped} steps skipped: y = ${w[0]!.toFixed(2)} ln x + ${b[0]!.toFixed(2)}`);
}
