import { BufferUsage } from "../constants.ts";
import type { Arrays, Dtype } from "../../../kernels/kernel.ts";
import type { Buffer } from "../../backend.ts";

/** Bytes per number: a sum takes two float32. */
const BYTES: Readonly<Record<Dtype, number>> = { real: 4, f64: 8, i32: 4 };

/** A buffer on a device. A sum is there as the nearest float32 and what that leaves over: about 48 bits. */
export class GpuBuffer<D extends Dtype = Dtype> implements Buffer<D> {
  readonly dtype: D;
  length: number;
  #memory: GPUBuffer;
  #isOwn = true;
  /** What the host wrote to it, where that are integers: offsets and bonds are known to both. */
  written: Int32Array | undefined;

  /** Makes a buffer of zeros. */
  constructor(device: GPUDevice, dtype: D, length: number) {
    this.dtype = dtype;
    this.length = length;
    this.#memory = storage(device, BYTES[dtype] * length);
    this.written = dtype === "i32" ? new Int32Array(length) : undefined;
  }

  /** What the device knows it by. */
  get memory(): GPUBuffer {
    return this.#memory;
  }

  /** Whether its memory goes when it does. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** From now on it is in memory of others. */
  adopt(memory: GPUBuffer): void {
    this.#memory = memory;
    this.#isOwn = false;
  }

  /** Other memory, of zeros, for so many numbers: of what kernels alone write, and what grows. */
  resize(device: GPUDevice, length: number): void {
    this.#memory.destroy();
    this.#memory = storage(device, BYTES[this.dtype] * length);
    this.length = length;
    this.written = undefined;
  }

  /** How much of the device's memory its numbers take. */
  get bytes(): number {
    return this.placeOf(this.length);
  }

  /** Where a number is, in bytes. */
  placeOf(index: number): number {
    return BYTES[this.dtype] * index;
  }

  /** Numbers as the device has them. */
  encode(values: ArrayLike<number>): Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> {
    if (this.dtype === "i32") return Int32Array.from(values);
    if (this.dtype === "real") return Float32Array.from(values);
    const halves = new Float32Array(2 * values.length);
    for (let i = 0; i < values.length; i++) {
      const high = halves[2 * i] = Math.fround(values[i]!);
      halves[2 * i + 1] = Number.isFinite(high) ? values[i]! - high : 0;
    }
    return halves;
  }

  /** Numbers as the host has them. */
  decode(bytes: ArrayBuffer): Arrays[D] {
    return decoded(this.dtype, bytes) as unknown as Arrays[D];
  }
}

function decoded(dtype: Dtype, bytes: ArrayBuffer): Float32Array | Float64Array | Int32Array {
  if (dtype === "i32") return new Int32Array(bytes);
  const values = new Float32Array(bytes);
  if (dtype === "real") return values;
  const sums = new Float64Array(values.length / 2);
  for (let i = 0; i < sums.length; i++) {
    const [high, low] = [values[2 * i]!, values[2 * i + 1]!];
    sums[i] = Number.isFinite(high) ? high + low : high;
  }
  return sums;
}

/** Memory for kernels, of zeros; some even where there is nothing to keep, as nothing cannot be bound. */
export function storage(device: GPUDevice, bytes: number): GPUBuffer {
  const size = Math.max(16, Math.ceil(bytes / 16) * 16);
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  return device.createBuffer({ size, usage });
}
