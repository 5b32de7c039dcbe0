/**
 * The mistakes that docs/training.md lists, made.
 *
 * @module
 */

import { hook } from "../../mod.ts";
import { sgd, type TrainerOptions } from "../../src/training/mod.ts";
import { crossEntropy, meanSquaredError, Trainer } from "../../src/training/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { smallNetwork, smallTrainer } from "../training/small_trainer.ts";

/** Mistake → what throws. */
export const MISTAKES: Readonly<Record<string, () => unknown>> = {
  "no data": () => new Trainer({ ...PARTS }).train(),
  "a batch without a tensor": () => smallTrainer([], { data: [{ x: X }] }).train(),
  "floats where whole numbers must be": () =>
    smallTrainer([], { loss: crossEntropy({ output: "hidden" }) }).step({ x: X, target: Y }),
  "a pattern that fits nothing": () => new Trainer({ ...PARTS, parameters: "third*" }),
  "a group that fits nothing": () =>
    new Trainer({
      ...PARTS,
      optimizers: sgd({ lr: 1, groups: [{ parameters: "third", lr: 2 }] }),
    }),
  "several outputs, and none named": () =>
    smallTrainer([], { loss: meanSquaredError({ target: "wanted" }) }).train(),
  "an operator without a gradient": () =>
    new Trainer({ ...PARTS, model: determinants() }).step({
      x: { data: new Float32Array(9), dims: [1, 3, 3] },
      wanted: { data: Float32Array.of(1), dims: [1] },
    }),
  "an option that there is none of": () =>
    new Trainer({ ...PARTS, epoch: 3 } as unknown as TrainerOptions),
  "a second hook for one replacement": () => smallTrainer([stepping("one"), stepping("other")]),
  "gradients of a wrong length from a pipe": () => smallTrainer([CUTS]).train(),
  "a point that is no tensor": () => smallTrainer([PATCHES]).train(),
  "a checkpoint of another model": async () => {
    await using one = smallTrainer();
    const saved = await one.save();
    await using other = smallTrainer([], { freeze: "second" });
    await other.load(saved);
  },
};

const X = { data: Float32Array.of(1, 2, 3), dims: [1, 3] };
const Y = { data: Float32Array.of(1), dims: [1, 1] };
const PARTS = {
  model: smallNetwork(),
  loss: meanSquaredError({ output: "y", target: "wanted" }),
  optimizers: sgd({ lr: 1 }),
};
const stepping = (name: string) => hook({ name, on: { training: { OPTIMIZER_STEP: () => {} } } });
const CUTS = hook({
  name: "cuts",
  on: { training: { GRADIENTS: () => new Map([["first", new Float32Array(1)]]) } },
});
const PATCHES = {
  settings: { patches: [{ point: "hiden", kind: "zero" }] },
  onTrainBegin: () => {},
};

/** A network that goes through an operator that has no gradient. */
function determinants(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("net");
  const w = builder.parameter("w", new Float32Array(9), [3, 3]);
  const y = builder.op("MatMul", [builder.input("x", "f32", ["B", 3, 3]), w], "f32");
  builder.output("y", builder.op("Det", [y], "f32"), ["B"]);
  return builder.build();
}
