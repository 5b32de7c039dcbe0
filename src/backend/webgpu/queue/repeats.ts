import { GpuRun } from "../program/gpu_run.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { FrameWord } from "../wgsl/module.ts";
import type { Commands } from "./commands.ts";
import { type Arrived, CopyRequest } from "./copy_request.ts";
import type { DeviceFault } from "./device_fault.ts";
import type { PendingWork, Repeatable } from "./pending.ts";

/**
 * Repeats work after a list was too short.
 *
 * A kernel that finds its list too short freezes the frame: it sets FROZEN, writes the index of its call plus 1 to
 * OVERFLOW and the required length to NEED, and every later kernel of the frame does nothing. The host sees these
 * words with the next copies that arrive. It then grows the list, clears OVERFLOW and FROZEN, resumes the run at that
 * call, and submits every later run and copy again. Copies of the frozen frame contain old values, so they are
 * dropped and made again.
 *
 * Resuming at the call instead of restarting the run keeps results bitwise identical, because no kernel runs twice on
 * the same state.
 */
export class Repeats {
  readonly #device: GPUDevice;
  readonly #commands: Commands;
  readonly #pending: PendingWork;
  readonly #fault: DeviceFault;
  #underWay: Promise<void> | undefined;
  /** Promise that settles when no work of other code is being submitted. */
  #external: Promise<unknown> = Promise.resolve();

  constructor(device: GPUDevice, commands: Commands, pending: PendingWork, fault: DeviceFault) {
    this.#device = device;
    this.#commands = commands;
    this.#pending = pending;
    this.#fault = fault;
  }

  /** Promise that settles when the current repetition is done; `undefined` outside a repetition. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /**
   * Makes repetitions wait for work of other code that is being submitted, because repetitions replace memory that
   * this work uses.
   */
  waitFor(external: Promise<unknown>): void {
    this.#external = Promise.allSettled([this.#external, external]);
  }

  /**
   * Reads the state of runs from frame words that have arrived. If a list was too short, begins to repeat the work
   * since then.
   */
  observe({ frames }: Arrived): void {
    for (const { frame, generation, words } of frames) {
      // Lists have grown since this copy was taken, so an earlier copy has already reported the
      // overflow.
      if (generation !== frame.generation) continue;
      this.#pending.of(frame)?.update(words);
      if (words[FrameWord.OVERFLOW] !== 0) this.#begin(frame, words);
    }
  }

  /**
   * Begins to repeat the work of a frame. Repetitions of several frames run one after the other, and new work waits
   * for all of them.
   */
  #begin(frame: GpuFrame, words: Uint32Array): void {
    frame.generation++;
    const over = () => {
      if (this.#underWay === repeating) this.#underWay = undefined;
    };
    const repeating: Promise<void> = Promise.resolve(this.#underWay)
      .then(() => this.#repeat(frame, words))
      .then(over, (error) => {
        this.#fault.set(error);
        over();
      });
    this.#underWay = repeating;
  }

  async #repeat(frame: GpuFrame, words: Uint32Array): Promise<void> {
    await this.#external;
    const [run, later] = this.#pending.of(frame)!.toRepeat();
    const call = words[FrameWord.OVERFLOW]! - 1;
    this.#commands.submit();
    run.program.calls[call]!.fills!.grow(words[FrameWord.NEED]!, frame);
    frame.moves++;
    this.#device.queue.writeBuffer(frame.memory, 0, new Uint32Array(2)); // clears OVERFLOW and FROZEN
    run.program.refresh();
    this.#commands.resume(run, words[FrameWord.DONE + run.number % FrameWord.RING]!, call);
    for (const one of later) {
      const submitting = this.#again(one);
      if (submitting !== undefined) await submitting;
    }
    this.#commands.submit();
  }

  #again(one: Repeatable): void | Promise<void> {
    if (one instanceof GpuRun) {
      one.program.refresh();
      this.#commands.run(one);
    } else if (one instanceof CopyRequest) {
      this.#commands.copy(one.again());
    } else {
      this.#commands.submit();
      return one.work();
    }
  }
}
