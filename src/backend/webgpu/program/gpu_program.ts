import type { KernelCall, Program } from "../../backend.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { CallMaker, type ReadyCall } from "./call_maker.ts";
import type { Pipelines } from "./pipelines.ts";

/** Calls in order, as dispatches. */
export class GpuProgram implements Program {
  readonly length: number;
  /** The batch. */
  readonly frame: GpuFrame;
  /** The calls, ready to be encoded. */
  readonly calls: readonly ReadyCall[];
  /** True if a call fills a list. Only such programs may have to be repeated. */
  readonly hasLists: boolean;
  readonly free: () => void;
  /** Frees its memory at once, without waiting for its turn. */
  readonly destroy: () => void;
  #moves: number;

  /** `free` queues the freeing of the program. Throws a TypeError if a kernel has no shader. */
  constructor(
    device: GPUDevice,
    pipelines: Pipelines,
    frame: GpuFrame,
    calls: readonly KernelCall[],
    free: (program: GpuProgram) => void,
  ) {
    this.frame = frame;
    this.length = calls.length;
    this.#moves = frame.moves;
    const maker = new CallMaker(device, pipelines, frame);
    this.calls = maker.makeAll(calls);
    this.hasLists = this.calls.some(({ fills }) => fills !== undefined);
    this.free = () => free(this);
    this.destroy = () => maker.free();
  }

  /** Updates bindings after memory has moved: lists that have grown, and adopted buffers. */
  refresh(): void {
    if (this.#moves === this.frame.moves) return;
    this.#moves = this.frame.moves;
    for (const { passes } of this.calls) {
      for (const pass of passes) pass.bind = pass.rebind();
    }
  }
}
