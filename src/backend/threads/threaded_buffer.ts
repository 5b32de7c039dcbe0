import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type { Buffer } from "../backend.ts";
import type { Numbers, ReplyValue, WorkerRequest } from "./requests.ts";
import type { FrameSpread } from "./split.ts";

/** Largest buffer that fits the memory of a thread, bytes. */
const MOST_BYTES = 2 ** 31 - 64;
const BYTES: Readonly<Record<BufferType, number>> = { real: 4, f64: 8, i32: 4 };

/** Threads that share a buffer. */
export interface BufferHolder {
  /** Sends a request to each of them. */
  send(request: (part: number) => WorkerRequest): void;
  /** Sends a request to each of them, and resolves to their replies. */
  request(request: (ticket: number) => WorkerRequest): Promise<readonly ReplyValue[]>;
  /** Writes numbers into the buffer, from index `at` on. */
  write(buffer: ThreadedBuffer, values: Numbers, at: number): void;
  /** Joins the values of a buffer from all threads. */
  merged(buffer: ThreadedBuffer, found: readonly Numbers[]): Numbers;
}

/** A buffer shared by several threads. It is in host memory until a program uses it. */
export class ThreadedBuffer<D extends BufferType = BufferType> implements Buffer<D> {
  readonly dtype: D;
  readonly length: number;
  /** Its number on the threads. */
  readonly id: number;
  /** Level of its rows, if the caller has set it. */
  spread: FrameSpread | undefined;
  /** Threads that hold it; `undefined` until a program uses it. */
  holder: BufferHolder | undefined;
  /** Values; `undefined` when only the threads have them. */
  host: Arrays[D] | undefined;
  /** True after a write; buffers start with zeros. */
  isWritten = false;

  /** Throws a RangeError if no WebAssembly memory can hold it. */
  constructor(dtype: D, length: number, id: number, spread: FrameSpread | undefined) {
    const bytes = BYTES[dtype] * length;
    if (bytes > MOST_BYTES) {
      throw new RangeError(
        `Cannot allocate ${length} numbers: ${bytes} more bytes do not fit into the memory of WebAssembly`,
      );
    }
    this.dtype = dtype;
    this.length = length;
    this.id = id;
    this.spread = spread;
    this.host = numbers(dtype, length) as unknown as Arrays[D];
  }
}

/** Creates an array of zeros of the type that threads use. */
export function numbers(dtype: BufferType, length: number): Numbers {
  if (dtype === "i32") return new Int32Array(length);
  return dtype === "f64" ? new Float64Array(length) : new Float32Array(length);
}
