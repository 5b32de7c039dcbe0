/**
 * onnxruntime-web's wasm build as the judge of what graphs mean, with none of the door's code in between.
 *
 * @module
 */

import * as ort from "onnxruntime-web";
import type { ReferenceTensor } from "./shared_models.ts";

ort.env.wasm.numThreads = 1;

/** Name → tensor. */
export type Tensors = Readonly<Record<string, ort.Tensor>>;

/** Returns the results of a model for these inputs. Inputs that the model does not have are ignored. */
export async function runModel(model: Uint8Array, feeds: Tensors): Promise<Tensors> {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ["wasm"],
    logSeverityLevel: 3,
  });
  try {
    const known = Object.entries(feeds).filter(([name]) => session.inputNames.includes(name));
    return await session.run(Object.fromEntries(known)) as unknown as Tensors;
  } finally {
    await session.release();
  }
}

/** A float32 tensor. */
export function f32(values: ArrayLike<number>, ...dims: number[]): ort.Tensor {
  return new ort.Tensor("float32", Float32Array.from(values), dims);
}

/** An int32 tensor. */
export function i32(values: ArrayLike<number>, ...dims: number[]): ort.Tensor {
  return new ort.Tensor("int32", Int32Array.from(values), dims);
}

/** An int64 tensor. */
export function i64(values: ArrayLike<number>, ...dims: number[]): ort.Tensor {
  return new ort.Tensor("int64", BigInt64Array.from(Array.from(values, BigInt)), dims);
}

/** A flag. */
export function bool(value: boolean): ort.Tensor {
  return new ort.Tensor("bool", Uint8Array.of(value ? 1 : 0), []);
}

/** The same with int32 for int64. */
export function narrowed(feeds: Tensors): Tensors {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, tensor]) => [
      name,
      tensor.type === "int64"
        ? i32(Array.from(tensor.data as BigInt64Array, Number), ...tensor.dims)
        : tensor,
    ]),
  );
}

/** A tensor of a reference; float64 becomes float32. */
export function fromReference({ type, dims, b64 }: ReferenceTensor): ort.Tensor {
  const buffer = Uint8Array.from(atob(b64), (c) => c.charCodeAt(0)).buffer;
  if (type === "int64") return new ort.Tensor("int64", new BigInt64Array(buffer), dims);
  return f32(type === "float64" ? new Float64Array(buffer) : new Float32Array(buffer), ...dims);
}

/** The values of a tensor as numbers. */
export function numbersOf(tensor: ort.Tensor | undefined): number[] {
  if (tensor === undefined) throw new Error("there is no such tensor");
  return Array.from(tensor.data as Float32Array | BigInt64Array, Number);
}

/** The largest difference relative to the largest value of `expected`; NaN where there is one on either side. */
export function worst(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  let difference = 0, largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const d = Math.abs(actual[i]! - expected[i]!);
    if (!(d <= difference)) difference = d;
    if (!(Math.abs(expected[i]!) <= largest)) largest = Math.abs(expected[i]!);
    if (Number.isNaN(difference) || Number.isNaN(largest)) return NaN;
  }
  return difference === 0 ? 0 : difference / largest;
}
