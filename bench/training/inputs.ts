/**
 * Inputs for training the networks, the same for Hooke and the peers: parameters, one batch that all steps use, and
 * the target values.
 *
 * @module
 */

import { philox, uniform } from "../../src/kernels/philox.ts";
import { decodeModel } from "../../src/onnx/codec/codec.ts";
import { tensorValues } from "../../src/onnx/codec/tensor_proto.ts";
import { modelFolder } from "../onnx/models.ts";

/** A tensor as the files of references have it: the bytes of its elements, little-endian. */
export interface StoredTensor {
  readonly type: "float32" | "int64";
  readonly dims: readonly number[];
  readonly b64: string;
}

/** Tensors by name. */
export type StoredTensors = Readonly<Record<string, StoredTensor>>;

/** Input of Hooke and of the peers. */
export interface TrainingInput {
  /** The graph of energies, where there is one; its parameters are also below. */
  readonly model?: string;
  /** Trained weights, [out, in]. */
  readonly parameters: StoredTensors;
  /** Constants of the network that are not trained. */
  readonly constants: StoredTensors;
  readonly inputs: StoredTensors;
  readonly targets: StoredTensors;
  /** Factor of the mean square of forces, if there are forces. */
  readonly ofForces?: number;
  /** Of Adam, the rest as it comes. */
  readonly lr: number;
}

/** Network of dense layers with ReLU between them: rows of the batch, and values before and after each layer. */
export interface MlpSize {
  readonly batch: number;
  readonly layers: readonly number[];
  /** Learning rate of Adam. @default 1e-3 */
  readonly lr?: number;
}

/** The network with one hidden layer. */
const MLP: MlpSize = { batch: 64, layers: [784, 256, 10] };

/** Layers of the large network. */
const LARGE_LAYERS = [784, 1024, 1024, 1024, 10] as const;

/** Largest difference between the target energies and forces and those of the untrained network. */
const OFF = 0.1;

/**
 * Returns an input for the large network with this number of rows. With a higher rate, the first ten steps amplify the
 * rounding of sums, and losses of two programs differ by more than a percent.
 */
export function largeMlpInput(batch: number): TrainingInput {
  return mlpInput({ batch, layers: LARGE_LAYERS, lr: 1e-4 });
}

/** Returns a network, and numbers between 0 and 1 with classes that do not depend on them. */
export function mlpInput({ batch, layers, lr = 1e-3 }: MlpSize = MLP): TrainingInput {
  const parameters: Record<string, StoredTensor> = {};
  const last = layers.length - 1;
  for (let i = 0; i < last; i++) {
    const into = layers[i]!, out = layers[i + 1]!, scale = 1 / Math.sqrt(into);
    parameters[`w${i + 1}`] = floats([out, into], scaled(2 * i, [out, into], scale));
    parameters[`b${i + 1}`] = floats([out], scaled(2 * i + 1, [out], scale));
  }
  const labels = BigInt64Array.from({ length: batch }, (_, i) => BigInt(i % layers[last]!));
  const dims = [batch, layers[0]!];
  return {
    parameters,
    constants: {},
    inputs: { x: floats(dims, scaled(2 * last, dims, 1).map(Math.abs)) },
    targets: { labels: { type: "int64", dims: [batch], b64: base64Of(labels) } },
    lr,
  };
}

/** SchNet and its reference, where the models stand beside the project. */
export async function schnetInput(): Promise<TrainingInput | undefined> {
  const folder = await modelFolder();
  if (folder === undefined) return undefined;
  const model = `${folder}/schnet_e.onnx`;
  const { initializer } = decodeModel(await Deno.readFile(model)).graph!;
  const stored = initializer.filter(({ dataType, dims }) => dataType === 1 && dims.length > 0)
    .map((one): [string, StoredTensor] => [
      one.name,
      floats(one.dims.map(Number), tensorValues(one) as Float32Array<ArrayBuffer>),
    ]);
  const isTrained = (name: string) => name.endsWith(".weight") || name.endsWith(".bias");
  const { inputs, outputs } = JSON.parse(await Deno.readTextFile(`${folder}/schnet_ref.json`));
  return {
    model,
    inputs,
    ofForces: 10,
    lr: 1e-3,
    parameters: Object.fromEntries(stored.filter(([name]) => isTrained(name))),
    constants: Object.fromEntries(stored.filter(([name]) => !isTrained(name))),
    targets: { energy: beside(outputs.energy, 5), forces: beside(outputs.forces, 6) },
  };
}

/** Float64 of a reference, each a little off. */
function beside({ dims, b64 }: StoredTensor, seed: number): StoredTensor {
  const right = new Float64Array(Uint8Array.fromBase64(b64).buffer);
  const off = scaled(seed, dims, OFF);
  return floats(dims, Float32Array.from(right, (value, i) => value + off[i]!));
}

function floats(dims: readonly number[], values: Float32Array<ArrayBuffer>): StoredTensor {
  return { type: "float32", dims, b64: base64Of(values) };
}

function base64Of({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): string {
  return new Uint8Array(buffer, byteOffset, byteLength).toBase64();
}

/** Numbers between −`scale` and `scale`. */
function scaled(seed: number, dims: readonly number[], scale: number): Float32Array<ArrayBuffer> {
  const words = new Uint32Array(4);
  return Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => {
    philox(i, 0, 0, 0, seed, 0, words);
    return (2 * uniform(words[0]!) - 1) * scale;
  });
}
