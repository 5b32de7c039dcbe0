import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type {
  Backend,
  Buffer,
  BufferValues,
  Edges,
  EdgesOptions,
  FrameBuffers,
  KernelCall,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
} from "../backend.ts";
import { checkEdges } from "../check_edges.ts";
import type { Source } from "./queue/copy_request.ts";
import { GpuBuffer } from "./program/gpu_buffer.ts";
import { GpuEdges } from "./gpu_edges.ts";
import { GpuFrame } from "./gpu_frame.ts";
import { GpuPairs } from "./gpu_pairs.ts";
import { GpuProgram } from "./program/gpu_program.ts";
import { GpuQueue } from "./queue/gpu_queue.ts";
import { GpuRun } from "./program/gpu_run.ts";
import { type Pipelines, pipelinesOf } from "./program/pipelines.ts";
import { tooLarge } from "./too_large.ts";

/**
 * The WebGPU backend, whose kernels are written in WGSL. Numbers of type `real` are float32; numbers of type `f64`
 * are pairs of float32 with about 48 bits.
 *
 * Only reading waits for the device. `run` encodes and submits work, and requests the number of steps done only if
 * its result is awaited. All work is done in the order of the calls.
 */
export class WebGpuBackend implements Backend {
  readonly name = "webgpu";
  readonly real = "f32";
  readonly isHost = false;
  /** Device of all buffers and kernels. */
  readonly device: GPUDevice;
  readonly #ownsDevice: boolean;
  readonly #pipelines: Pipelines;
  readonly #queue: GpuQueue;
  readonly #buffers = new Set<GpuBuffer>();
  readonly #pairs = new Set<GpuPairs>();
  readonly #programs = new Set<GpuProgram>();
  readonly #edges = new Set<GpuEdges>();
  readonly #frames = new Map<Buffer, GpuFrame>();

  /** Creates a backend on a device. If `ownsDevice` is true, `dispose` destroys the device. */
  constructor(device: GPUDevice, ownsDevice: boolean) {
    this.device = device;
    this.#ownsDevice = ownsDevice;
    this.#pipelines = pipelinesOf(device);
    this.#queue = new GpuQueue(device, this.#pipelines);
  }

  /**
   * Creates a buffer of zeros. Throws a BackendUnavailableError if the device cannot allocate a buffer of this size.
   */
  alloc<D extends BufferType>(dtype: D, length: number): Buffer<D> {
    const most = this.device.limits.maxStorageBufferBindingSize;
    if ((dtype === "f64" ? 8 : 4) * length > most) {
      throw tooLarge(
        `allocate ${length} numbers`,
        `a buffer of the device has at most ${most} bytes`,
      );
    }
    const buffer = new GpuBuffer(this.device, dtype, length);
    this.#buffers.add(buffer as unknown as GpuBuffer);
    return buffer;
  }

  /** Copies numbers into a buffer, from index `at` on. Throws a RangeError if they do not fit. */
  write(buffer: Buffer, values: ArrayLike<number>, at = 0): void {
    const own = buffer as GpuBuffer;
    if (at + values.length > own.length) {
      throw new RangeError(
        `Cannot write ${values.length} numbers at index ${at}: the buffer has ${own.length} numbers`,
      );
    }
    if (values.length === 0) return; // Deno 2.9 throws if nothing is written
    const data = own.encode(values);
    own.written?.set(data, at);
    const bytes = own.placeOf(at);
    this.#queue.runOnce(() => this.device.queue.writeBuffer(own.memory, bytes, data));
  }

  async read<D extends BufferType>(buffer: Buffer<D>): Promise<Arrays[D]> {
    const [copy] = await this.viewOrRead([buffer]);
    return copy as Arrays[D];
  }

