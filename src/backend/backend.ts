/**
 * The backend interface: buffers, and programs of kernels over them.
 *
 * A few verbs access the values in buffers, in this interface and in everything built on it.
 * Each verb has one meaning:
 *
 * | verb | returns | copies | use it for |
 * |---|---|---|---|
 * | `view` | at once; host backends only | nothing: the buffer's own memory, valid until the next call of the backend | hot paths on the host |
 * | `read` | at once on the host; a promise on a device | always | one buffer, with its current values |
 * | `viewOrRead` | as `view` on the host, as `read` on a device | on a device, all buffers by one command | values that decide how a run continues |
 * | `readLate` | a promise, on every backend | always, at the time of the call | observers: nothing waits for it |
 * | `withArrays` (`ResidentBatch`) | as `viewOrRead` | as `viewOrRead`; changes are written back | host code that works in place |
 * | `refreshMirror`, `mirrored…` (`ResidentBatch`) | refreshing as `viewOrRead`; `mirrored…` at once | into a mirror in host memory | synchronous code that is called often |
 * | `upload`, `download` (`ResidentBatch`) | as `viewOrRead` | between a batch and its buffers, in the batch's precision | begin and end of a run |
 * | `fetch` (`Batch`, plans of hooks) | a promise | always | callers that do not know the device of the values |
 *
 * `write` is the opposite direction. It copies at once, and reads that were requested before do not
 * see it.
 *
 * @module
 */

import type { Argument, Arrays, BufferType, Kernel, KernelArguments } from "../kernels/kernel.ts";

/** An array of numbers on a backend. */
export interface Buffer<D extends BufferType = BufferType> {
  /** Type of its elements. */
  readonly dtype: D;
  /** Number of elements. */
  readonly length: number;
}

/**
 * Level of the rows of a buffer, by which a backend distributes the systems of a batch over threads. `"node"` is one
 * row per atom, `"system"` one per system, and `"starts"` the index of the first atom of each system plus one final
 * entry. With `"all"`, every thread gets the whole buffer.
 */
export type Spread = "node" | "system" | "starts" | "all";

/** A list on a backend of the pairs of atoms within a cutoff. */
export interface Pairs {
  /** Cutoff radius, Å. */
  readonly cutoff: number;
  /** Verlet skin, Å. */
  readonly skin: number;
}

/** Options of a list of pairs. */
export interface PairsOptions {
  /** Cutoff radius, Å. */
  readonly cutoff: number;
  /**
   * Verlet skin: the distance beyond the cutoff up to which pairs are listed, so that a list can be used for many
   * steps. Å.
   */
  readonly skin: number;
}

/** The state of a list of pairs, from which the same pairs are found again in the same order. */
export interface SavedPairs {
  /** Positions at the last search, three per atom, Å. Systems that were never searched are left out. */
  readonly reference: Float64Array;
  /** Image counters at the last search, three per atom. Systems that were never searched are left out. */
  readonly images: Int32Array;
  /** Cells at the last search, nine numbers for each system, Å. */
  readonly cells: Float64Array;
  /** Number of searches of each system; 0 if its pairs were never found. */
  readonly builds: Int32Array;
}

/** Options of a list of edges. An edge is a directed pair of atoms within the cutoff. */
export interface EdgesOptions {
  /** Pairs from which the edges are taken. The kernel `neighbors` must keep them up to date. */
  readonly pairs: Pairs;
  /** Cutoff radius, applied at every step; at most that of the pairs. Å. */
  readonly cutoff: number;
  /** True if each pair is listed once, with the lower atom first, instead of in both directions. */
  readonly isHalf: boolean;
  /** Largest length of an edge that takes part in triplets, at most the cutoff; 0 to list no triplets. Å. */
  readonly reach: number;
}

/**
 * A list on a backend of the edges of a batch and of their triplets, padded to constant lengths, as inputs of graph
 * networks. The kernels `edges` and `triplets` fill it. Its buffers stay the same objects, but their lengths and
 * memory change when it grows.
 */
