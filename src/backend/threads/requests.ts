/**
 * Messages to worker threads, and their replies: plain data.
 *
 * The main thread assigns the numbers of all buffers, lists and programs that a worker creates, so
 * that it never waits for a reply with an identifier.
 *
 * @module
 */

import type { BufferType, KernelArguments } from "../../kernels/kernel.ts";
import type { PairProgram } from "../../kernels/pairs/expression/program.ts";
import type { PairsOptions, SavedPairs } from "../backend.ts";

/** Numbers in a message. */
export type Numbers = Float32Array | Float64Array | Int32Array;

/**
 * Argument of a call: a number, the number of a buffer or a list of pairs, or `undefined` if it is
 * omitted.
 */
export type ArgumentMessage =
  | { readonly number: number }
  | { readonly buffer: number }
  | { readonly pairs: number }
  | undefined;

/** A call of a kernel. */
export interface CallMessage {
  /** Name of the kernel. */
  readonly name: string;
  /** Arguments that the kernel declares. */
  readonly args: KernelArguments;
  /** Pair potential that the kernel sums. */
  readonly pair: PairProgram | undefined;
  /** Value of each argument. */
  readonly given: Readonly<Record<string, ArgumentMessage>>;
  /** The call runs at steps with step % every === phase. */
  readonly every: number | undefined;
  /** Remainder. */
  readonly phase: number | undefined;
}

/** Buffers of a frame, by number. */
export interface FrameMessage {
  readonly systems: number;
  readonly offsets: number;
  readonly active: number;
  readonly ids: number;
  readonly ages: number;
  readonly control: number;
}

/** A request to a worker thread. The worker replies to requests with a ticket. */
export type WorkerRequest =
  | {
    readonly kind: "alloc";
    readonly id: number;
    readonly dtype: BufferType;
    readonly length: number;
  }
  | { readonly kind: "write"; readonly id: number; readonly values: Numbers; readonly at: number }
  | { readonly kind: "free"; readonly id: number }
  | { readonly kind: "frame"; readonly id: number; readonly frame: FrameMessage }
  | {
    readonly kind: "pairs";
    readonly id: number;
    readonly frame: number;
    readonly options: PairsOptions;
  }
  | { readonly kind: "freePairs"; readonly id: number }
  | { readonly kind: "forgetPairs"; readonly id: number; readonly places: readonly number[] }
  | { readonly kind: "savePairs"; readonly id: number; readonly ticket: number }
  | {
    readonly kind: "loadPairs";
    readonly id: number;
    readonly offsets: Int32Array;
    readonly saved: SavedPairs;
  }
  | {
    readonly kind: "prepare";
    readonly id: number;
    readonly frame: number;
    readonly calls: readonly CallMessage[];
  }
  | { readonly kind: "freeProgram"; readonly id: number }
  | {
    readonly kind: "run";
    readonly id: number;
    readonly first: number;
    readonly steps: number;
    /** Omitted if the number of steps done does not matter. */
    readonly ticket: number | undefined;
  }
  | { readonly kind: "read"; readonly ids: readonly number[]; readonly ticket: number };

/** Outcome of a run. */
export interface RunResult {
  /** Number of steps done. */
  readonly done: number;
  /** True if the run was halted. */
  readonly isHalted: boolean;
}

/** Requested value. */
export type ReplyValue = RunResult | readonly Numbers[] | SavedPairs;

/** An error as data, because messages cannot contain instances of classes. */
export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
}

/** Reply to the requests of one message. */
export interface WorkerReply {
  /** Values of the requests with a ticket, in order. */
  readonly values: readonly { readonly ticket: number; readonly value: ReplyValue }[];
  /** Error that stopped the thread for good. */
  readonly error: ErrorMessage | undefined;
}
