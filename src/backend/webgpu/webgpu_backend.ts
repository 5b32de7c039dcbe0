import type { Arrays, Dtype } from "../../kernels/kernel.ts";
import type {
  Backend,
  Buffer,
  Call,
  FrameBuffers,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
} from "../backend.ts";
import { Clock } from "./clock.ts";
import { requestDevice } from "./device.ts";
import { GpuBuffer } from "./gpu_buffer.ts";
import { GpuFrame } from "./gpu_frame.ts";
import { GpuPairs } from "./gpu_pairs.ts";
import { GpuProgram } from "./gpu_program.ts";
import { GpuRun } from "./gpu_run.ts";
import { type Pipelines, pipelinesOf } from "./pipelines.ts";
import { type Arrived, Snapshot, sourceOf } from "./snapshot.ts";
import { Staging } from "./staging.ts";
import { Submission } from "./submission.ts";
import { BackendUnavailableError } from "./unavailable_error.ts";
import { FrameWord } from "./wgsl/module.ts";

/** How to open the backend. */
export interface WebGpuOptions {
  /**
   * The device to share, as with sessions of a model. It stays whose it was.
   *
   * @default a device of its own, of the fastest adapter
   */
  readonly device?: GPUDevice;
}

/**
 * Opens WebGPU: kernels in WGSL, in float32, on one device.
 *
 * @example
 * ```ts
 * import { openWebGpu } from "./webgpu_backend.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const backend = await openWebGpu();
 * const forces = backend.alloc("real", 3);
 * backend.write(forces, [1, 2, 3]);
 * assertEquals(Array.from(await backend.read(forces)), [1, 2, 3]);
 * backend.dispose();
 * ```
 *
 * @throws {BackendUnavailableError} where there is no WebGPU, no adapter or no device
 */
export async function openWebGpu({ device }: WebGpuOptions = {}): Promise<WebGpuBackend> {
  return new WebGpuBackend(device ?? await requestDevice(), device === undefined);
}

/**
 * Kernels in WGSL. `real` is float32; sums are two float32 each, about 48 bits.
 *
 * Nothing waits for the device but who reads: `run` encodes and submits, and only awaiting what it answers with asks how
 * many steps were done. Everything happens in the order in which it was asked for.
 */
export class WebGpuBackend implements Backend {
  readonly name = "webgpu";
  readonly real = "f32";
  readonly isHost = false;
  /** What everything is on. */
  readonly device: GPUDevice;
  readonly #ownsDevice: boolean;
  readonly #pipelines: Pipelines;
  readonly #clock: Clock;
  readonly #staging: Staging;
  readonly #buffers = new Set<GpuBuffer>();
  readonly #pairs = new Set<GpuPairs>();
  readonly #frames = new Map<Buffer, GpuFrame>();
  /** What must wait until it is known that nothing has to be done again. */
  readonly #later: Later[] = [];
  #isDraining = false;
  #fault: Error | undefined;

  /** `ownsDevice`: the device goes when the backend does. */
  constructor(device: GPUDevice, ownsDevice: boolean) {
    this.device = device;
    this.#ownsDevice = ownsDevice;
    this.#pipelines = pipelinesOf(device);
    this.#clock = new Clock(device, this.#pipelines);
    this.#staging = new Staging(device);
    device.addEventListener("uncapturederror", this.#onError);
    device.lost.then(({ reason, message }) => {
      this.#fault ??= new BackendUnavailableError(
        "webgpu",
        `Cannot go on with backend webgpu as its device must be there: it was lost (${reason}: ${message})`,
      );
    });
  }

  /** Whether the adapter computes on the CPU, which is right but slow. */
  get isSoftware(): boolean {
    return this.device.adapterInfo?.isFallbackAdapter === true;
  }

  /** Throws a RangeError when the device cannot have such a buffer. */
  alloc<D extends Dtype>(dtype: D, length: number): Buffer<D> {
    const most = this.device.limits.maxStorageBufferBindingSize;
    if ((dtype === "f64" ? 8 : 4) * length > most) {
      throw new RangeError(
        `Cannot allocate ${length} numbers as they must fit into a buffer of the device: it has ${most} bytes`,
      );
    }
    const buffer = new GpuBuffer(this.device, dtype, length);
    this.#buffers.add(buffer as unknown as GpuBuffer);
    return buffer;
  }

