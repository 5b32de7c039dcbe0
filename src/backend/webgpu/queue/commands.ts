import type { Clock } from "./gpu_clock.ts";
import type { Attempt } from "./copy_request.ts";
import type { ReadyCall } from "../program/gpu_program.ts";
import type { GpuRun } from "../program/gpu_run.ts";

/** So many dispatches go to the device at once: enough to cost little, not so many that it begins late. */
const ENOUGH = 256;

/** Commands on their way to the device: passes and copies in order, in few submits. */
export class Commands {
  readonly #device: GPUDevice;
  readonly #clock: Clock;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #dispatches = 0;

  constructor(device: GPUDevice, clock: Clock) {
    this.#device = device;
    this.#clock = clock;
  }

  /** Whether there are any that the device does not have. */
  get isWaiting(): boolean {
    return this.#encoder !== undefined;
  }

  /** A run from its beginning. */
  run(run: GpuRun): void {
    this.#clock.begin(this.#computing(), run.program.frame);
    this.#steps(run, 0);
  }

  /** What is left of a run after `done` steps had begun, the last of which came as far as a call. */
  resume(run: GpuRun, done: number, call: number): void {
    const { program: { calls }, first } = run;
    const step = first + done - 1;
    for (let i = call; i < calls.length; i++) this.#call(calls[i]!, step);
    this.#steps(run, done);
  }

  /** Copies of memory as it is after all that came before. */
  copy(attempt: Attempt): void {
    this.#pass?.end();
    this.#pass = undefined;
    attempt.encode(this.#encoding());
  }

  /** Hands all to the device. */
  send(): void {
    if (this.#encoder === undefined) return;
    this.#pass?.end();
    this.#device.queue.submit([this.#encoder.finish()]);
    this.#pass = this.#encoder = undefined;
    this.#dispatches = 0;
  }

  #steps({ program: { calls, frame }, first, steps }: GpuRun, from: number): void {
    for (let step = first + from; step < first + steps; step++) {
      this.#clock.tick(this.#computing(), frame);
      for (let i = 0; i < calls.length; i++) this.#call(calls[i]!, step);
      if (this.#dispatches >= ENOUGH) this.send();
    }
  }

  #call({ passes, every, phase, fills }: ReadyCall, step: number): void {
    if (every !== 1 && step % every !== phase) return;
    if (fills?.isLoaded) {
      fills.isLoaded = false; // once from where atoms were, then as ever
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
