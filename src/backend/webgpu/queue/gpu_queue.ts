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
 * The queue of all work and all copies of a device. It keeps the order of the calls, and does not wait for the
 * device.
 *
 * The host submits many steps before the device has run the first, so it never knows the current state. This is a
 * problem only for lists of pairs and edges, whose lengths are not known in advance. If a kernel finds its list too
 * short, the device skips all later work. The list grows as soon as the host learns of it, and every run and copy
 * since then is repeated ({@linkcode Repeats}). Work that cannot be repeated, such as writing to memory or freeing
 * it, must therefore wait until no work before it can fail in this way ({@linkcode Turns}).
 *
 * Many copies are mapped at once ({@linkcode Deliveries}). Waiting for the device at each step instead would cost 12
 * ms per step under Deno.
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

  /** Creates an empty queue. */
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

  /** Adds the frame of a batch, so that its runs are kept until the host knows their results. */
  enter(frame: GpuFrame): void {
    this.#pending.enter(frame);
  }

  /** Removes the frame of a batch. */
  leave(frame: GpuFrame): void {
    this.#pending.leave(frame);
  }

  /** Calls `work`, which cannot be repeated, once all work before it is final. */
  runOnce(work: () => void): void {
    this.#turns.order(() => {
      this.#commands.submit();
      work();
    }, true);
  }

  /** Queues a run of a program. */
  run(run: GpuRun): void {
    this.#turns.order(() => this.#start(run));
  }

  /** Queues work of other code that uses the memory of a batch. */
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

  /** Asks the device for the number of steps that a run has done. */
  async settle(run: GpuRun): Promise<number> {
    // If the run was repeated, only a copy taken after the repetition has its result.
    while (run.done === undefined) {
      await this.#turns.take(() => this.#copy([], [run.program.frame], false));
    }
    return run.done;
  }

  /**
   * Queues a copy of memory, and returns a promise of the bytes of each source. With `isLate`, the copy may be
   * delivered together with later ones.
   */
  copy(sources: readonly Source[], isLate: boolean): Promise<readonly ArrayBuffer[]> {
    return this.#turns.take(() => {
      const frames = this.#pending.frames.filter(({ memories }) =>
        sources.some(({ memory }) => memories.has(memory))
      );
      return this.#copy(sources, frames, isLate);
    });
  }

  /** Submits all commands, and maps the staging buffers of all copies. */
  flush(): void {
    this.#deliveries.flush();
  }

  /** Closes the queue. Pending promises reject. */
  close(): void {
    this.flush();
    this.#fault.set(
      new Error(
        "Cannot continue on backend webgpu: it was disposed of. Open another one",
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
    // The device stores the step counts of the last RING runs only. They are read before they are
    // overwritten.
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

  /** Waits for the bytes of a copy. If the copy has to be repeated, waits for the attempt that replaces it. */
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

  /** Awaits `arrive`. If it fails, throws the fault of the device that caused the error, if one is known. */
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
