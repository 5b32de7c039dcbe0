import type { Arrays, Dtype } from "../../kernels/kernel.ts";
import type { Buffer } from "../backend.ts";
import type { Answer, Numbers, Order } from "./requests.ts";
import type { SpreadHere } from "./split.ts";

/** No buffer of the backends that threads have may be larger, bytes. */
const MOST_BYTES = 2 ** 31 - 64;
const BYTES: Readonly<Record<Dtype, number>> = { real: 4, f64: 8, i32: 4 };

/** Threads that have a buffer. */
export interface BufferHolder {
  /** Something to do for each of them. */
  tell(order: (part: number) => Order): void;
  /** Something to be answered by each of them. */
  ask(order: (ticket: number) => Order): Promise<readonly Answer[]>;
  /** Writes numbers into it, from `at` on. */
  write(buffer: ThreadedBuffer, values: Numbers, at: number): void;
  /** What all parts have of it, as one. */
  merged(buffer: ThreadedBuffer, found: readonly Numbers[]): Numbers;
}

/** A buffer over several threads; in host memory until a program is to work on it. */
export class ThreadedBuffer<D extends Dtype = Dtype> implements Buffer<D> {
  readonly dtype: D;
  readonly length: number;
  /** What threads call it. */
  readonly id: number;
  /** What its numbers belong to; undefined where nobody has said. */
  spread: SpreadHere | undefined;
  /** The threads of the batch it belongs to. */
  holder: BufferHolder | undefined;
  /** What is in it; undefined where only threads know. */
  host: Arrays[D] | undefined;
  /** Whether it is anything but zeros. */
  isWritten = false;

  /** Throws a RangeError where no memory of WebAssembly could hold it. */
  constructor(dtype: D, length: number, id: number, spread: SpreadHere | undefined) {
    const bytes = BYTES[dtype] * length;
    if (bytes > MOST_BYTES) {
      throw new RangeError(
        `Cannot allocate ${length} numbers as they must fit into the memory of WebAssembly: ${bytes} bytes more do not`,
      );
    }
    this.dtype = dtype;
    this.length = length;
    this.id = id;
    this.spread = spread;
    this.host = numbers(dtype, length) as unknown as Arrays[D];
  }
}

/** Zeros, as threads have them. */
export function numbers(dtype: Dtype, length: number): Numbers {
  if (dtype === "i32") return new Int32Array(length);
  return dtype === "f64" ? new Float64Array(length) : new Float32Array(length);
}
