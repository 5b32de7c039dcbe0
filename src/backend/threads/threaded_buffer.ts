import type { Arrays, Dtype } from "../../kernels/kernel.ts";
import type { Buffer } from "../backend.ts";
import type { Numbers } from "./orders.ts";
import type { SpreadHere } from "./split.ts";
import type { ThreadedFrame } from "./threaded_frame.ts";

/** A buffer over several threads; in host memory until a program is to work on it. */
export class ThreadedBuffer<D extends Dtype = Dtype> implements Buffer<D> {
  readonly dtype: D;
  readonly length: number;
  /** What threads call it. */
  readonly id: number;
  /** What its numbers belong to; undefined where nobody has said. */
  spread: SpreadHere | undefined;
  /** The batch whose threads have it. */
  frame: ThreadedFrame | undefined;
  /** What is in it; undefined where only threads know. */
  host: Arrays[D] | undefined;
  /** Whether it is anything but zeros. */
  isWritten = false;

  constructor(dtype: D, length: number, id: number, spread: SpreadHere | undefined) {
    this.dtype = dtype;
    this.length = length;
    this.id = id;
    this.spread = spread;
    this.host = numbers(dtype, length) as unknown as Arrays[D];
  }

  /** Whether threads change it: then they know best. */
  get isTheirs(): boolean {
    return this.host === undefined;
  }
}

/** Zeros, as threads have them. */
export function numbers(dtype: Dtype, length: number): Numbers {
  if (dtype === "i32") return new Int32Array(length);
  return dtype === "f64" ? new Float64Array(length) : new Float32Array(length);
}
