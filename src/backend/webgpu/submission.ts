import type { Clock } from "./clock.ts";
import type { ReadyCall } from "./gpu_program.ts";
import type { GpuRun } from "./gpu_run.ts";

/** So many dispatches go to the device at once: enough to cost little, not so many that it begins late. */
const MOST = 4096;

/** Runs as commands: all passes of all steps one after the other, in few submits. */
export class Submission {
  readonly #device: GPUDevice;
  readonly #clock: Clock;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #count = 0;

  constructor(device: GPUDevice, clock: Clock) {
    this.#device = device;
    this.#clock = clock;
  }

  /** A run from its beginning. */
  run(run: GpuRun): void {
    this.#clock.begin(this.#next(1), run.program.frame);
    this.#steps(run, 0);
  }

  /** What is left of a run after `done` steps had begun, the last of which came as far as a call. */
  resume(run: GpuRun, done: number, call: number): void {
    const { program: { calls }, first } = run;
    const step = first + done - 1;
    for (let i = call; i < calls.length; i++) this.#call(calls[i]!, step);
    this.#steps(run, done);
  }

  /** Hands all to the device. */
  end(): void {
    if (this.#pass === undefined) return;
    this.#pass.end();
    this.#device.queue.submit([this.#encoder!.finish()]);
    this.#pass = undefined;
    this.#count = 0;
  }

  #steps({ program: { calls, frame }, first, steps }: GpuRun, from: number): void {
    for (let step = first + from; step < first + steps; step++) {
      this.#clock.tick(this.#next(1), frame);
      for (let i = 0; i < calls.length; i++) this.#call(calls[i]!, step);
    }
  }

  #call({ passes, every, phase, finds }: ReadyCall, step: number): void {
    if (every !== 1 && step % every !== phase) return;
    if (finds?.isLoaded) {
      finds.isLoaded = false; // once from where atoms were, then as ever
      this.#passes(passes);
    }
    this.#passes(passes);
  }

  #passes(passes: ReadyCall["passes"]): void {
    const encoder = this.#next(passes.length);
    for (let i = 0; i < passes.length; i++) {
      const { pipeline, bind, groups } = passes[i]!;
      if (groups[0] === 0) continue;
      encoder.setPipeline(pipeline);
      encoder.setBindGroup(0, bind);
      encoder.dispatchWorkgroups(groups[0], groups[1]);
    }
  }

  #next(dispatches: number): GPUComputePassEncoder {
    if (this.#count + dispatches > MOST) this.end();
    this.#count += dispatches;
    if (this.#pass === undefined) {
      this.#encoder = this.#device.createCommandEncoder();
      this.#pass = this.#encoder.beginComputePass();
    }
    return this.#pass;
  }
}