  /** Throws a RangeError for more numbers than there is room for. */
  write(buffer: Buffer, values: ArrayLike<number>, at = 0): void {
    const own = buffer as GpuBuffer;
    if (at + values.length > own.length) {
      throw new RangeError(
        `Cannot write ${values.length} numbers from ${at} on as the buffer must have room: its length is ${own.length}`,
      );
    }
    const data = own.encode(values);
    own.written?.set(data, at);
    const bytes = at * (own.bytes / own.length);
    this.#order(() => this.device.queue.writeBuffer(own.memory, bytes, data), true);
  }

  async read<D extends Dtype>(buffer: Buffer<D>): Promise<Arrays[D]> {
    const [copy] = await this.readAll([buffer]);
    return copy as Arrays[D];
  }

  /** Copies of several buffers as they are now, by one copy command and one wait. */
  async readAll<const B extends readonly Buffer[]>(
    buffers: B,
  ): Promise<{ [k in keyof B]: Arrays[B[k]["dtype"]] }> {
    const own = buffers as unknown as readonly GpuBuffer[];
    const values = await this.#fetch(own.map(sourceOf));
    return values.map((bytes, i) => own[i]!.decode(bytes)) as never;
  }

  /** Throws a TypeError: there is no view of a device's memory. */
  view<D extends Dtype>(_buffer: Buffer<D>): Arrays[D] {
    throw new TypeError(
      "Cannot view a buffer as it must be in host memory: it is on a GPU, from where it can be read",
    );
  }