export interface Edges {
  /** Number of edges that fit: a multiple of 256 above the number of edges, so that the last one is always padding. */
  readonly capacity: number;
  /** Number of triplets that fit; 0 if the list has no triplets. */
  readonly tripletCapacity: number;
  /**
   * Shape [2, capacity]: the source atom of each edge, then the target atom of each edge, as indices within the
   * batch.
   */
  readonly index: Buffer<"i32">;
  /** Shape [capacity, 3], Å. The vector of an edge is positions[target] − positions[source] + shift. */
  readonly shifts: Buffer<"real">;
  /** Shape [capacity]: the index of the system of each edge. */
  readonly systems: Buffer<"i32">;
  /** Shape [tripletCapacity]: the source atom of both edges of each triplet. */
  readonly centers: Buffer<"i32">;
  /**
   * Shape [2, tripletCapacity]: the indices of the two edges of each triplet. Each unordered pair of different edges
   * of an atom is listed once.
   */
  readonly triplets: Buffer<"i32">;
  /** Shape [2]: the number of edges, then the number of triplets, both without padding. */
  readonly counts: Buffer<"i32">;
}

/** The buffers of a {@linkcode Frame}, which describe the systems of a batch. */
export interface FrameBuffers {
  /** Number of systems. */
  readonly systems: number;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly offsets: Buffer<"i32">;
  /** 1 for each active system, 0 for each finished one. */
  readonly active: Buffer<"i32">;
  /** Id of each system, by which kernels select random numbers. */
  readonly ids: Buffer<"i32">;
  /** Number of steps that each system has done. */
  readonly ages: Buffer<"i32">;
  /** Words by which kernels halt a multi-step run; see {@linkcode Control}. */
  readonly control: Buffer<"i32">;
}

/** The type of the value that is passed for an argument of type `A`. */
export type Given<A extends Argument> = A extends "number" ? number
  : A extends "pairs" ? Pairs
  : A extends "edges" ? Edges
  : A extends BufferType ? Buffer<A>
  : A extends `${infer D extends BufferType} changed` ? Buffer<D>
  : A extends `${infer D extends BufferType} optional` ? Buffer<D> | undefined
  : never;

/** The values of all arguments of a kernel, by name. Optional arguments may be omitted. */
export type Handed<A extends KernelArguments> =
  & { readonly [k in keyof A as A[k] extends `${BufferType} optional` ? never : k]: Given<A[k]> }
  & { readonly [k in keyof A as A[k] extends `${BufferType} optional` ? k : never]?: Given<A[k]> };

/** A kernel with the values of its arguments, and the steps at which it runs. */
export interface KernelCall {
  /** The kernel. */
  readonly kernel: Kernel;
  /** Value of each argument, by name. */
  readonly args: Readonly<Record<string, Buffer | Pairs | Edges | number | undefined>>;
  /**
   * Number of steps from one run of the call to the next. The call runs at steps with step % every === phase.
   *
   * @default 1
   */
  readonly every?: number;
  /**
   * The remainder step % every at which the call runs.
   *
   * @default 0
   */
  readonly phase?: number;
}

/** The steps at which a call runs. */
export type CallTimes = Pick<KernelCall, "every" | "phase">;

/**
 * Creates a call of a kernel.
 *
 * @example
 * ```ts
 * import { call, openBackend } from "@hooke/hooke/backend";
 * import { Batch, ResidentBatch } from "@hooke/hooke/batch";
 * import { defineKernel } from "@hooke/hooke/kernels";
 * import { assertEquals } from "@std/assert";
 *
 * const PUSH = defineKernel("push", { positions: "real changed" }, () => {});
 * const backend = openBackend("reference");
 * const state = new ResidentBatch(Batch.from([{ symbols: ["H"], positions: [0, 0, 0] }]), backend);
 * const push = call(PUSH, { positions: state.field("positions") }, { every: 10 });
 * assertEquals([push.kernel.name, push.every], ["push", 10]);
 * ```
 */
export function call<A extends KernelArguments>(
  kernel: Kernel<A>,
  args: Handed<A>,
  times: CallTimes = {},
): KernelCall {
  return {
    kernel: kernel as unknown as Kernel,
    args: args as unknown as KernelCall["args"],
    ...times,
  };
}

