/** The types a tensor's numbers can have, and how they lie in memory. Truth values are bytes, 0 or 1. */
export interface TensorArrays {
  /** Single precision. */
  float32: Float32Array;
  /** Double precision; only on wasm. */
  float64: Float64Array;
  /** Half precision. */
  float16: Float16Array;
  /** Whole numbers of 8 bits. */
  int8: Int8Array;
  /** Of 8 bits, from 0 on. */
  uint8: Uint8Array;
  /** Of 16 bits. */
  int16: Int16Array;
  /** Of 16 bits, from 0 on. */
  uint16: Uint16Array;
  /** Of 32 bits. */
  int32: Int32Array;
  /** Of 32 bits, from 0 on. */
  uint32: Uint32Array;
  /** Of 64 bits. */
  int64: BigInt64Array;
  /** Of 64 bits, from 0 on. */
  uint64: BigUint64Array;
  /** Truth values, a byte each. */
  bool: Uint8Array;
}

/** The type of a tensor's numbers, as onnxruntime calls it. */
export type TensorDtype = keyof TensorArrays;

/** The numbers of a tensor. */
export type TensorArray = TensorArrays[TensorDtype];

/** What a model says of an input or an output. */
export interface TensorInfo {
  /** By which it is fed or fetched. */
  readonly name: string;
  /** The type of its numbers. */
  readonly dtype: TensorDtype;
  /**
   * A number where the size is fixed, a name where it varies. Empty for a single number, and also where the model
   * does not say: onnxruntime does not tell the two apart.
   */
  readonly shape: ReadonlyArray<number | string>;
}

/** A tensor in host memory, to be read. */
export interface HostFeed {
  /** Its numbers, the last index fastest. */
  readonly data: TensorArray;
  /**
   * Its sizes.
   *
   * @default [data.length]
   */
  readonly dims?: readonly number[];
}

/** A tensor in a buffer of the session's own GPU device: {@linkcode createTensorBuffer} makes one that fits. */
export interface GpuFeed {
  /** Where it is. */
  readonly buffer: GPUBuffer;
  /** Its sizes. */
  readonly dims: readonly number[];
}

/** Input → tensor. */
export type Feeds = Readonly<Record<string, HostFeed | GpuFeed>>;

/** An array that takes an output's numbers: as many as they are, of their type. */
export interface HostFetch {
  /** Where they go. */
  readonly data: TensorArray;
}

/**
 * Which outputs to have: their names, or for each one where it goes. `null` leaves it to the session.
 *
 * An output in an array of the caller's spares the caller an array per run, not the runtime its own.
 */
export type Fetches = readonly string[] | Readonly<Record<string, HostFetch | GpuFeed | null>>;

/** A tensor in host memory; its numbers belong to whoever ran the session. */
export type HostTensor<D extends TensorDtype = TensorDtype> = {
  [each in D]: {
    /** Where it is. */
    readonly location: "host";
    /** The type of its numbers. */
    readonly dtype: each;
    /** Its sizes. */
    readonly dims: readonly number[];
    /** Its numbers. */
    readonly data: TensorArrays[each];
  };
}[D];

/** A tensor on the GPU. */
export interface GpuTensor {
  /** Where it is. */
  readonly location: "gpu";
  /** The type of its numbers. */
  readonly dtype: TensorDtype;
  /** Its sizes. */
  readonly dims: readonly number[];
  /** Its buffer, which own passes may read and write until it is disposed of. */
  readonly buffer: GPUBuffer;
  /** A copy in host memory. Slow: it waits for the GPU. */
  read(): Promise<TensorArray>;
  /** Gives the buffer back, if it was the session's. */
  dispose(): void;
}

/** Output → tensor. */
export type Outputs = Readonly<Record<string, HostTensor | GpuTensor>>;

/** What makes an array of each type. */
export const TENSOR_ARRAYS: {
  readonly [D in TensorDtype]: {
    new (length: number): TensorArrays[D];
    new (buffer: ArrayBuffer, at: number, length: number): TensorArrays[D];
    readonly BYTES_PER_ELEMENT: number;
  };
} = {
  float32: Float32Array,
  float64: Float64Array,
  // Where it does not exist yet nothing makes one, and no model of that type can be fed.
  float16: globalThis.Float16Array ?? Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};

/** The types that onnxruntime takes in a GPU buffer. */
const ON_GPU: ReadonlySet<TensorDtype> = new Set(
  ["float32", "float16", "int32", "int64", "uint32", "uint8", "bool"] as const,
);

/** How many numbers a tensor of these sizes has. */
export function countOf(dims: readonly number[]): number {
  let count = 1;
  for (const dim of dims) count *= dim;
  return count;
}

/** How many bytes a GPU buffer for this tensor has: onnxruntime reads and writes 16 at a time. */
export function gpuBytesOf(dtype: TensorDtype, dims: readonly number[]): number {
  const bytes = countOf(dims) * TENSOR_ARRAYS[dtype].BYTES_PER_ELEMENT;
  return Math.max(16, Math.ceil(bytes / 16) * 16);
}

/**
 * Makes a GPU buffer that a session can read from or write to. The device must be the session's.
 *
 * @throws {TypeError} for a type that onnxruntime does not take on a GPU
 */
export function createTensorBuffer(
  device: GPUDevice,
  { dtype, dims, label }: {
    readonly dtype: TensorDtype;
    readonly dims: readonly number[];
    readonly label?: string;
  },
): GPUBuffer {
  checkOnGpu(label ?? "a tensor", dtype);
  return device.createBuffer({
    ...(label === undefined ? {} : { label }),
    size: gpuBytesOf(dtype, dims),
    usage: 0x80 | 0x4 | 0x8, // STORAGE, COPY_SRC, COPY_DST; not every host has the names without a device
  });
}

/** Throws a TypeError for a type that has no place in a GPU buffer. */
export function checkOnGpu(name: string, dtype: TensorDtype): void {
  if (ON_GPU.has(dtype)) return;
  throw new TypeError(
    `Cannot put ${name} on the GPU as its type must be one of ${
      [...ON_GPU].join(", ")
    }: current type is ${dtype}`,
  );
}

/**
 * The numbers of an output, when it is in host memory and of this type.
 *
 * @throws {TypeError} when it was not fetched, is on the GPU, or has another type
 */
export function dataOf<D extends TensorDtype>(
  outputs: Outputs,
  name: string,
  dtype: D,
): TensorArrays[D] {
  const output = outputs[name];
  if (output?.location === "host" && output.dtype === dtype) return output.data as TensorArrays[D];
  const current = output === undefined
    ? `missing among ${Object.keys(outputs).join(", ") || "no outputs"}`
    : `${output.dtype} ${output.location === "gpu" ? "on the GPU" : "in host memory"}`;
  throw new TypeError(
    `Cannot take the numbers of ${name} as it must be ${dtype} in host memory: it is ${current}`,
  );
}
