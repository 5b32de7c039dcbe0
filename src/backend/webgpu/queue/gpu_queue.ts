import type { GpuFrame } from "../gpu_frame.ts";
import type { Pipelines } from "../program/pipelines.ts";
import type { GpuRun } from "../program/gpu_run.ts";
import { FrameWord } from "../wgsl/module.ts";
import { Commands } from "./commands.ts";
import { type Arrived, CopyRequest, type Source } from "./copy_request.ts";
import { Deliveries } from "./deliveries.ts";
import { DeviceFault } from "./device_fault.ts";
import { ExternalWork } from "./external_work.ts";
import { GpuClock } from "./gpu_clock.ts";
import { PendingWork } from "./pending.ts";
import { Repeats } from "./repeats.ts";
import { Staging } from "./staging.ts";
import { Turns } from "./turns.ts";

/**
 * Everything that goes to a device and comes from it, in the order of the calls, without waiting for the device.
 *
 * A kernel may find a list of pairs or edges too short, which the host learns only later. Then the list grows, and every
 * run and copy since is repeated ({@linkcode Repeats}). Work that cannot be repeated, such as writing to memory or freeing
 * it, must therefore wait until nothing before it can fail so ({@linkcode Turns}). Copies are mapped many at a time
 * ({@linkcode Deliveries}).
 */
export class GpuQueue {
  readonly #clock: GpuClock;
  readonly #commands: Commands;
  readonly #staging: Staging;
  readonly #fault: DeviceFault;
  readonly #pending: PendingWork = new PendingWork();
  readonly #repeats: Repeats;
  readonly #turns: Turns;
  readonly #deliveries: Deliveries;

  /** Starts with nothing to do. */
  constructor(device: GPUDevice, pipelines: Pipelines) {
    this.#clock = new GpuClock(device, pipelines);
    const commands = this.#commands = new Commands(device, this.#clock);
    this.#staging = new Staging(device);
    const fault = this.#fault = new DeviceFault(device);
    const pending = this.#pending;
    const repeats = this.#repeats = new Repeats(device, commands, pending, fault);
    this.#deliveries = new Deliveries(() => commands.submit(), (request) => this.#arrive(request));
    this.#turns = new Turns({
      get isUnsure() {
        return pending.isUnsure;
      },
      get repeating() {
        return repeats.underWay;
      },
      confirm: () => this.#copy([], pending.frames, false),
      fail: (error) => fault.set(error),
    });
  }

  /** Adds a batch: from now on its runs are kept until the host knows how they ended. */
  enter(frame: GpuFrame): void {
    this.#pending.enter(frame);
  }

  /** Removes a batch. */
  leave(frame: GpuFrame): void {
    this.#pending.leave(frame);
  }

  /** Does work that cannot be repeated, once everything before it is done for good. */
  runOnce(work: () => void): void {
    this.#turns.order(() => {
      this.#commands.submit();
      work();
    }, true);
  }

  /** Runs a program in its turn. */
  run(run: GpuRun): void {
    this.#turns.order(() => this.#start(run));
  }

  /** Lets others submit work on the memory of a batch in its turn. */
  runExternal(frame: GpuFrame, work: () => Promise<void>): Promise<void> {
    return this.#turns.take(async () => {
      this.#fault.assertNone();
      this.#pending.of(frame)!.add(new ExternalWork(work));
      this.#commands.submit();
      const submitting = work();
      this.#repeats.waitFor(submitting);
      await submitting;
    });
  }

  /** Resolves to the number of steps that a run did. */
  async settle(run: GpuRun): Promise<number> {
    // A run that is repeated needs the copy after the repetition.
    while (run.done === undefined) {
      await this.#turns.take(() => this.#copy([], [run.program.frame], false));
    }
    return run.done;
  }

  /** Copies memory as it is in the copy's turn. With `isLate`, nothing waits for the copy. */
  copy(sources: readonly Source[], isLate: boolean): Promise<readonly ArrayBuffer[]> {
    return this.#turns.take(() => {
      const frames = this.#pending.frames.filter(({ memories }) =>
        sources.some(({ memory }) => memories.has(memory))
      );
      return this.#copy(sources, frames, isLate);
    });
  }

  /** Submits all commands, and maps all copies. */
  flush(): void {
    this.#deliveries.flush();
  }

  /** Ends: callers that still wait get an error. */
  close(): void {
    this.flush();
    this.#fault.set(
      new Error(
        "Cannot go on with backend webgpu as it must not have been disposed of: open another one",
      ),
    );
    this.#fault.close();
    this.#staging.free();
    this.#clock.free();
    this.#pending.clear();
  }

  #start(run: GpuRun): void {
    if (this.#fault.error !== undefined) return;
    const { program, program: { frame } } = run;
    run.number = ++frame.runs;
    this.#pending.of(frame)!.add(run);
    program.refresh();
    this.#commands.run(run);
    // The device remembers the step counts of the last RING runs only: they are read before they are overwritten.
    if (run.number % (FrameWord.RING / 4) === 0) {
      this.#copy([], [frame], true).catch((error: Error) => this.#fault.set(error));
    }
    this.#deliveries.schedule();
  }

  #copy(
    sources: readonly Source[],
    frames: readonly GpuFrame[],
    isLate: boolean,
  ): Promise<readonly ArrayBuffer[]> {
    if (this.#fault.error !== undefined) return Promise.reject(this.#fault.error);
    const request = new CopyRequest(sources, frames, this.#staging);
    this.#commands.copy(request.attempt);
    for (const frame of frames) this.#pending.of(frame)?.add(request);
    return this.#deliveries.add(request, isLate);
  }

  /** Waits for a copy; if it must be repeated, for the copy that replaces it. */
  async #arrive(request: CopyRequest): Promise<readonly ArrayBuffer[]> {
    for (;;) {
      const { attempt } = request;
      const arrived = await this.#checked(() => attempt.arrive());
      this.#repeats.observe(arrived);
      while (this.#repeats.underWay !== undefined) await this.#repeats.underWay;
      if (request.attempt !== attempt) continue;
      for (const frame of request.frames) this.#pending.of(frame)?.remove(request);
      return arrived.values;
    }
  }

  /** Prefers the device's own fault to the error that followed from it. */
  async #checked(arrive: () => Promise<Arrived>): Promise<Arrived> {
    this.#fault.assertNone();
    let arrived: Arrived;
    try {
      arrived = await arrive();
    } catch (error) {
      await this.#fault.settle();
      throw this.#fault.error ?? error;
    }
    this.#fault.assertNone();
    return arrived;
  }
}
