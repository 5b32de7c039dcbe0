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
import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import { Clock } from "./clock.ts";
import { Commands } from "./commands.ts";
import { type Arrived, CopyRequest, type Source } from "./copy_request.ts";
import { openGpuDevice } from "./device.ts";
import { GpuBuffer } from "./gpu_buffer.ts";
import { GpuFrame } from "./gpu_frame.ts";
import { GpuPairs } from "./gpu_pairs.ts";
import { GpuProgram } from "./gpu_program.ts";
import { GpuRun } from "./gpu_run.ts";
import { Pending } from "./pending.ts";
import { type Pipelines, pipelinesOf } from "./pipelines.ts";
import { Staging } from "./staging.ts";
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
  return new WebGpuBackend(device ?? await openGpuDevice(), device === undefined);
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
  readonly #commands: Commands;
  readonly #staging: Staging;
  readonly #buffers = new Set<GpuBuffer>();
  readonly #pairs = new Set<GpuPairs>();
  readonly #frames = new Map<Buffer, GpuFrame>();
  readonly #pending = new Map<GpuFrame, Pending>();
  /** What must wait until it is known that nothing has to be done again. */
  readonly #later: Later[] = [];
  #isDraining = false;
  /** Copies that nobody has asked for yet. */
  #late: Delivery[] = [];
  #delivered: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #fault: Error | undefined;

  /** `ownsDevice`: the device goes when the backend does. */
  constructor(device: GPUDevice, ownsDevice: boolean) {
    this.device = device;
    this.#ownsDevice = ownsDevice;
    this.#pipelines = pipelinesOf(device);
    this.#commands = new Commands(device, new Clock(device, this.#pipelines));
    this.#staging = new Staging(device);
    device.addEventListener("uncapturederror", this.#onError);
    device.lost.then(({ reason, message }) => {
      this.#fault ??= gone("lost", `its device must be there: it was lost (${reason}: ${message})`);
    });
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
    if (values.length === 0) return; // writing nothing is more than Deno can take
    const data = own.encode(values);
    own.written?.set(data, at);
    const bytes = own.placeOf(at);
    this.#order(() => {
      this.#commands.send();
      this.device.queue.writeBuffer(own.memory, bytes, data);
    }, true);
  }

  async read<D extends Dtype>(buffer: Buffer<D>): Promise<Arrays[D]> {
    const [copy] = await this.readAll([buffer]);
    return copy as Arrays[D];
  }

  /** Copies of several buffers as they are now, by one copy command and one wait. */
  async readAll<const B extends readonly Buffer[]>(
    buffers: B,
  ): Promise<{ [k in keyof B]: Arrays[B[k]["dtype"]] }> {
    return decoded(buffers, await this.#fetch(sourcesOf(buffers)));
  }

  /**
   * The same, but nothing waits for it: the copies are made now, in turn with all that was asked for, and come when 64
   * are under way, when something is read, or when the event loop turns. In order; for those who only look on.
   */
  async take<const B extends readonly Buffer[]>(
    buffers: B,
  ): Promise<{ [k in keyof B]: Arrays[B[k]["dtype"]] }> {
    return decoded(buffers, await this.#fetch(sourcesOf(buffers), true));
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
      this.#commands.send();
      own.memory.destroy();
      const frame = this.#frames.get(own);
      if (frame === undefined) return;
      frame.memory.destroy();
      this.#frames.delete(own);
      this.#pending.delete(frame);
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
    this.#order(() => {
      this.#commands.send();
      (pairs as GpuPairs).load(offsets, saved);
    }, true);
  }

  freePairs(pairs: Pairs): void {
    if (!this.#pairs.delete(pairs as GpuPairs)) return;
    this.#order(() => {
      this.#commands.send();
      (pairs as GpuPairs).free();
    }, true);
  }

  /** Compiles what has not been compiled before. Throws a TypeError for a kernel that it has not. */
  prepare(frame: FrameBuffers, calls: readonly Call[]): Program {
    const later = (work: () => void) =>
      this.#order(() => {
        this.#commands.send();
        work();
      }, true);
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
    this.flush();
    this.device.removeEventListener("uncapturederror", this.#onError);
    for (const pairs of this.#pairs) pairs.free();
    for (const buffer of this.#buffers) buffer.memory.destroy();
    for (const frame of this.#frames.values()) frame.memory.destroy();
    this.#staging.free();
    this.#pairs.clear();
    this.#buffers.clear();
    this.#frames.clear();
    this.#pending.clear();
    if (this.#ownsDevice) this.device.destroy();
  }

  readonly #onError = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    this.#fault ??= error instanceof GPUOutOfMemoryError
      ? gone("memory", `its device must have memory for the batch: ${error.message}`)
      : new Error(
        `Cannot go on with backend webgpu as its device must take what it is given: ${error.message}`,
      );
  };

  #frameOf(buffers: FrameBuffers): GpuFrame {
    let frame = this.#frames.get(buffers.offsets);
    if (frame === undefined) {
      frame = new GpuFrame(this.device, buffers);
      this.#frames.set(buffers.offsets, frame);
      this.#pending.set(frame, new Pending());
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
    for (const pending of this.#pending.values()) if (pending.isUnsure) return true;
    return false;
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      while (this.#later.length > 0) {
        if (this.#isUnsure) await this.#request([], this.#open(), false);
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

  /** The batches of which it is not known how all runs ended. */
  #open(): GpuFrame[] {
    return [...this.#pending].filter(([, pending]) => !pending.isEmpty).map(([frame]) => frame);
  }

  #start(run: GpuRun): void {
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

  async #settle(run: GpuRun): Promise<number> {
    while (run.done === undefined) {
      await this.#inTurn(() => this.#request([], [run.program.frame], false));
    }
    return run.done;
  }

  /** Copies of memory, in turn: after all that was asked for before. */
  #fetch(sources: readonly Source[], isLate = false): Promise<readonly ArrayBuffer[]> {
    return this.#inTurn(() => {
      const frames = this.#open().filter(({ memories }) =>
        sources.some(([memory]) => memories.has(memory))
      );
      return this.#request(sources, frames, isLate);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#order(() => void work().then(resolve, reject)));
  }

  #request(
    sources: readonly Source[],
    frames: readonly GpuFrame[],
    isLate: boolean,
  ): Promise<readonly ArrayBuffer[]> {
    const request = new CopyRequest(sources, frames, this.#staging);
    this.#commands.copy(request.attempt);
    for (const frame of frames) this.#pending.get(frame)!.add(request);
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

  /** All that came after the list was too short has done nothing, and its copies show nothing: they are made anew. */
  #grow(frame: GpuFrame, words: Uint32Array): void {
    const [run, later] = this.#pending.get(frame)!.held();
    const call = words[FrameWord.OVERFLOW]! - 1;
    this.#commands.send();
    run.program.calls[call]!.finds!.grow(words[FrameWord.NEED]!);
    frame.generation++;
    this.device.queue.writeBuffer(frame.memory, 0, new Uint32Array(2)); // neither frozen nor held
    run.program.refresh();
    this.#commands.resume(run, words[FrameWord.DONE + run.number % FrameWord.RING]!, call);
    for (const one of later) {
      if (one instanceof GpuRun) {
        one.program.refresh();
        this.#commands.run(one);
      } else {
        this.#commands.copy(one.again());
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
    ...{ backend: "webgpu", reason, during: "run" },
  });
}

function sourcesOf(buffers: readonly Buffer[]): Source[] {
  return (buffers as readonly GpuBuffer[]).map(({ memory, bytes }) => [memory, bytes]);
}

function decoded<B extends readonly Buffer[]>(
  buffers: B,
  values: readonly ArrayBuffer[],
): { [k in keyof B]: Arrays[B[k]["dtype"]] } {
  return values.map((bytes, i) => (buffers[i] as GpuBuffer).decode(bytes)) as never;
}

/** Something that must wait. */
interface Later {
  readonly work: () => void;
  readonly isExact: boolean;
}
