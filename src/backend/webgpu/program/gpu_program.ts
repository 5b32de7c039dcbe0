import type { Call, Program } from "../../backend.ts";
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
  /** True if a call fills a list: only then can anything have to be repeated. */
  readonly hasLists: boolean;
  readonly free: () => void;
  /** Frees its memory at once, without waiting for its turn. */
  readonly destroy: () => void;
  #moves: number;

  /** `free` frees the program in its turn. Throws a TypeError if there is no shader of a kernel. */
  constructor(
    device: GPUDevice,
    pipelines: Pipelines,
    frame: GpuFrame,
    calls: readonly Call[],
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

  /** Binds again what has moved: lists that have grown, and buffers that others have made room for. */
  refresh(): void {
    if (this.#moves === this.frame.moves) return;
    this.#moves = this.frame.moves;
    for (const { passes } of this.calls) {
      for (const pass of passes) pass.bind = pass.rebind();
    }
  }
}
