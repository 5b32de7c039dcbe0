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

/** A run of numbers on a backend. */
export interface Buffer<D extends Dtype = Dtype> {
  /** The type of its elements. */
  readonly dtype: D;
  /** How many. */
  readonly length: number;
}

/**
 * What has the rows of a buffer, so that systems of a batch can be in different places: atoms; systems; systems, as
 * where something of each begins, one more than there are; or nothing of the batch: it is the same for all.
 */
export type Spread = "node" | "system" | "starts" | "all";

/** The pairs of atoms within a cutoff, on a backend. */
export interface Pairs {
  /** Å. */
  readonly cutoff: number;
  /** Å. */
  readonly skin: number;
}

/** How far pairs reach. */
export interface PairsOptions {
  /** Å. */
  readonly cutoff: number;
  /** How much further pairs are kept, so that they need not be found anew at each step. Å. */
  readonly skin: number;
}

/** What a checkpoint keeps of the pairs: with it they are found as they were, in the same order. */
export interface SavedPairs {
  /** Where the atoms were when the pairs of their system were last found, three per atom, Å. */
  readonly reference: Float64Array;
  /** The image counters at that time. */
  readonly images: Int32Array;
  /** The cells at that time, nine numbers each, Å. */
  readonly cells: Float64Array;
  /** How often the pairs of each system were found: 0 where they never were. */
  readonly builds: Int32Array;
}

/** What edges are listed. */
export interface EdgesOptions {
  /** Where they come from: the kernel `neighbors` must keep them up to date. */
  readonly pairs: Pairs;
  /** Only pairs nearer than that, now. At most the cutoff of the pairs. Å. */
  readonly cutoff: number;
  /** Whether each pair is listed once, the lower atom first, rather than both ways. */
  readonly isHalf: boolean;
  /** How long both edges of a triplet may be at most; 0: no triplets. At most the cutoff. Å. */
  readonly reach: number;
}

/**
 * Edges and triplets of edges of a batch, on a backend, as graphs of atoms take them: padded, so that shapes repeat.
 * The kernels `edges` and `triplets` list them. Its buffers stay the same objects; their lengths and what holds them
 * change as it grows.
 */
export interface Edges {
  /** Edges there is room for: a multiple of 256, always more than there are, so that the last is padding. */
  readonly capacity: number;
  /** The same for triplets; 0 where there are none. */
  readonly tripletCapacity: number;
  /** [2, capacity]: sources, then targets. Atoms are counted over the batch. */
  readonly index: Buffer<"i32">;
  /** [capacity, 3], Å: the vector of an edge is positions[target] − positions[source] + shift. */
  readonly shifts: Buffer<"real">;
  /** [capacity]: the system of each edge. */
  readonly systems: Buffer<"i32">;
  /** [tripletCapacity]: the atom that both edges leave. */
  readonly centers: Buffer<"i32">;
  /** [2, tripletCapacity]: its two edges. Each unordered pair of different edges is there once. */
  readonly triplets: Buffer<"i32">;
  /** How many edges there are, and how many triplets. */
  readonly counts: Buffer<"i32">;
}

/** The buffers behind a {@linkcode Frame}. */
export interface FrameBuffers {
  /** How many systems. */
  readonly systems: number;
  /** Where the atoms of each system begin; one more than systems. */
  readonly offsets: Buffer<"i32">;
  /** 1 where the system is updated, 0 where it is at rest. */
  readonly active: Buffer<"i32">;
  /** What each system is called. */
  readonly ids: Buffer<"i32">;
  /** Steps each system has done. */
  readonly ages: Buffer<"i32">;
  /** What stops a run of many steps. */
  readonly control: Buffer<"i32">;
}

/** What to hand over for an argument. */
export type Given<A extends Argument> = A extends "number" ? number
  : A extends "pairs" ? Pairs
  : A extends "edges" ? Edges
  : A extends Dtype ? Buffer<A>
  : A extends `${infer D extends Dtype} changed` ? Buffer<D>
  : A extends `${infer D extends Dtype} optional` ? Buffer<D> | undefined
  : never;

/** What to hand over to a kernel: what is optional may be left out. */
export type Handed<A extends Arguments> =
  & { readonly [k in keyof A as A[k] extends `${Dtype} optional` ? never : k]: Given<A[k]> }
  & { readonly [k in keyof A as A[k] extends `${Dtype} optional` ? k : never]?: Given<A[k]> };

/** A kernel with what it is to work on. */
export interface Call {
  /** The kernel. */
  readonly kernel: Kernel;
  /** One for each of its arguments. */
  readonly args: Readonly<Record<string, Buffer | Pairs | Edges | number | undefined>>;
  /**
   * Only at steps with step % every === phase.
   *
   * @default 1
   */
  readonly every?: number;
  /**
   * The remainder.
   *
   * @default 0
   */
  readonly phase?: number;
}

/** When a call is to run. */
export type CallTimes = Pick<Call, "every" | "phase">;

/** A kernel with what it is to work on. */
export function call<A extends Arguments>(
  kernel: Kernel<A>,
  args: Handed<A>,
  times: CallTimes = {},
): Call {
  return { kernel: kernel as unknown as Kernel, args: args as unknown as Call["args"], ...times };
}

/** What is in buffers, one array for each. */
export type Values<B extends readonly Buffer[]> = {
  readonly [k in keyof B]: Arrays[B[k]["dtype"]];
};

/** Calls in order, ready to run. */
export interface Program {
  /** How many calls there are. */
  readonly length: number;
  /** Gives back what it takes. */
  free(): void;
}

/** Where kernels run and state lives. */
export interface Backend {
  /** Which one. */
  readonly name: "reference" | "wasm" | "webgpu";
  /** What `real` is there. */
  readonly real: "f32" | "f64";
  /**
   * Over how many threads it spreads the systems of a batch.
   *
   * @default 1
   */
  readonly threads?: number;
  /** Makes a buffer of zeros. `spread` is what has its rows: where there are several threads it must be said. */
  alloc<D extends Dtype>(dtype: D, length: number, spread?: Spread): Buffer<D>;
  /** Copies numbers into a buffer. */
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
  /** Whether the host itself runs kernels, at once: then `view` can be had, and nothing has to be awaited. */
  readonly isHost: boolean;
  /** Gives a buffer back. */
  free(buffer: Buffer): void;
  /** Makes an empty list of pairs; the kernel `neighbors` fills it. */
  pairs(frame: FrameBuffers, options: PairsOptions): Pairs;
  /** Reads what a checkpoint needs of it. */
  savePairs(pairs: Pairs): SavedPairs | Promise<SavedPairs>;
  /** The kernel `neighbors` finds the pairs again as they were, when it next runs. */
  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void;
  /**
   * Other systems, as large, are in these places now: their pairs were never found. Without it systems cannot take the
   * places of others in a batch that is there.
   */
  forgetPairs?(pairs: Pairs, places: readonly number[]): void;
  /** Gives it back. */
  freePairs(pairs: Pairs): void;
  /** Makes an empty list of edges. Throws a RangeError for edges that the pairs do not have. */
  edges(frame: FrameBuffers, options: EdgesOptions): Edges;
  /** Gives it back. */
  freeEdges(edges: Edges): void;
  /** Makes calls ready. Never in the loop. */
  prepare(frame: FrameBuffers, calls: readonly Call[]): Program;
  /** Runs a program for up to `steps` steps from step `first` on; answers with how many it did. */
  run(program: Program, first: number, steps: number): number | PromiseLike<number>;
  /** Gives everything back. */
  dispose(): void;
}
