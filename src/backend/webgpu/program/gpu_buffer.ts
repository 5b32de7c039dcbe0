import { BufferUsage } from "../constants.ts";
import type { Arrays, BufferType } from "../../../kernels/kernel.ts";
import type { Buffer } from "../../backend.ts";

/** Bytes per number. A number of type `f64` takes two float32. */
const BYTES: Readonly<Record<BufferType, number>> = { real: 4, f64: 8, i32: 4 };

/**
 * A buffer on a device. A number of type `f64` is stored as the nearest float32 and the remainder, which gives about
 * 48 bits.
 */
export class GpuBuffer<D extends BufferType = BufferType> implements Buffer<D> {
  readonly dtype: D;
  length: number;
  #memory: GPUBuffer;
  #isOwn = true;
  /**
   * The integers that the host wrote; `undefined` for other types. Shaders are generated for the values of offsets
   * and bonds.
   */
  written: Int32Array | undefined;

  /** Creates a buffer of zeros. */
  constructor(device: GPUDevice, dtype: D, length: number) {
    this.dtype = dtype;
    this.length = length;
    this.#memory = storage(device, BYTES[dtype] * length);
    this.written = dtype === "i32" ? new Int32Array(length) : undefined;
  }

  /** The memory on the device. `adopt` and `resize` replace it. */
  get memory(): GPUBuffer {
    return this.#memory;
  }

  /** True if freeing the buffer destroys the memory. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** Replaces the memory by memory that another object owns. */
  adopt(memory: GPUBuffer): void {
    this.#memory = memory;
    this.#isOwn = false;
  }

  /** Replaces the memory by `length` zeros. Only for buffers that grow and that kernels alone write. */
  resize(device: GPUDevice, length: number): void {
    this.#memory.destroy();
    this.#memory = storage(device, BYTES[this.dtype] * length);
    this.length = length;
    this.written = undefined;
  }

  /** Number of bytes on the device. */
  get bytes(): number {
    return this.placeOf(this.length);
  }

  /** Returns the byte offset of the number at an index. */
  placeOf(index: number): number {
    return BYTES[this.dtype] * index;
  }

  /** Converts numbers to the device's format. */
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

  /** Converts the device's bytes to numbers. */
  decode(bytes: ArrayBuffer): Arrays[D] {
    return decoded(this.dtype, bytes) as unknown as Arrays[D];
  }
}

function decoded(dtype: BufferType, bytes: ArrayBuffer): Float32Array | Float64Array | Int32Array {
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

/**
 * Allocates memory for kernels, filled with zeros. It is never empty, because WebGPU cannot bind an
 * empty buffer.
 */
export function storage(device: GPUDevice, bytes: number): GPUBuffer {
  const size = Math.max(16, Math.ceil(bytes / 16) * 16);
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  return device.createBuffer({ size, usage });
}
