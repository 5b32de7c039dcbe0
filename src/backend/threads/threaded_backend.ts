import type { Arrays, Dtype } from "../../kernels/kernel.ts";
import type {
  Backend,
  Buffer,
  Call,
  Edges,
  FrameBuffers,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
  Spread,
  Values,
} from "../backend.ts";
import { Crew } from "./worker_pool.ts";
import type { Ended, Numbers } from "./requests.ts";
import { mergedPairs, splitPairs } from "./split.ts";
import { type BufferHolder, numbers, ThreadedBuffer } from "./threaded_buffer.ts";
import { ThreadedFrame } from "./threaded_frame.ts";
import { ThreadedPairs } from "./threaded_pairs.ts";
import { ThreadedProgram } from "./threaded_program.ts";

/**
 * The kernels of the WebAssembly backend on several threads: each has some of the systems of a batch, in a worker of its
 * own. As systems know nothing of each other, all that comes of them is the same to the bit.
 */
export class ThreadedBackend implements Backend {
  readonly name = "wasm";
  readonly real = "f32";
  readonly isHost = false;
  /** How many threads there are. */
  readonly threads: number;
  readonly #crew: Crew;
  readonly #frames = new Map<Buffer, ThreadedFrame>();
  #made = 0;

  /** `start` makes a worker. None is there before it is needed. */
  constructor(threads: number, start: () => Worker) {
    this.threads = threads;
    this.#crew = new Crew(threads, start);
  }

