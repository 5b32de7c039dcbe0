/**
 * Collects a histogram of gradient norms at every step, by a plain hook at the end of the step, when gradients still
 * exist. A hook declares what it reads, so a step without such a hook copies nothing.
 *
 * Run: `deno run -P=onnx examples/gradient_histogram.ts`
 */
import {
  GraphBuilder,
  hook,
  meanSquaredError,
  normalNumbers,
  sgd,
  tensorData,
  Trainer,
} from "@hooke/hooke";
import type { Value } from "@hooke/hooke/onnx";

/** Five layers of sigmoids, whose slopes are 1/4 at most, so gradients shrink from layer to layer. */
function deep(): Uint8Array {
  const builder = new GraphBuilder("deep");
  let value: Value<"f32"> = builder.input("x", "f32", ["B", 8]);
  for (let i = 1; i <= 5; i++) {
    const numbers = normalNumbers(64, { seed: i, stdev: 1 / Math.sqrt(8) });
    const product = builder.op(
      "MatMul",
      [value, builder.parameter(`w${i}`, numbers, [8, 8])],
      "f32",
    );
    value = i < 5 ? builder.op("Sigmoid", [product], "f32") : product;
  }
  builder.output("y", value, ["B", 8]);
  return builder.build();
}

/** Parameter → number of steps by the power of ten of the norm. */
const histograms = new Map<string, Map<number, number>>();
const gradientHistogram = hook({
  name: "gradientHistogram",
  reads: ["gradients"],
  on: {
    training: {
      STEP_END({ read }) {
        for (const [name, gradient] of read.gradients) {
          const power = Math.floor(Math.log10(Math.hypot(...gradient)));
          const bins = histograms.get(name) ?? new Map<number, number>();
          histograms.set(name, bins.set(power, (bins.get(power) ?? 0) + 1));
        }
      },
    },
  },
});

const x = { data: normalNumbers(128 * 8, { seed: 7 }), dims: [128, 8] };
await using trainer = new Trainer({
  model: deep(),
  loss: meanSquaredError(),
  data: tensorData({ x, target: x }, { batchSize: 16, seed: 1 }),
  optimizers: sgd({ lr: 0.1 }),
  hooks: [gradientHistogram],
  epochs: 5,
});
await trainer.train();

const powers = [-5, -4, -3, -2, -1];
console.log(`     ${powers.map((power) => `1e${power}`.padStart(6)).join("")}`);
for (const [name, bins] of histograms) {
  console.log(
    `${name}  ${powers.map((power) => String(bins.get(power) ?? "").padStart(6)).join("")}`,
  );
}