  /** Returns copies of the current values of several buffers, made by one command and one wait. */
  async viewOrRead<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>> {
    return decoded(buffers, await this.#queue.copy(sourcesOf(buffers), false));
  }

  /**
   * Copies the current values of buffers without blocking later work. The copies arrive in order, at the latest when
   * 64 are in flight, something is read, or the event loop turns.
   */
  async readLate<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>> {
    return decoded(buffers, await this.#queue.copy(sourcesOf(buffers), true));
  }

  /**
   * Runs work of other code, such as a session of a model, on the memory of a batch, after all earlier calls. If an
   * earlier kernel found its list too short, `work` is called again. So it must read and write the same memory each
   * time, look up memory that may be replaced whenever it is called, and not wait for the device.
   */
  async runExternal(frame: FrameBuffers, work: () => Promise<void>): Promise<void> {
    await this.#queue.runExternal(this.#frameOf(frame), work);
  }

  /** Returns the device memory of a buffer. The buffer still owns the memory. */
  memoryOf(buffer: Buffer): GPUBuffer {
    return (buffer as GpuBuffer).memory;
  }

  /**
   * Replaces the memory of a buffer by memory that other code owns; its old values are lost. Allowed only within
   * {@linkcode runExternal}, so that earlier work still uses the old memory.
   */
  adopt(frame: FrameBuffers, buffer: Buffer, memory: GPUBuffer): void {
    const own = buffer as GpuBuffer;
    if (own.memory === memory) return;
    const known = this.#frameOf(frame);
    known.memories.delete(own.memory);
    if (own.isOwn) own.memory.destroy();
    own.adopt(memory);
    known.memories.add(memory);
    known.moves++;
  }

  /** Submits all commands to the device, and maps the staging buffers of all copies. */
  flush(): void {
    this.#queue.flush();
  }

  /** Throws a TypeError, because the host cannot view the memory of a device. */
  view<D extends BufferType>(_buffer: Buffer<D>): Arrays[D] {
    throw new TypeError(
      "Cannot view a buffer: it is on a GPU. Use await read()",
    );
  }

  free(buffer: Buffer): void {
    const own = buffer as GpuBuffer;
    if (!this.#buffers.delete(own)) return;
    this.#queue.runOnce(() => {
      if (own.isOwn) own.memory.destroy();
      for (const { memories } of this.#frames.values()) memories.delete(own.memory);
      const frame = this.#frames.get(own);
      if (frame === undefined) return;
      frame.memory.destroy();
      this.#frames.delete(own);
      this.#queue.leave(frame);
    });
  }

  pairs(frame: FrameBuffers, options: PairsOptions): Pairs {
    const pairs = new GpuPairs(this.device, frame, options);
    this.#pairs.add(pairs);
    return pairs;
  }

  async savePairs(pairs: Pairs): Promise<SavedPairs> {
    const { kept, marks } = pairs as GpuPairs;
    const sources = [kept, marks].map((memory) => ({ memory, bytes: memory.size }));
    const [floats, integers] = await this.#queue.copy(sources, false);
    return (pairs as GpuPairs).saved(new Float32Array(floats!), new Int32Array(integers!));
  }

  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void {
    this.#queue.runOnce(() => (pairs as GpuPairs).load(offsets, saved));
  }

  freePairs(pairs: Pairs): void {
    if (!this.#pairs.delete(pairs as GpuPairs)) return;
    this.#queue.runOnce(() => (pairs as GpuPairs).free());
  }

  edges({ systems, offsets }: FrameBuffers, options: EdgesOptions): Edges {
    checkEdges(options);
    const atoms = (offsets as GpuBuffer).written![systems]!;
    const edges = new GpuEdges(this.device, { atoms, systems }, options);
    this.#edges.add(edges);
    return edges;
  }

  freeEdges(edges: Edges): void {
    const own = edges as GpuEdges;
    if (!this.#edges.delete(own)) return;
    this.#queue.runOnce(() => {
      for (const { memories } of this.#frames.values()) {
        for (const { memory } of own.buffers) memories.delete(memory);
      }
      own.free();
    });
  }

  /**
   * Prepares kernel calls as a program, and compiles kernels that were not compiled before. Throws a TypeError if a
   * kernel has no shader.
   */
  prepare(frame: FrameBuffers, calls: readonly KernelCall[]): Program {
    const free = (program: GpuProgram) => {
      if (this.#programs.delete(program)) this.#queue.runOnce(() => program.destroy());
    };
    const program = new GpuProgram(
      this.device,
      this.#pipelines,
      this.#frameOf(frame),
      calls,
      free,
    );
    this.#programs.add(program);
    return program;
  }

  /**
   * Runs a program. Returns 0 if it is empty, otherwise a thenable of the number of steps done, which asks the device
   * only when it is awaited.
   */
  run(program: Program, first: number, steps: number): number | PromiseLike<number> {
    if (steps === 0) return 0;
    const own = program as GpuProgram;
    const run = new GpuRun(own, first, steps, (run) => this.#queue.settle(run));
    this.#queue.run(run);
    return run;
  }

  dispose(): void {
    this.#queue.close();
    for (const program of this.#programs) program.destroy();
    for (const pairs of this.#pairs) pairs.free();
    for (const edges of this.#edges) edges.free();
    for (const { isOwn, memory } of this.#buffers) if (isOwn) memory.destroy();
    for (const frame of this.#frames.values()) frame.memory.destroy();
    this.#programs.clear();
    this.#pairs.clear();
    this.#edges.clear();
    this.#buffers.clear();
    this.#frames.clear();
    if (this.#ownsDevice) this.device.destroy();
  }

  #frameOf(buffers: FrameBuffers): GpuFrame {
    let frame = this.#frames.get(buffers.offsets);
    if (frame === undefined) {
      frame = new GpuFrame(this.device, buffers);
      this.#frames.set(buffers.offsets, frame);
      this.#queue.enter(frame);
    }
    return frame;
  }
}

function sourcesOf(buffers: readonly Buffer[]): Source[] {
  return [...buffers as readonly GpuBuffer[]];
}

function decoded<B extends readonly Buffer[]>(
  buffers: B,
  values: readonly ArrayBuffer[],
): BufferValues<B> {
  return values.map((bytes, i) => (buffers[i] as GpuBuffer).decode(bytes)) as never;
}
