/** Array type of each element type of tensors. Booleans are stored as bytes, 0 or 1. */
export interface ArrayByDtype {
  /** Single precision. */
  float32: Float32Array;
  /** Double precision. WebGPU does not support it. */
  float64: Float64Array;
  /** Half precision. */
  float16: Float16Array;
  /** Signed 8-bit integers. */
  int8: Int8Array;
  /** Unsigned 8-bit integers. */
  uint8: Uint8Array;
  /** Signed 16-bit integers. */
  int16: Int16Array;
  /** Unsigned 16-bit integers. */
  uint16: Uint16Array;
  /** Signed 32-bit integers. */
  int32: Int32Array;
  /** Unsigned 32-bit integers. */
  uint32: Uint32Array;
  /** Signed 64-bit integers. */
  int64: BigInt64Array;
  /** Unsigned 64-bit integers. */
  uint64: BigUint64Array;
  /** Booleans, one byte each. */
  bool: Uint8Array;
}

/** Element type of a tensor, as named by onnxruntime. */
export type TensorDtype = keyof ArrayByDtype;

/** Elements of a tensor. */
export type TensorArray = ArrayByDtype[TensorDtype];

/** Name, type and shape of a model's input or output. */
export interface TensorInfo {
  /** Name under which the tensor is fed or fetched. */
  readonly name: string;
  /** Element type. */
  readonly dtype: TensorDtype;
  /**
   * Dimensions: a number if the size is fixed, a name if it varies. Empty for a scalar, and also if the model does
   * not declare a shape, because onnxruntime does not distinguish these cases.
   */
  readonly shape: ReadonlyArray<number | string>;
}

/** An input tensor in host memory. */
export interface HostFeed {
  /** Elements, in row-major order. */
  readonly data: TensorArray;
  /**
   * Dimensions.
   *
   * @default [data.length]
   */
  readonly dims?: readonly number[];
}

/** A tensor in a buffer on the session's GPU device. {@linkcode createTensorBuffer} creates a suitable buffer. */
export interface GpuFeed {
  /** Buffer of the tensor. */
  readonly buffer: GPUBuffer;
  /** Dimensions. */
  readonly dims: readonly number[];
}

/** Tensors by input name. */
export type Feeds = Readonly<Record<string, HostFeed | GpuFeed>>;

/** An array that receives an output. It must have the length and the type of the output. */
export interface HostFetch {
  /** Array to write to. */
  readonly data: TensorArray;
}

/**
 * Outputs to compute: a list of names, or a destination for each name. `null` lets the session allocate the tensor.
 *
 * A destination array saves the caller an allocation per run, but the runtime still allocates its own.
 */
export type Fetches = readonly string[] | Readonly<Record<string, HostFetch | GpuFeed | null>>;

/** A tensor in host memory. The caller of `run` owns its elements. */
export type HostTensor<D extends TensorDtype = TensorDtype> = {
  [each in D]: {
    /** Memory that holds the elements. */
    readonly location: "host";
    /** Element type. */
    readonly dtype: each;
    /** Dimensions. */
    readonly dims: readonly number[];
    /** Elements, in row-major order. */
    readonly data: ArrayByDtype[each];
  };
}[D];

/** A tensor on the GPU. */
export interface GpuTensor {
  /** Memory that holds the elements. */
  readonly location: "gpu";
  /** Element type. */
  readonly dtype: TensorDtype;
  /** Dimensions. */
  readonly dims: readonly number[];
  /** Buffer of the tensor. Custom GPU passes may read and write it until it is disposed of. */
  readonly buffer: GPUBuffer;
  /** Copies the tensor to host memory. This is slow, because it waits for the GPU. */
  read(): Promise<TensorArray>;
  /** Returns the buffer to the session if the session owns it. */
  dispose(): void;
}

/** Tensors by output name. */
export type Outputs = Readonly<Record<string, HostTensor | GpuTensor>>;

/** Constructors of the arrays, by element type. */
export const TENSOR_ARRAYS: {
  readonly [D in TensorDtype]: {
    new (length: number): ArrayByDtype[D];
    new (buffer: ArrayBuffer, at: number, length: number): ArrayByDtype[D];
    readonly BYTES_PER_ELEMENT: number;
  };
} = {
  float32: Float32Array,
  float64: Float64Array,
  // Some runtimes lack Float16Array. There, arrays of this type do not exist, so the model cannot be fed anyway.
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

/** Element types that onnxruntime supports in GPU buffers. */
const ON_GPU: ReadonlySet<TensorDtype> = new Set(
  ["float32", "float16", "int32", "int64", "uint32", "uint8", "bool"] as const,
);

/** Returns the number of elements of a tensor with these dimensions. */
export function countOf(dims: readonly number[]): number {
  let count = 1;
  for (const dim of dims) count *= dim;
  return count;
}

/**
 * Returns the size in bytes of a GPU buffer for a tensor. It is a multiple of 16, because onnxruntime accesses 16
 * bytes at a time.
 */
export function gpuBytesOf(dtype: TensorDtype, dims: readonly number[]): number {
  const bytes = countOf(dims) * TENSOR_ARRAYS[dtype].BYTES_PER_ELEMENT;
  return Math.max(16, Math.ceil(bytes / 16) * 16);
}

/**
 * Creates a GPU buffer that a session can read and write. `device` must be the device of the session.
 *
 * @throws {TypeError} if onnxruntime does not support the type on a GPU
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
    // STORAGE, COPY_SRC and COPY_DST. Some hosts do not define `GPUBufferUsage` until a device exists.
    usage: 0x80 | 0x4 | 0x8,
  });
}

/** Throws a TypeError if a GPU buffer cannot hold elements of a type. */
export function checkOnGpu(name: string, dtype: TensorDtype): void {
  if (ON_GPU.has(dtype)) return;
  throw new TypeError(
    `Cannot put ${name} on the GPU: its type must be one of ${
      [...ON_GPU].join(", ")
    }; got ${dtype}`,
  );
}

/**
 * Returns the elements of an output, which must be in host memory and have the type `dtype`.
 *
 * @throws {TypeError} if the output was not fetched, is on the GPU, or has another type
 */
export function dataOf<D extends TensorDtype>(
  outputs: Outputs,
  name: string,
  dtype: D,
): ArrayByDtype[D] {
  const output = outputs[name];
  if (output?.location === "host" && output.dtype === dtype) return output.data as ArrayByDtype[D];
  const current = output === undefined
    ? `only the outputs ${Object.keys(outputs).join(", ") || "of an empty object"}`
    : `${output.dtype} ${output.location === "gpu" ? "on the GPU" : "in host memory"}`;
  throw new TypeError(
    `Output ${name} must be ${dtype} in host memory; got ${current}`,
  );
}
