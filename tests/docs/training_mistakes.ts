/**
 * The mistakes that docs/training lists, made.
 *
 * @module
 */

import { hook } from "../../mod.ts";
import { atomsData, type DataSource, energyForces, sgd } from "../../src/training/mod.ts";
import { crossEntropy, meanSquaredError } from "../../src/training/mod.ts";
import { Trainer, type TrainerOptions } from "../../src/training/mod.ts";
import { decodeModel, encodeModel, GraphBuilder } from "../../src/onnx/mod.ts";
import { smallNetwork, smallTrainer } from "../training/small_trainer.ts";

/** Mistake → what throws. */
export const MISTAKES: Readonly<Record<string, () => unknown>> = {
  "no data": () => new Trainer({ ...PARTS }).train(),
  "a batch that lacks a tensor": () => smallTrainer([], { data: [{ x: X }] }).train(),
  "frames without energies": () =>
    potential("z", atomsData([{ ...ATOM, forces: [0, 0, 0] }], { cutoff: 5, batchSize: 1 })),
  "a tensor of atoms that has another name in the graph": () =>
    potential(
      "species",
      atomsData([{ ...ATOM, energy: 0, forces: [0, 0, 0] }], {
        cutoff: 5,
        batchSize: 1,
      }),
    ),
  "floats for an input of integers": () =>
    smallTrainer([], { loss: crossEntropy({ output: "hidden" }) }).step({ x: X, target: Y }),
  "a pattern that matches nothing": () => new Trainer({ ...PARTS, parameters: "third*" }),
  "a group that matches nothing": () =>
    new Trainer({
      ...PARTS,
      optimizers: sgd({ lr: 1, groups: [{ parameters: "third", lr: 2 }] }),
    }),
  "a model with several outputs, and a loss without output": () =>
    smallTrainer([], { loss: meanSquaredError({ target: "wanted" }) }).train(),
  "a model of an opset other than 18 to 21": () =>
    new Trainer({ ...PARTS, model: ofOpset17() }).step({ x: X, wanted: Y }),
  "weights that are not float32": () => new Trainer({ ...PARTS, model: doubles() }),
  "a first axis of fixed length": () =>
    smallTrainer([], { model: row() }).step({
      x: { data: new Float32Array(6), dims: [2, 3] },
      wanted: { data: new Float32Array(2), dims: [2, 1] },
    }),
  "an operator without a gradient": () =>
    new Trainer({ ...PARTS, model: determinants() }).step({
      x: { data: new Float32Array(9), dims: [1, 3, 3] },
      wanted: { data: Float32Array.of(1), dims: [1] },
    }),
  "an unknown option": () => new Trainer({ ...PARTS, epoch: 3 } as unknown as TrainerOptions),
  "a second hook that replaces the same stage": () =>
    smallTrainer([stepping("one"), stepping("other")]),
  "gradients of a wrong length from a pipe": () => smallTrainer([CUTS]).train(),
  "a patch of an unknown tensor": () => smallTrainer([PATCHES]).train(),
  "a checkpoint of another model": async () => {
    await using one = smallTrainer();
    const saved = await one.save();
    await using other = smallTrainer([], { freeze: "second" });
    await other.load(saved);
  },
};

const ATOM = { symbols: ["Ar"], positions: [[0, 0, 0]] };
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

/** A trainer of a potential whose input of atomic numbers has this name. */
async function potential(numbers: string, data: DataSource): Promise<void> {
  const builder = new GraphBuilder("potential");
  const x = builder.input("positions", "f32", ["N", 3]);
  const perElement = builder.parameter("k", new Float32Array(19), [19, 1]);
  const k = builder.gather(perElement, builder.input(numbers, "i64", ["N"]));
  builder.output("energy", builder.reduceSum(builder.mul(builder.mul(x, x), k), [1]), ["N"]);
  await using trainer = new Trainer({
    model: builder.build(),
    loss: energyForces(),
    optimizers: sgd({ lr: 1 }),
    data,
  });
  await trainer.train();
}

function ofOpset17(): Uint8Array<ArrayBuffer> {
  const model = decodeModel(smallNetwork());
  model.opsetImport[0]!.version = 17n;
  return encodeModel(model);
}

/** A layer of float64. */
function doubles(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("double");
  const x = builder.input("x", "f64", ["B", 1]);
  const w = builder.constant("f64", [2], [1, 1]);
  builder.output("y", builder.op("MatMul", [x, w], "f64"), ["B", 1]);
  return builder.build();
}

/** A layer for one sample at a time. */
function row(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("row");
  const w = builder.parameter("w", new Float32Array(3), [3, 1]);
  const y = builder.op("MatMul", [builder.input("x", "f32", [1, 3]), w], "f32");
  builder.output("y", y, [1, 1]);
  return builder.build();
}
