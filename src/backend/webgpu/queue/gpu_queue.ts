import { BackendUnavailableError } from "../../backend_unavailable_error.ts";
import { Clock } from "./gpu_clock.ts";
import { Commands } from "./commands.ts";
import { type Arrived, CopyRequest, type Source } from "./copy_request.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { GpuRun } from "../program/gpu_run.ts";
import { Pending } from "./pending.ts";
import type { Pipelines } from "../program/pipelines.ts";
import { Staging } from "./staging.ts";
import { ExternalWork } from "./external_work.ts";
import { FrameWord } from "../wgsl/module.ts";

/**
 * All that goes to a device and comes from it, in the order in which it was asked for, though nobody waits.
 *
 * When a list of pairs, or of edges, is too short the device freezes, to the call. The host learns of it with the next copies that
 * come; then the list grows, the run goes on where it was, and every run and copy that was asked for since is made again.
 * What cannot be made again (writing to memory, giving it back) waits until there is nothing like that to come.
 */
export class GpuQueue {
  readonly #device: GPUDevice;
  readonly #clock: Clock;
  readonly #commands: Commands;
  readonly #staging: Staging;
  readonly #pending = new Map<GpuFrame, Pending>();
  /** What must wait until it is known that nothing has to be done again. */
  readonly #later: Later[] = [];
  #isDraining = false;
  /** Until all that followed a list that was too short is done again: others have a part in it. */
  #repeating: Promise<void> | undefined;
  /** What others are doing on the device. */
  #visiting: Promise<unknown> = Promise.resolve();
  /** Copies that nobody has asked for yet. */
  #late: Delivery[] = [];
  #delivered: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #fault: Error | undefined;

