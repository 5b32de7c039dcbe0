/**
 * Our trainers of the networks that the tables compare.
 *
 * @module
 */

import { GraphBuilder } from "../../src/onnx/graph/graph_builder.ts";
import type { HostFeed } from "../../src/onnx/session/session_tensor.ts";
import { adam } from "../../src/training/optimizers/mod.ts";
import { crossEntropy, energyForces } from "../../src/training/losses/mod.ts";
import { Trainer } from "../../src/config/trainer/trainer.ts";
import type { TrainingBatch } from "../../src/training/data/mod.ts";
import type { StoredTensor, TrainingInput } from "./inputs.ts";

/** A trainer, and the one batch that all its steps have. */
export interface Network {
  readonly trainer: Trainer;
  readonly batch: TrainingBatch;
}

/** The trainer for an input: of a network of dense layers, or of a file of energies. */
export async function openNetwork(
  input: TrainingInput,
  runtime: "web" | "native" = "web",
): Promise<Network> {
  const batch = batchOf(input);
  const optimizers = adam({ lr: input.lr });
  const data = endless(batch);
  if (input.model === undefined) {
    const model = mlp(input);
    const loss = crossEntropy({ target: "labels" });
    return { batch, trainer: new Trainer({ model, loss, optimizers, data, runtime }) };
  }
  const trainer = new Trainer({
    model: await Deno.readFile(input.model),
    optimizers,
    data,
    runtime,
    loss: energyForces({ energy: 1, forces: input.ofForces ?? 1 }),
    parameters: Object.keys(input.parameters),
  });
  return { batch, trainer };
}

/** The same batch for ever, as one epoch. */
function endless(batch: TrainingBatch) {
  return {
    length: undefined,
    *batches(): Iterable<TrainingBatch> {
      for (;;) yield batch;
    },
  };
}

function mlp({ parameters }: TrainingInput): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("mlp");
  const parameter = (name: string) => {
    const { dims } = parameters[name]!;
    return builder.parameter(name, numbersOf(parameters[name]!) as Float32Array, dims);
  };
  const layers = Object.keys(parameters).length / 2;
  let value = builder.input("x", "f32", ["B", parameters.w1!.dims[1]!]);
  for (let i = 1; i <= layers; i++) {
    const factors = [value, parameter(`w${i}`), parameter(`b${i}`)];
    value = builder.op("Gemm", factors, "f32", { transB: 1 });
    if (i < layers) value = builder.op("Relu", [value], "f32");
  }
  builder.output("logits", value, ["B", parameters[`w${layers}`]!.dims[0]!]);
  return builder.build();
}

function batchOf({ inputs, targets, ofForces }: TrainingInput): TrainingBatch {
  const rename = (name: string) => ofForces === undefined ? name : `${name}_target`;
  const feeds = [
    ...Object.entries(inputs).map(([name, tensor]) => [name, feedOf(tensor)] as const),
    ...Object.entries(targets).map(([name, tensor]) => [rename(name), feedOf(tensor)] as const),
  ];
  const [first] = Object.values(targets);
  return { feeds: Object.fromEntries(feeds), size: first!.dims[0]! };
}

function feedOf(tensor: StoredTensor): HostFeed {
  return { data: numbersOf(tensor), dims: tensor.dims };
}

function numbersOf({ type, b64 }: StoredTensor): Float32Array | BigInt64Array {
  const { buffer } = Uint8Array.fromBase64(b64);
  return type === "int64" ? new BigInt64Array(buffer) : new Float32Array(buffer);
}