/** The values of several buffers: one array for each buffer, in their order. */
export type BufferValues<B extends readonly Buffer[]> = {
  readonly [k in keyof B]: Arrays[B[k]["dtype"]];
};

/** A list of kernel calls, prepared to run in order. */
export interface Program {
  /** Number of calls. */
  readonly length: number;
  /** Frees the memory that the program has allocated. */
  free(): void;
}

/** A device that holds buffers and runs kernels. */
export interface Backend {
  /** Name of the backend. */
  readonly name: "reference" | "wasm" | "webgpu";
  /** Precision of buffers of type `real`. */
  readonly real: "f32" | "f64";
  /**
   * Number of threads over which the systems of a batch, or the work on large systems, are distributed.
   *
   * @default 1
   */
  readonly threads?: number;
  /** Creates a buffer of zeros. `spread` is required if the backend has several threads. */
  alloc<D extends BufferType>(dtype: D, length: number, spread?: Spread): Buffer<D>;
  /** Copies numbers into a buffer, from index `at` on. */
  write(buffer: Buffer, values: ArrayLike<number>, at?: number): void;
  /** Returns a copy of a buffer with its current values. On a device, returns a promise of the copy. */
  read<D extends BufferType>(buffer: Buffer<D>): Arrays[D] | Promise<Arrays[D]>;
  /**
   * Returns the memory of a buffer itself, valid until the next call of the backend.
   *
   * @throws {TypeError} if the buffer is not in host memory
   */
  view<D extends BufferType>(buffer: Buffer<D>): Arrays[D];
  /**
   * Returns the values of some buffers at one moment. On the host these are views of their memory, valid until the
   * next call of the backend. On a device it is a promise of copies, which one command makes.
   */
  viewOrRead<const B extends readonly Buffer[]>(
    buffers: B,
  ): BufferValues<B> | Promise<BufferValues<B>>;
  /**
   * Copies the current values of some buffers, and returns a promise of the copies. The promises resolve in the order
   * of the calls; later calls of the backend do not wait for them.
   */
  readLate<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>>;
  /** Submits all queued work. Does nothing on a host backend. */
  flush(): void;
  /**
   * True if kernels run synchronously on the host. `view` is allowed then, and nothing has to be
   * awaited.
   */
  readonly isHost: boolean;
  /** Frees a buffer. */
  free(buffer: Buffer): void;
  /** Creates an empty list of pairs. The kernel `neighbors` fills it. */
  pairs(frame: FrameBuffers, options: PairsOptions): Pairs;
  /** Reads the state of a list of pairs, from which `loadPairs` restores the list. */
  savePairs(pairs: Pairs): SavedPairs | Promise<SavedPairs>;
  /**
   * Restores the state of a list of pairs. The next run of the kernel `neighbors` finds the saved pairs again.
   * `offsets` has the index of the first atom of each system, followed by the number of atoms.
   */
  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void;
  /**
   * Discards the pairs of the systems in the given slots, because these systems have been replaced by others of the
   * same size. A backend without this method cannot replace systems of a batch.
   */
  forgetPairs?(pairs: Pairs, places: readonly number[]): void;
  /** Frees a list of pairs. */
  freePairs(pairs: Pairs): void;
  /**
   * Creates an empty list of edges. Throws a RangeError if the cutoff exceeds that of the pairs.
   */
  edges(frame: FrameBuffers, options: EdgesOptions): Edges;
  /** Frees a list of edges. */
  freeEdges(edges: Edges): void;
  /**
   * Prepares kernel calls to run as a program. This compiles and allocates, so it must not be called in a step loop.
   */
  prepare(frame: FrameBuffers, calls: readonly KernelCall[]): Program;
  /**
   * Runs a program for up to `steps` steps; the first one has the number `first`. Returns the number of steps done,
   * which is smaller if a kernel halted the run.
   */
  run(program: Program, first: number, steps: number): number | PromiseLike<number>;
  /** Frees all memory of the backend, which cannot be used afterwards. */
  dispose(): void;
}
