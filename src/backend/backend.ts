/**
 * The backend interface: buffers, and programs of kernels over them.
 *
 * Values in buffers are reached by few verbs, here and in everything built on a backend. One word has one meaning:
 *
 * | verb | answers | copies | use it for |
 * |---|---|---|---|
 * | `view` | at once; host backends only | nothing: the buffer's own memory, valid until the next call of the backend | hot paths on the host |
 * | `read` | at once on the host; must be awaited on a device | always | one buffer, as it is now |
 * | `viewOrRead` | as `view` on the host, as `read` on a device | on a device, all buffers by one command | values that decide how a run goes on |
 * | `readLate` | later, on every backend | always, as of the moment of the call | observers: nothing waits for it |
 * | `withArrays` (`ResidentBatch`) | as `viewOrRead` | as `viewOrRead`; changes are written back | host code that works in place |
 * | `refreshMirror`, `mirrored…` (`ResidentBatch`) | refreshing as `viewOrRead`; `mirrored…` at once | into a mirror in host memory | code that cannot wait and is called often |
 * | `upload`, `download` (`ResidentBatch`) | as `viewOrRead` | between a batch and its buffers, in the batch's precision | begin and end of a run |
 * | `fetch` (`Batch`, plans of hooks) | always later | always | callers that do not know where the values are |
 *
 * `write` is the opposite direction: it copies at once, and reads that were asked for before it do not see it.
 *
 * @module
 */

import type { Argument, Arguments, Arrays, Dtype, Kernel } from "../kernels/kernel.ts";

/** An array of numbers on a backend. */
export interface Buffer<D extends Dtype = Dtype> {
  /** Type of its elements. */
  readonly dtype: D;
  /** Number of elements. */
  readonly length: number;
}

/**
 * Owner of the rows of a buffer, so that a backend can spread the systems of a batch over threads: atoms
 * (`"node"`), systems (`"system"`), the beginnings of systems, of which there is one more (`"starts"`), or nothing in
 * particular, so that every thread gets all of it (`"all"`).
 */
export type Spread = "node" | "system" | "starts" | "all";

/** A list of the pairs of atoms within a cutoff, on a backend. */
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
  /** Verlet skin: how much further pairs are listed, so that the list serves many steps. Å. */
  readonly skin: number;
}

/** State of a list of pairs. With it the pairs are found again as they were, in the same order. */
export interface SavedPairs {
  /** Positions of the atoms when the pairs of their system were last found, three per atom, Å. */
  readonly reference: Float64Array;
  /** Image counters at that time. */
  readonly images: Int32Array;
  /** Cells at that time, nine numbers each, Å. */
  readonly cells: Float64Array;
  /** Number of times that the pairs of each system were found; 0 if never. */
  readonly builds: Int32Array;
}

/** Options of a list of edges. */
export interface EdgesOptions {
  /** Pairs that the edges are made of. The kernel `neighbors` must keep them up to date. */
  readonly pairs: Pairs;
  /** Cutoff radius, applied at every step; at most that of the pairs. Å. */
  readonly cutoff: number;
  /** True if each pair is listed once, the lower atom first, instead of both ways. */
  readonly isHalf: boolean;
  /** Longest edge of a triplet, at most the cutoff; 0 for no triplets. Å. */
  readonly reach: number;
}

/**
 * Edges and triplets of edges of a batch, on a backend, as graph networks take them: padded, so that shapes repeat. The
 * kernels `edges` and `triplets` fill the list. Its buffers stay the same objects while their lengths and memory change
 * as it grows.
 */
export interface Edges {
  /** Edges that fit: a multiple of 256, always more than there are, so that the last one is padding. */
  readonly capacity: number;
  /** Triplets that fit; 0 if there are none. */
  readonly tripletCapacity: number;
  /** [2, capacity]: source atoms, then target atoms, counted over the whole batch. */
  readonly index: Buffer<"i32">;
  /** [capacity, 3], Å. The vector of an edge is positions[target] − positions[source] + shift. */
  readonly shifts: Buffer<"real">;
  /** [capacity]: the system of each edge. */
  readonly systems: Buffer<"i32">;
  /** [tripletCapacity]: the source atom of both edges. */
  readonly centers: Buffer<"i32">;
  /** [2, tripletCapacity]: the two edges. Each unordered pair of different edges is listed once. */
  readonly triplets: Buffer<"i32">;
  /** [2]: numbers of edges and of triplets. */
  readonly counts: Buffer<"i32">;
}

/** The buffers behind a {@linkcode Frame}. */
export interface FrameBuffers {
  /** Number of systems. */
  readonly systems: number;
  /** First atom of each system; one entry more than systems. */
  readonly offsets: Buffer<"i32">;
  /** 1 for each active system, 0 for each finished one. */
  readonly active: Buffer<"i32">;
  /** Id of each system. */
  readonly ids: Buffer<"i32">;
  /** Number of steps that each system has done. */
  readonly ages: Buffer<"i32">;
  /** Words that halt a run of many steps, see {@linkcode Control}. */
  readonly control: Buffer<"i32">;
}