  constructor(device: GPUDevice, pipelines: Pipelines) {
    this.#device = device;
    this.#clock = new Clock(device, pipelines);
    this.#commands = new Commands(device, this.#clock);
    this.#staging = new Staging(device);
    device.addEventListener("uncapturederror", this.#onError);
    device.lost.then(({ reason, message }) => {
      this.#fault ??= gone("lost", `its device must be there: it was lost (${reason}: ${message})`);
    });
  }

  /** From now on runs of a batch are remembered. */
  enter(frame: GpuFrame): void {
    this.#pending.set(frame, new Pending());
  }

  /** And no longer. */
  leave(frame: GpuFrame): void {
    this.#pending.delete(frame);
  }

  /** Something that cannot be made again: done once all that was asked for before is known to be done for good. */
  exactly(work: () => void): void {
    this.#order(() => {
      this.#commands.send();
      work();
    }, true);
  }

  /** A run, when it is its turn. */
  run(run: GpuRun): void {
    this.#order(() => this.#start(run));
  }

  /** What others do on the device when it is their turn, with the memory of a batch. */
  runExternal(frame: GpuFrame, work: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#fault !== undefined) throw this.#fault;
      this.#pending.get(frame)!.add(new ExternalWork(work));
      this.#commands.send();
      const visiting = work();
      this.#visiting = Promise.allSettled([this.#visiting, visiting]);
      await visiting;
    });
  }

  /** How many steps a run did. */
  async settle(run: GpuRun): Promise<number> {
    while (run.done === undefined) {
      await this.#inTurn(() => this.#request([], [run.program.frame], false));
    }
    return run.done;
  }

  /** Copies of memory as it is when it is their turn; `isLate`: there is no hurry. */
  copy(sources: readonly Source[], isLate: boolean): Promise<readonly ArrayBuffer[]> {
    return this.#inTurn(() => {
      const frames = this.#open().filter(({ memories }) =>
        sources.some(({ memory }) => memories.has(memory))
      );
      return this.#request(sources, frames, isLate);
    });
  }

  /** Hands everything to the device that it does not have yet, and has all copies come. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#commands.send();
    const late = this.#late;
    this.#late = [];
    for (const { request, resolve, reject } of late) {
      // All are looked at at once, and handed out in turn: what is mapped later may come earlier.
      const [arrived, before] = [this.#deliver(request), this.#delivered];
      this.#delivered = arrived.then(
        (values) => before.then(() => resolve(values)),
        (error) => before.then(() => reject(error)),
      );
    }
  }

  /** Ends: whoever still waits is told. */
  close(): void {
    this.flush();
    this.#fault ??= new Error(
      "Cannot go on with backend webgpu as it must not have been disposed of: open another one",
    );
    this.#device.removeEventListener("uncapturederror", this.#onError);
    this.#staging.free();
    this.#clock.free();
    this.#pending.clear();
  }

  readonly #onError = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    this.#fault ??= error instanceof GPUOutOfMemoryError
      ? gone("memory", `its device must have memory for the batch: ${error.message}`)
      : new Error(
        `Cannot go on with backend webgpu as its device must take what it is given: ${error.message}`,
      );
  };

  /** Now, or after what waits already; `isExact`: only once all runs before it are known to be done for good. */
  #order(work: () => void, isExact = false): void {
    const isNow = this.#later.length === 0 && this.#repeating === undefined;
    if (isNow && !(isExact && this.#isUnsure)) return work();
    this.#later.push({ work, isExact });
    void this.#drain();
  }

  get #isUnsure(): boolean {
    for (const pending of this.#pending.values()) if (pending.isUnsure) return true;
    return false;
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      while (this.#later.length > 0) {
        while (this.#repeating !== undefined) await this.#repeating;
        if (this.#isUnsure) await this.#request([], this.#open(), false);
        do this.#later.shift()?.work(); while (
          this.#later.length > 0 && !(this.#later[0]!.isExact && this.#isUnsure)
        );
      }
    } catch (error) {
      this.#fault ??= error as Error;
      for (const { work } of this.#later.splice(0)) work(); // whoever waits there is told
    } finally {
      this.#isDraining = false;
    }
  }

  /** The batches of which it is not known how all runs ended. */
  #open(): GpuFrame[] {
    return [...this.#pending].filter(([, pending]) => !pending.isEmpty).map(([frame]) => frame);
  }

  #start(run: GpuRun): void {
    if (this.#fault !== undefined) return;
    const { program, program: { frame } } = run;
    run.number = ++frame.runs;
    this.#pending.get(frame)!.add(run);
    program.refresh();
    this.#commands.run(run);
    // The device remembers how the last runs ended, not all.
    if (run.number % (FrameWord.RING / 4) === 0) {
      this.#request([], [frame], true).catch((error: Error) => void (this.#fault ??= error));
    }
    this.#soon();
  }

  /** What nobody asks for goes to the device, and comes from it, when the event loop turns. */
  #soon(): void {
    this.#timer ??= setTimeout(() => this.flush(), 0);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#order(() => void work().then(resolve, reject)));
  }

  #request(
    sources: readonly Source[],
    frames: readonly GpuFrame[],
    isLate: boolean,
  ): Promise<readonly ArrayBuffer[]> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    const request = new CopyRequest(sources, frames, this.#staging);
    this.#commands.copy(request.attempt);
    for (const frame of frames) this.#pending.get(frame)?.add(request);
    return new Promise((resolve, reject) => {
      this.#late.push({ request, resolve, reject });
      if (isLate && this.#late.length < UNDER_WAY) this.#soon();
      else this.flush();
    });
  }

  /** Waits for copies, and for others where a list was too short. Throws what is wrong with the device. */
  async #deliver(request: CopyRequest): Promise<readonly ArrayBuffer[]> {
    for (;;) {
      const { attempt } = request;
      const arrived = await this.#arrive(() => attempt.arrive());
      this.#look(arrived);
      while (this.#repeating !== undefined) await this.#repeating;
      if (request.attempt !== attempt) continue;
      for (const frame of request.frames) this.#pending.get(frame)?.forget(request);
      return arrived.values;
    }
  }

  async #arrive(arrive: () => Promise<Arrived>): Promise<Arrived> {
    if (this.#fault !== undefined) throw this.#fault;
    let arrived: Arrived;
    try {
      arrived = await arrive();
    } catch (error) {
      if (this.#fault === undefined) await this.#word(); // of a device that is lost
      throw this.#fault ?? error;
    }
    if (this.#fault !== undefined) throw this.#fault;
    return arrived;
  }

  /** A moment in which the device may say what has become of it. */
  #word(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Takes note of how runs ended; lets lists grow and does again what was not done. */
  #look({ frames }: Arrived): void {
    for (const { frame, generation, words } of frames) {
      if (generation !== frame.generation) continue; // other copies were here before, and saw to it
      this.#pending.get(frame)?.note(words);
      if (words[FrameWord.OVERFLOW] !== 0) this.#grow(frame, words);
    }
  }

  /**
   * All that came after the list was too short has done nothing, and its copies show nothing: all is done again, of one
   * batch after the other, and nothing new begins before all of them are through.
   */
  #grow(frame: GpuFrame, words: Uint32Array): void {
    frame.generation++;
    const before = this.#repeating;
    const over = () => {
      if (this.#repeating === repeating) this.#repeating = undefined;
    };
    const repeating: Promise<void> = Promise.resolve(before)
      .then(() => this.#repeat(frame, words))
      .then(over, (error) => {
        this.#fault ??= error;
        over();
      });
    this.#repeating = repeating;
  }

  async #repeat(frame: GpuFrame, words: Uint32Array): Promise<void> {
    await this.#visiting; // it uses the memory that is to be replaced
    const [run, later] = this.#pending.get(frame)!.held();
    const call = words[FrameWord.OVERFLOW]! - 1;
    this.#commands.send();
    run.program.calls[call]!.fills!.grow(words[FrameWord.NEED]!, frame);
    frame.moves++;
    this.#device.queue.writeBuffer(frame.memory, 0, new Uint32Array(2)); // neither frozen nor held
    run.program.refresh();
    this.#commands.resume(run, words[FrameWord.DONE + run.number % FrameWord.RING]!, call);
    for (const one of later) {
      if (one instanceof GpuRun) {
        one.program.refresh();
        this.#commands.run(one);
      } else if (one instanceof CopyRequest) {
        this.#commands.copy(one.again());
      } else {
        this.#commands.send();
        await one.work();
      }
    }
    this.#commands.send();
  }
}

/** So many copies may be under way before they are waited for. */
const UNDER_WAY = 64;

/** Copies, and who waits for them. */
interface Delivery {
  readonly request: CopyRequest;
  readonly resolve: (values: readonly ArrayBuffer[]) => void;
  readonly reject: (error: unknown) => void;
}

function gone(reason: "lost" | "memory", requirement: string): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot go on with backend webgpu as ${requirement}`, {
    backend: "webgpu",
    reason,
    during: "run",
  });
}

/** Something that must wait. */
interface Later {
  readonly work: () => void;
  readonly isExact: boolean;
}
