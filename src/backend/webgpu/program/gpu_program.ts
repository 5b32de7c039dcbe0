import type { KernelCall, Program } from "../../backend.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { CallMaker, type ReadyCall } from "./call_maker.ts";
import type { Pipelines } from "./pipelines.ts";

/** A program whose calls are dispatches on a device. */
export class GpuProgram implements Program {
  readonly length: number;
  /** The frame of the batch. */
  readonly frame: GpuFrame;
  /** The calls, with everything needed to encode them. */
  readonly calls: readonly ReadyCall[];
  /** True if a call fills a list. Only runs of such programs may have to be repeated. */
  readonly hasLists: boolean;
  readonly free: () => void;
  /** Frees the memory of the program at once; `free` waits until queued work no longer needs it. */
  readonly destroy: () => void;
  #moves: number;

  /** Creates the calls. `free` queues the freeing of the program. Throws a TypeError if a kernel has no shader. */
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

  /**
   * Updates the bind groups if memory was replaced: of lists that have grown, or of buffers that have adopted memory.
   */
  refresh(): void {
    if (this.#moves === this.frame.moves) return;
    this.#moves = this.frame.moves;
    for (const { passes } of this.calls) {
      for (const pass of passes) pass.bind = pass.rebind();
    }
  }
}
