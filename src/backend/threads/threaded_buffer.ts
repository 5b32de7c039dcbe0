import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type { Buffer } from "../backend.ts";
import type { Numbers, ReplyValue, WorkerRequest } from "./requests.ts";
import type { FrameSpread } from "./split.ts";

/** Largest size of a buffer in the memory of a thread, in bytes. */
const MOST_BYTES = 2 ** 31 - 64;
const BYTES: Readonly<Record<BufferType, number>> = { real: 4, f64: 8, i32: 4 };

/** The threads of a batch, which hold a buffer. */
export interface BufferHolder {
  /** Sends a request to each thread. `request` is called with the index of the thread. */
  send(request: (part: number) => WorkerRequest): void;
  /** Sends a request for values to the threads that hold them, and resolves to their replies. */
  requestValues(request: (ticket: number) => WorkerRequest): Promise<readonly ReplyValue[]>;
  /** Writes numbers into a buffer, from index `at` on. */
  write(buffer: ThreadedBuffer, values: Numbers, at: number): void;
  /** Returns the values of the whole buffer, joined from `found`, the values that each thread has returned. */
  merged(buffer: ThreadedBuffer, found: readonly Numbers[]): Numbers;
}

/** A buffer whose rows are distributed over several threads. It is in host memory until a program uses it. */
export class ThreadedBuffer<D extends BufferType = BufferType> implements Buffer<D> {
  readonly dtype: D;
  readonly length: number;
  /** Id of the buffer in requests to threads. */
  readonly id: number;
  /** Level of the rows; `undefined` if it is not known. */
  spread: FrameSpread | undefined;
  /** The threads that hold the buffer; `undefined` until a program uses it. */
  holder: BufferHolder | undefined;
  /** Values in host memory; `undefined` if only the threads have the values. */
  host: Arrays[D] | undefined;
  /** True after the first write. Before it, all values are 0 and need not be sent. */
  isWritten = false;

  /** Creates a buffer of zeros. Throws a RangeError if no WebAssembly memory can hold it. */
  constructor(dtype: D, length: number, id: number, spread: FrameSpread | undefined) {
    const bytes = BYTES[dtype] * length;
    if (bytes > MOST_BYTES) {
      throw new RangeError(
        `Cannot allocate ${length} numbers: ${bytes} more bytes do not fit into the memory of WebAssembly. Use a smaller batch`,
      );
    }
    this.dtype = dtype;
    this.length = length;
    this.id = id;
    this.spread = spread;
    this.host = numbers(dtype, length) as unknown as Arrays[D];
  }
}

/** Creates an array of zeros, in the array type by which threads store `dtype`. */
export function numbers(dtype: BufferType, length: number): Numbers {
  if (dtype === "i32") return new Int32Array(length);
  return dtype === "f64" ? new Float64Array(length) : new Float32Array(length);
}