  free(buffer: Buffer): void {
    const own = buffer as GpuBuffer;
    if (!this.#buffers.delete(own)) return;
    this.#order(() => {
      own.memory.destroy();
      this.#frames.get(own)?.memory.destroy();
      this.#frames.delete(own);
    }, true);
  }

  pairs(frame: FrameBuffers, options: PairsOptions): Pairs {
    const pairs = new GpuPairs(this.device, frame, options);
    this.#pairs.add(pairs);
    return pairs;
  }

  async savePairs(pairs: Pairs): Promise<SavedPairs> {
    const { kept, marks } = pairs as GpuPairs;
    const sources = [kept, marks].map((memory) => [memory, memory.size] as const);
    const [floats, integers] = await this.#fetch(sources);
    return (pairs as GpuPairs).saved(new Float32Array(floats!), new Int32Array(integers!));
  }

  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void {
    this.#order(() => (pairs as GpuPairs).load(offsets, saved), true);
  }

  freePairs(pairs: Pairs): void {
    if (this.#pairs.delete(pairs as GpuPairs)) this.#order(() => (pairs as GpuPairs).free(), true);
  }

  /** Compiles what has not been compiled before. Throws a TypeError for a kernel that it has not. */
  prepare(frame: FrameBuffers, calls: readonly Call[]): Program {
    const later = (work: () => void) => this.#order(work, true);
    return new GpuProgram(this.device, this.#pipelines, this.#frameOf(frame), calls, later);
  }

  /** Answers at once where there is nothing to do, else with something that asks the device when it is awaited. */
  run(program: Program, first: number, steps: number): number | PromiseLike<number> {
    if (steps === 0) return 0;
    const own = program as GpuProgram;
    const run = new GpuRun(own, first, steps, (run) => this.#settle(run));
    this.#order(() => this.#start(run));
    return run;
  }

  dispose(): void {
    this.#later.length = 0;
    this.device.removeEventListener("uncapturederror", this.#onError);
    for (const pairs of this.#pairs) pairs.free();
    for (const buffer of this.#buffers) buffer.memory.destroy();
    for (const frame of this.#frames.values()) frame.memory.destroy();
    this.#staging.free();
    this.#pairs.clear();
    this.#buffers.clear();
    this.#frames.clear();
    if (this.#ownsDevice) this.device.destroy();
  }

  readonly #onError = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    this.#fault ??= new Error(
      `Cannot go on with backend webgpu as its device must take what it is given: ${error.message}`,
    );
  };

  #frameOf(buffers: FrameBuffers): GpuFrame {
    let frame = this.#frames.get(buffers.offsets);
    if (frame === undefined) {
      frame = new GpuFrame(this.device, buffers);
      this.#frames.set(buffers.offsets, frame);
    }
    return frame;
  }

  /** Now, or after what waits already; `isExact`: only once all runs before it are known to be done for good. */
  #order(work: () => void, isExact = false): void {
    if (this.#later.length === 0 && !(isExact && this.#isUnsure)) return work();
    this.#later.push({ work, isExact });
    void this.#drain();
  }

  get #isUnsure(): boolean {
    for (const frame of this.#frames.values()) if (frame.isUnsure) return true;
    return false;
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      while (this.#later.length > 0) {
        if (this.#isUnsure) await this.#copy([]);
        do this.#later.shift()?.work(); while (
          this.#later.length > 0 && !(this.#later[0]!.isExact && this.#isUnsure)
        );
      }
    } catch (error) {
      this.#fault ??= error as Error;
      for (const { work } of this.#later.splice(0)) work(); // whoever waits there finds the fault
    } finally {
      this.#isDraining = false;
    }
  }

  #start(run: GpuRun): void {
    const { program, program: { frame } } = run;
    run.number = ++frame.runs;
    frame.pending.push(run);
    program.refresh();
    const submission = new Submission(this.device, this.#clock);
    submission.run(run);
    submission.end();
    // The device remembers how the last runs ended, not all.
    if (frame.pending.length % (FrameWord.RING / 2) === 0) this.#copy([]).catch(this.#note);
  }

  readonly #note = (error: Error): void => {
    this.#fault ??= error;
  };

  async #settle(run: GpuRun): Promise<number> {
    while (run.done === undefined) await this.#fetch([]);
    return run.done;
  }

  /** Copies of memory, in turn: after all that was asked for before. */
  #fetch(sources: readonly (readonly [GPUBuffer, number])[]): Promise<readonly ArrayBuffer[]> {
    return new Promise((resolve, reject) => {
      this.#order(() => void this.#copy(sources).then(resolve, reject));
    });
  }

  /** Copies, made again where a list was too short. Throws what is wrong with the device. */
  async #copy(sources: readonly (readonly [GPUBuffer, number])[]): Promise<readonly ArrayBuffer[]> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault;
      const arrived = await this.#copyOnce(sources);
      if (this.#fault !== undefined) throw this.#fault;
      if (!this.#isShort(arrived)) return arrived.values;
    }
  }

  async #copyOnce(sources: readonly (readonly [GPUBuffer, number])[]): Promise<Arrived> {
    const frames = [...this.#frames.values()].filter(({ pending }) => pending.length > 0);
    const snapshot = new Snapshot(sources, frames, (bytes) => this.#staging.lend(bytes));
    const encoder = this.device.createCommandEncoder();
    snapshot.encode(encoder);
    this.device.queue.submit([encoder.finish()]);
    try {
      return await snapshot.arrive();
    } catch (error) {
      throw this.#fault ?? error;
    } finally {
      this.#staging.take(snapshot.staging);
    }
  }

  /** Takes note of how runs ended; lets lists grow and does again what was not done. */
  #isShort({ frames }: Arrived): boolean {
    let isShort = false;
    for (const { frame, generation, words } of frames) {
      if (generation !== frame.generation) {
        isShort = true; // another copy was here before, and saw to it
        continue;
      }
      frame.note(words);
      if (words[FrameWord.OVERFLOW] === 0) continue;
      isShort = true;
      this.#grow(frame, words);
    }
    return isShort;
  }

  #grow(frame: GpuFrame, words: Uint32Array): void {
    const [held, ...others] = frame.pending;
    const call = words[FrameWord.OVERFLOW]! - 1;
    held!.program.calls[call]!.finds!.grow(words[FrameWord.NEED]!);
    frame.generation++;
    this.device.queue.writeBuffer(frame.memory, 0, new Uint32Array([0, 0])); // frozen, overflow
    const submission = new Submission(this.device, this.#clock);
    const done = words[FrameWord.DONE + held!.number % FrameWord.RING]!;
    for (const { program } of frame.pending) program.refresh();
    submission.resume(held!, done, call);
    for (const run of others) submission.run(run);
    submission.end();
  }
}

/** Something that must wait. */
interface Later {
  readonly work: () => void;
  readonly isExact: boolean;
}