/** Value of an argument in a call. */
export type Given<A extends Argument> = A extends "number" ? number
  : A extends "pairs" ? Pairs
  : A extends "edges" ? Edges
  : A extends Dtype ? Buffer<A>
  : A extends `${infer D extends Dtype} changed` ? Buffer<D>
  : A extends `${infer D extends Dtype} optional` ? Buffer<D> | undefined
  : never;

/** Values of all arguments of a kernel; optional ones may be left out. */
export type Handed<A extends Arguments> =
  & { readonly [k in keyof A as A[k] extends `${Dtype} optional` ? never : k]: Given<A[k]> }
  & { readonly [k in keyof A as A[k] extends `${Dtype} optional` ? k : never]?: Given<A[k]> };

/** A kernel with its arguments. */
export interface Call {
  /** The kernel. */
  readonly kernel: Kernel;
  /** Value of each argument. */
  readonly args: Readonly<Record<string, Buffer | Pairs | Edges | number | undefined>>;
  /**
   * The call runs at steps with step % every === phase.
   *
   * @default 1
   */
  readonly every?: number;
  /**
   * Remainder.
   *
   * @default 0
   */
  readonly phase?: number;
}

/** Steps at which a call runs. */
export type CallTimes = Pick<Call, "every" | "phase">;

/** Makes a call of a kernel. */
export function call<A extends Arguments>(
  kernel: Kernel<A>,
  args: Handed<A>,
  times: CallTimes = {},
): Call {
  return { kernel: kernel as unknown as Kernel, args: args as unknown as Call["args"], ...times };
}

/** Values of buffers, one array for each. */
export type Values<B extends readonly Buffer[]> = {
  readonly [k in keyof B]: Arrays[B[k]["dtype"]];
};

/** Calls in order, prepared to run. */
export interface Program {
  /** Number of calls. */
  readonly length: number;
  /** Frees what it uses. */
  free(): void;
}

/** A place where kernels run and state lives. */
export interface Backend {
  /** Name of the backend. */
  readonly name: "reference" | "wasm" | "webgpu";
  /** Precision of `real`. */
  readonly real: "f32" | "f64";
  /**
   * Number of threads over which the systems of a batch are spread.
   *
   * @default 1
   */
  readonly threads?: number;
  /** Makes a buffer of zeros. On several threads, `spread` must tell what its rows belong to. */
  alloc<D extends Dtype>(dtype: D, length: number, spread?: Spread): Buffer<D>;
  /** Copies numbers into a buffer, from index `at` on. */
  write(buffer: Buffer, values: ArrayLike<number>, at?: number): void;
  /** Returns a copy of a buffer as it is now; on a device a promise of it. */
  read<D extends Dtype>(buffer: Buffer<D>): Arrays[D] | Promise<Arrays[D]>;
  /**
   * Returns the memory of a buffer itself, valid until the next call of the backend.
   *
   * @throws {TypeError} if the buffer is not in host memory
   */
  view<D extends Dtype>(buffer: Buffer<D>): Arrays[D];
  /**
   * Returns the values of some buffers, all as of the same moment. In host memory these are the buffers themselves, valid
   * until the next call of the backend; on a device a promise of copies, made by one command.
   */
  viewOrRead<const B extends readonly Buffer[]>(buffers: B): Values<B> | Promise<Values<B>>;
  /** Copies some buffers as they are now. The copies arrive later, in the order of the calls; nothing waits for them. */
  readLate<const B extends readonly Buffer[]>(buffers: B): Promise<Values<B>>;
  /** Submits all work that is still held back. A host backend holds nothing back. */
  flush(): void;
  /** True if the host itself runs kernels, at once. Then `view` is allowed, and nothing has to be awaited. */
  readonly isHost: boolean;
  /** Frees a buffer. */
  free(buffer: Buffer): void;
  /** Makes an empty list of pairs; the kernel `neighbors` fills it. */
  pairs(frame: FrameBuffers, options: PairsOptions): Pairs;
  /** Reads the state of a list of pairs. */
  savePairs(pairs: Pairs): SavedPairs | Promise<SavedPairs>;
  /** Restores the state of a list. The kernel `neighbors` then finds the pairs as they were when it next runs. */
  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void;
  /**
   * Forgets the pairs of systems in these places, which have been replaced by others of the same size. A backend without
   * it cannot replace systems of a batch.
   */
  forgetPairs?(pairs: Pairs, places: readonly number[]): void;
  /** Frees a list of pairs. */
  freePairs(pairs: Pairs): void;
  /** Makes an empty list of edges. Throws a RangeError if the pairs do not reach as far. */
  edges(frame: FrameBuffers, options: EdgesOptions): Edges;
  /** Frees a list of edges. */
  freeEdges(edges: Edges): void;
  /** Prepares calls to run. Takes long; never to be called in a step loop. */
  prepare(frame: FrameBuffers, calls: readonly Call[]): Program;
  /** Runs a program for up to `steps` steps, the first of which is step `first`. Returns the number of steps done. */
  run(program: Program, first: number, steps: number): number | PromiseLike<number>;
  /** Frees everything. */
  dispose(): void;
}
