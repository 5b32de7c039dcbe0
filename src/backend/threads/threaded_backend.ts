import type { ScriptWorker } from "../../platform/workers.ts";
import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type {
  Backend,
  Buffer,
  BufferValues,
  Edges,
  FrameBuffers,
  KernelCall,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
  Spread,
} from "../backend.ts";
import { WorkerPool } from "./worker_pool.ts";
import type { Numbers, RunResult } from "./requests.ts";
import { mergedPairs, splitPairs } from "./split.ts";
import { type BufferHolder, numbers, ThreadedBuffer } from "./threaded_buffer.ts";
import { ThreadedFrame } from "./threaded_frame.ts";
import { ThreadedPairs } from "./threaded_pairs.ts";
import { ThreadedProgram } from "./threaded_program.ts";

/**
 * The WebAssembly backend on several threads. Each worker computes some systems of a batch. Systems are independent
 * of each other, so results are bitwise identical to those of one thread. If there are fewer systems than threads, a
 * team of workers computes large systems if that is faster: each has the whole batch, and sums the forces of some
 * domains.
 */
export class ThreadedBackend implements Backend {
  readonly name = "wasm";
  readonly real = "f32";
  readonly isHost = false;
  /** Number of threads over which the systems of a batch are distributed. */
  readonly threads: number;
  readonly #pool: WorkerPool;
  readonly #frames = new Map<Buffer, ThreadedFrame>();
  #made = 0;

  /**
   * Creates a backend of `threads` threads. `start` creates a worker and is called when a thread is first needed.
   * `timeout` is that of {@linkcode ThreadsOptions}, in ms.
   */
  constructor(threads: number, start: () => ScriptWorker, timeout: number) {
    this.threads = threads;
    this.#pool = new WorkerPool(threads, start, timeout);
  }

