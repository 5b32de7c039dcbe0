import type { Runtime, RuntimeTensor } from "./session_runtime.ts";
import {
  checkOnGpu,
  countOf,
  type Feeds,
  type Fetches,
  gpuBytesOf,
  type GpuFeed,
  type HostFeed,
  TENSOR_ARRAYS,
  type TensorInfo,
} from "./session_tensor.ts";

/** Properties of a session against which feeds and fetches are checked. */
export interface Expected {
  /** Name of the model in error messages. */
  readonly name: string;
  /** True if tensors may be in GPU buffers. */
  readonly isGpu: boolean;
  /**
   * True if the runtime refuses arrays in shared memory. Such arrays are copied before they are passed to the
   * runtime.
   */
  readonly copiesShared: boolean;
  /** Types and shapes of inputs by name. */
  readonly inputs: ReadonlyMap<string, TensorInfo>;
  /** Types and shapes of outputs by name. */
  readonly outputs: ReadonlyMap<string, TensorInfo>;
}

/** Usage flags that the runtime requires of GPU buffers: STORAGE, COPY_SRC and COPY_DST. */
const USAGE = 0x80 | 0x4 | 0x8;

/** Returns feeds as tensors of the runtime. Throws a TypeError or RangeError if a feed does not fit its input. */
export function toRuntimeFeeds(
  runtime: Runtime,
  expected: Expected,
  feeds: Feeds,
): Record<string, RuntimeTensor> {
  const tensors: Record<string, RuntimeTensor> = {};
  for (const name in feeds) {
    const info = expected.inputs.get(name);
    if (info === undefined) throw unknownName(expected, "input", name);
    tensors[name] = toTensor(runtime, expected, info, feeds[name]!);
  }
  for (const name of expected.inputs.keys()) {
    if (tensors[name] !== undefined) continue;
    throw new TypeError(
      `Cannot run ${expected.name}: input ${name} is required: pass it to run`,
    );
  }
  return tensors;
}

/** Returns fetches as tensors of the runtime, by output name. With `null`, the runtime allocates the tensor. */
export function toRuntimeFetches(
  runtime: Runtime,
  expected: Expected,
  fetches: Fetches | undefined,
): Record<string, RuntimeTensor | null> {
  const tensors: Record<string, RuntimeTensor | null> = {};
  if (fetches === undefined || Array.isArray(fetches)) {
    for (const name of fetches ?? expected.outputs.keys()) {
      if (!expected.outputs.has(name)) throw unknownName(expected, "output", name);
      tensors[name] = null;
    }
    return tensors;
  }
  for (const [name, fetch] of Object.entries(fetches as Exclude<Fetches, readonly string[]>)) {
    const info = expected.outputs.get(name);
    if (info === undefined) throw unknownName(expected, "output", name);
    // The runtime ignores preallocated arrays in host memory, so `takeInto` copies the result.
    tensors[name] = fetch !== null && "buffer" in fetch
      ? toTensor(runtime, expected, info, fetch)
      : null;
  }
  return tensors;
}

function toTensor(
  runtime: Runtime,
  expected: Expected,
  info: TensorInfo,
  feed: HostFeed | GpuFeed,
): RuntimeTensor {
  const dims = feed.dims ?? [(feed as HostFeed).data.length];
  checkDims(expected.name, info, dims);
  if ("buffer" in feed) {
    checkBuffer(expected, info, feed);
    return runtime.Tensor.fromGpuBuffer(feed.buffer, { dataType: info.dtype, dims });
  }
  const { data } = feed;
  const wanted = TENSOR_ARRAYS[info.dtype];
  if (!(data instanceof (wanted as unknown as { new (): unknown }))) {
    throw new TypeError(
      `Cannot run ${expected.name}: input ${info.name} must be ${info.dtype} in a ${
        (wanted as unknown as { readonly name: string }).name
      }; got a ${(data as object | undefined)?.constructor?.name}`,
    );
  }
  if (data.length !== countOf(dims)) {
    throw new RangeError(
      `Cannot run ${expected.name}: input ${info.name} must have ${
        dims.join(" * ") || "1"
      } values; got ${data.length}`,
    );
  }
  const isShared = expected.copiesShared && !(data.buffer instanceof ArrayBuffer);
  return new runtime.Tensor(info.dtype, isShared ? data.slice() : data, dims);
}

/**
 * Throws a RangeError if a shape does not fit an input. In a model, a shape without dimensions means a scalar or an
 * unknown shape, so such an input accepts any shape.
 */
function checkDims(model: string, { name, shape }: TensorInfo, dims: readonly number[]): void {
  let fits = shape.length === 0 || shape.length === dims.length;
  for (let i = 0; i < dims.length && fits; i++) {
    const [size, dim] = [shape[i], dims[i]!];
    fits = Number.isInteger(dim) && dim >= 0 &&
      (typeof size !== "number" || size < 0 || size === dim);
  }
  if (fits) return;
  throw new RangeError(
    `Cannot run ${model}: input ${name} must have the shape [${shape.join(", ")}]; got [${
      dims.join(", ")
    }]`,
  );
}

function checkBuffer({ name, isGpu }: Expected, info: TensorInfo, feed: GpuFeed): void {
  if (!isGpu) {
    throw new TypeError(
      `Cannot run ${name}: the session runs on the CPU, so ${info.name} must be in host memory; got a GPU buffer`,
    );
  }
  checkOnGpu(info.name, info.dtype);
  const bytes = gpuBytesOf(info.dtype, feed.dims);
  if (feed.buffer.size < bytes) {
    throw new RangeError(
      `Cannot run ${name}: the buffer of ${info.name} must have at least ${bytes} bytes (rounded up to a multiple of 16); ` +
        `got ${feed.buffer.size}`,
    );
  }
  if ((feed.buffer.usage & USAGE) === USAGE) return;
  throw new TypeError(
    `Cannot run ${name}: the usage of the buffer of ${info.name} must include STORAGE, COPY_SRC and COPY_DST; got ` +
      `0x${feed.buffer.usage.toString(16)}`,
  );
}

function unknownName(expected: Expected, kind: "input" | "output", name: string): TypeError {
  const names = [...(kind === "input" ? expected.inputs : expected.outputs).keys()];
  return new TypeError(
    `Cannot run ${expected.name}: unknown ${kind} ${name}; it must be one of ${names.join(", ")}`,
  );
}
