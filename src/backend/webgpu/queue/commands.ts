import type { GpuClock } from "./gpu_clock.ts";
import type { Attempt } from "./copy_request.ts";
import type { ReadyCall } from "../program/call_maker.ts";
import type { GpuRun } from "../program/gpu_run.ts";

/**
 * Number of dispatches after which commands are submitted. It spreads the cost of a submit over many dispatches, and
 * the device still begins early.
 */
const ENOUGH = 256;

/** Encodes passes and copies in order, and submits them to the device in batches. */
export class Commands {
  readonly #device: GPUDevice;
  readonly #clock: GpuClock;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #dispatches = 0;

  constructor(device: GPUDevice, clock: GpuClock) {
    this.#device = device;
    this.#clock = clock;
  }

  /** Encodes all steps of a run. */
  run(run: GpuRun): void {
    this.#clock.begin(this.#computing(), run.program.frame);
    this.#steps(run, 0);
  }

  /**
   * Encodes the rest of a run that froze. `done` is the number of steps begun, and `call` the index of the call that
   * froze in the last of them.
   */
  resume(run: GpuRun, done: number, call: number): void {
    const { program: { calls }, first } = run;
    const step = first + done - 1;
    for (let i = call; i < calls.length; i++) this.#call(calls[i]!, step);
    this.#steps(run, done);
  }

  /** Encodes the copies of a request, after all work encoded so far. */
  copy(attempt: Attempt): void {
    // A copy cannot be encoded inside a compute pass.
    this.#pass?.end();
    this.#pass = undefined;
    attempt.encode(this.#encoding());
  }

  /** Submits everything encoded so far. */
  submit(): void {
    if (this.#encoder === undefined) return;
    this.#pass?.end();
    this.#device.queue.submit([this.#encoder.finish()]);
    this.#pass = this.#encoder = undefined;
    this.#dispatches = 0;
  }

  #steps({ program: { calls, frame }, first, steps }: GpuRun, from: number): void {
    for (let step = first + from; step < first + steps; step++) {
      // The device counts the steps itself, and skips the rest after a kernel has halted the run, because the host
      // submits all steps before it can know of the halt.
      this.#clock.tick(this.#computing(), frame);
      for (let i = 0; i < calls.length; i++) this.#call(calls[i]!, step);
      if (this.#dispatches >= ENOUGH) this.submit();
    }
  }

  #call({ passes, every, phase, fills }: ReadyCall, step: number): void {
    if (every !== 1 && step % every !== phase) return;
    if (fills?.isLoaded) {
      fills.isLoaded = false; // the first run finds pairs from the reference positions, the second one from the current positions
      this.#passes(passes);
    }
    this.#passes(passes);
  }

  #passes(passes: ReadyCall["passes"]): void {
    const encoder = this.#computing();
    for (let i = 0; i < passes.length; i++) {
      const { pipeline, bind, groups } = passes[i]!;
      if (groups[0] === 0) continue;
      encoder.setPipeline(pipeline);
      encoder.setBindGroup(0, bind);
      encoder.dispatchWorkgroups(groups[0], groups[1]);
    }
    this.#dispatches += passes.length;
  }

  #computing(): GPUComputePassEncoder {
    return this.#pass ??= this.#encoding().beginComputePass();
  }

  #encoding(): GPUCommandEncoder {
    return this.#encoder ??= this.#device.createCommandEncoder();
  }
}