  /** Creates a buffer of zeros. Throws a RangeError if no WebAssembly memory can hold it. */
  alloc<D extends BufferType>(dtype: D, length: number, spread?: Spread): Buffer<D> {
    return new ThreadedBuffer(dtype, length, this.#made++, spread);
  }

  write(given: Buffer, values: ArrayLike<number>, at = 0): void {
    const buffer = given as ThreadedBuffer;
    if (at + values.length > buffer.length) {
      throw new RangeError(
        `Cannot write ${values.length} numbers at index ${at}: the buffer has ${buffer.length} numbers`,
      );
    }
    if (buffer.holder !== undefined) {
      const copy = numbers(buffer.dtype, values.length);
      copy.set(values);
      buffer.holder.write(buffer, copy, at);
    }
    buffer.host?.set(values, at);
    buffer.isWritten = true;
  }

  async read<D extends BufferType>(buffer: Buffer<D>): Promise<Arrays[D]> {
    const [values] = await this.viewOrRead([buffer]);
    return values as Arrays[D];
  }

  /** Throws a TypeError, because buffers are in the memory of the workers. */
  view<D extends BufferType>(_: Buffer<D>): Arrays[D] {
    throw new TypeError(
      "Cannot view a buffer: it is in the memory of other threads. Use await viewOrRead()",
    );
  }

  viewOrRead<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>> {
    const values = this.readLate(buffers);
    this.#pool.flush();
    return values;
  }

  readLate<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>> {
    return this.#read(buffers as unknown as readonly ThreadedBuffer[]) as unknown as Promise<
      BufferValues<B>
    >;
  }

  flush(): void {
    this.#pool.flush();
  }

  free(buffer: Buffer): void {
    const { id, holder } = buffer as ThreadedBuffer;
    (buffer as ThreadedBuffer).holder = undefined;
    this.#frames.delete(buffer);
    holder?.send(() => ({ kind: "free", id }));
  }

  pairs(frame: FrameBuffers, options: PairsOptions): Pairs {
    return new ThreadedPairs(this.#made++, this.#frameOf(frame), options);
  }

  async savePairs(pairs: Pairs): Promise<SavedPairs> {
    const { id, frame } = pairs as ThreadedPairs;
    const saved = await frame.requestValues((ticket) => ({ kind: "savePairs", id, ticket }));
    return mergedPairs(saved as readonly SavedPairs[]);
  }

  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void {
    const { id, frame } = pairs as ThreadedPairs;
    if (frame.isTeam) {
      const whole = { offsets: offsets.slice(), saved };
      return frame.send(() => ({ kind: "loadPairs", id, ...whole }));
    }
    const shares = splitPairs(frame.parts, offsets, saved);
    frame.send((part) => ({ kind: "loadPairs", id, ...shares[part]! }));
  }

  forgetPairs(pairs: Pairs, places: readonly number[]): void {
    const { id, frame } = pairs as ThreadedPairs;
    frame.send((part) => {
      const [from, to] = frame.parts[part]!.systems;
      const own = places.filter((place) => place >= from && place < to);
      return { kind: "forgetPairs", id, places: own.map((place) => place - from) };
    });
  }

  freePairs(pairs: Pairs): void {
    const { id, frame } = pairs as ThreadedPairs;
    frame.send(() => ({ kind: "freePairs", id }));
  }

  /**
   * Throws a TypeError. Edges contain indices of atoms within the whole batch, of which each thread has only a part.
   */
  edges(): Edges {
    throw new TypeError(
      `Cannot list edges on ${this.threads} threads: edges have indices of atoms in the whole batch, and each thread has only some ` +
        `of the systems. Leave out the engine's option "threads", and pass "threads" to the ONNX model instead`,
    );
  }

  freeEdges(): void {}

  prepare(frame: FrameBuffers, calls: readonly KernelCall[]): Program {
    return new ThreadedProgram(this.#made++, this.#frameOf(frame), calls);
  }

  /**
   * Runs a program on all threads. A single step is only sent: `run` returns 1 without waiting. If a kernel can halt
   * a run of several steps, all threads must halt in the same step, so they run one step at a time and begin the next
   * step only after all threads have replied.
   */
  run(program: Program, first: number, steps: number): number | Promise<number> {
    const { id, frame, canHalt } = program as ThreadedProgram;
    if (this.#pool.failure !== undefined) throw this.#pool.failure;
    if (steps === 0) return 0;
    if (steps === 1) {
      frame.send(() => ({ kind: "run", id, first, steps, ticket: undefined }));
      return 1;
    }
    if (canHalt) return this.#runTogether(program as ThreadedProgram, first, steps);
    const done = frame.request((ticket) => ({ kind: "run", id, first, steps, ticket }))
      .then((all) => Math.min(...(all as readonly RunResult[]).map(({ done }) => done)));
    done.catch(() => {}); // avoids an unhandled rejection; a caller that awaits the run gets the error
    return done;
  }

  dispose(): void {
    this.#frames.clear();
    this.#pool.terminate(
      new Error("Cannot continue on threads: the backend was disposed of. Open another one"),
    );
  }

  #frameOf(buffers: FrameBuffers): ThreadedFrame {
    let frame = this.#frames.get(buffers.offsets);
    if (frame === undefined) {
      frame = new ThreadedFrame(this.#made++, buffers, this.#pool);
      this.#frames.set(buffers.offsets, frame);
    }
    return frame;
  }

  #runTogether({ id, frame }: ThreadedProgram, first: number, steps: number): Promise<number> {
    return this.#pool.runExclusive(async (send) => {
      for (let k = 0; k < steps; k++) {
        const request = { kind: "run", id, first: first + k, steps: 1 } as const;
        const ended = await send(frame.parts.length, (ticket) => ({ ...request, ticket }));
        if ((ended as readonly RunResult[]).some(({ isHalted }) => isHalted)) return k + 1;
      }
      return steps;
    });
  }

  /** Reads the values of buffers. Buffers of the same batch share one request. */
  async #read(buffers: readonly ThreadedBuffer[]): Promise<readonly Numbers[]> {
    const byHolder = new Map<BufferHolder, ThreadedBuffer[]>();
    const found = new Map<ThreadedBuffer, Numbers>();
    for (const buffer of buffers) {
      if (buffer.host !== undefined) found.set(buffer, buffer.host.slice());
      else if (!byHolder.get(buffer.holder!)?.push(buffer)) byHolder.set(buffer.holder!, [buffer]);
    }
    const reads = Array.from(byHolder, async ([holder, own]) => {
      const ids = own.map(({ id }) => id);
      const all = await holder.requestValues((ticket) => ({ kind: "read", ids, ticket }));
      for (const [i, buffer] of own.entries()) {
        const parts = (all as readonly (readonly Numbers[])[]).map((part) => part[i]!);
        found.set(buffer, holder.merged(buffer, parts));
      }
    });
    await Promise.all(reads);
    return buffers.map((buffer) => found.get(buffer)!);
  }
}