  /** Throws a RangeError where no memory of WebAssembly could hold it. */
  alloc<D extends Dtype>(dtype: D, length: number, spread?: Spread): Buffer<D> {
    return new ThreadedBuffer(dtype, length, this.#made++, spread);
  }

  write(given: Buffer, values: ArrayLike<number>, at = 0): void {
    const buffer = given as ThreadedBuffer;
    if (at + values.length > buffer.length) {
      throw new RangeError(
        `Cannot write ${values.length} numbers as a buffer must have room for them from ${at} on: current length is ${buffer.length}`,
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

  async read<D extends Dtype>(buffer: Buffer<D>): Promise<Arrays[D]> {
    const [values] = await this.viewOrRead([buffer]);
    return values as Arrays[D];
  }

  /** Throws a TypeError: nothing is here. */
  view<D extends Dtype>(_: Buffer<D>): Arrays[D] {
    throw new TypeError(
      "Cannot view a buffer as it must be in the memory of this thread: await see() for what others have",
    );
  }

  viewOrRead<const B extends readonly Buffer[]>(buffers: B): Promise<Values<B>> {
    const seen = this.readLate(buffers);
    this.#crew.flush();
    return seen;
  }

  readLate<const B extends readonly Buffer[]>(buffers: B): Promise<Values<B>> {
    return this.#look(buffers as unknown as readonly ThreadedBuffer[]) as unknown as Promise<
      Values<B>
    >;
  }

  flush(): void {
    this.#crew.flush();
  }

  free(buffer: Buffer): void {
    const { id, holder } = buffer as ThreadedBuffer;
    (buffer as ThreadedBuffer).holder = undefined;
    this.#frames.delete(buffer);
    holder?.tell(() => ({ kind: "free", id }));
  }

  pairs(frame: FrameBuffers, options: PairsOptions): Pairs {
    return new ThreadedPairs(this.#made++, this.#frameOf(frame), options);
  }

  async savePairs(pairs: Pairs): Promise<SavedPairs> {
    const { id, frame } = pairs as ThreadedPairs;
    const saved = await frame.ask((ticket) => ({ kind: "savePairs", id, ticket }));
    return mergedPairs(saved as readonly SavedPairs[]);
  }

  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void {
    const { id, frame } = pairs as ThreadedPairs;
    const shares = splitPairs(frame.parts, offsets, saved);
    frame.tell((part) => ({ kind: "loadPairs", id, ...shares[part]! }));
  }

  forgetPairs(pairs: Pairs, places: readonly number[]): void {
    const { id, frame } = pairs as ThreadedPairs;
    frame.tell((part) => {
      const [from, to] = frame.parts[part]!.systems;
      const own = places.filter((place) => place >= from && place < to);
      return { kind: "forgetPairs", id, places: own.map((place) => place - from) };
    });
  }

  freePairs(pairs: Pairs): void {
    const { id, frame } = pairs as ThreadedPairs;
    frame.tell(() => ({ kind: "freePairs", id }));
  }

  /** Throws a TypeError: edges are counted over the batch, of which each thread has only a part. */
  edges(): Edges {
    throw new TypeError(
      `Cannot list edges on ${this.threads} threads as atoms must be counted over the whole batch, of which each has a part: ` +
        `leave out threads; an ONNX model has threads of its own, as an option`,
    );
  }

  freeEdges(): void {}

  prepare(frame: FrameBuffers, calls: readonly Call[]): Program {
    return new ThreadedProgram(this.#made++, this.#frameOf(frame), calls);
  }

  /** Where several threads must halt in the same step, they do one at a time, and wait for each other. */
  run(program: Program, first: number, steps: number): number | Promise<number> {
    const { id, frame, canHalt } = program as ThreadedProgram;
    if (this.#crew.failure !== undefined) throw this.#crew.failure;
    if (steps === 0) return 0;
    if (steps === 1) {
      frame.tell(() => ({ kind: "run", id, first, steps, ticket: undefined }));
      return 1;
    }
    if (canHalt) return this.#runTogether(program as ThreadedProgram, first, steps);
    const done = frame.ask((ticket) => ({ kind: "run", id, first, steps, ticket }))
      .then((all) => Math.min(...(all as readonly Ended[]).map(({ done }) => done)));
    done.catch(() => {}); // who looks at what came of it learns of it
    return done;
  }

  dispose(): void {
    this.#frames.clear();
    this.#crew.end(new Error("Cannot go on as threads must be there: they were ended"));
  }

  #frameOf(buffers: FrameBuffers): ThreadedFrame {
    let frame = this.#frames.get(buffers.offsets);
    if (frame === undefined) {
      frame = new ThreadedFrame(this.#made++, buffers, this.#crew);
      this.#frames.set(buffers.offsets, frame);
    }
    return frame;
  }

  #runTogether({ id, frame }: ThreadedProgram, first: number, steps: number): Promise<number> {
    return this.#crew.alone(async (ask) => {
      for (let k = 0; k < steps; k++) {
        const order = { kind: "run", id, first: first + k, steps: 1 } as const;
        const ended = await ask(frame.parts.length, (ticket) => ({ ...order, ticket }));
        if ((ended as readonly Ended[]).some(({ isHalted }) => isHalted)) return k + 1;
      }
      return steps;
    });
  }

  /** What is in buffers; those of one batch are asked for together. */
  async #look(buffers: readonly ThreadedBuffer[]): Promise<readonly Numbers[]> {
    const asked = new Map<BufferHolder, ThreadedBuffer[]>();
    const found = new Map<ThreadedBuffer, Numbers>();
    for (const buffer of buffers) {
      if (buffer.host !== undefined) found.set(buffer, buffer.host.slice());
      else if (!asked.get(buffer.holder!)?.push(buffer)) asked.set(buffer.holder!, [buffer]);
    }
    const looks = Array.from(asked, async ([holder, own]) => {
      const ids = own.map(({ id }) => id);
      const all = await holder.ask((ticket) => ({ kind: "look", ids, ticket }));
      for (const [i, buffer] of own.entries()) {
        const parts = (all as readonly (readonly Numbers[])[]).map((part) => part[i]!);
        found.set(buffer, holder.merged(buffer, parts));
      }
    });
    await Promise.all(looks);
    return buffers.map((buffer) => found.get(buffer)!);
  }
}
