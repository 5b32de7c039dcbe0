/**
 * Requests to worker threads, and their replies, as plain data. The main thread assigns the ids of all buffers, lists
 * and programs that a worker creates, so that it need not wait for a reply with an id.
 *
 * @module
 */

import type { BufferType, KernelArguments } from "../../kernels/kernel.ts";
import type { PairProgram } from "../../kernels/pairs/expression/program.ts";
import type { PairsOptions, SavedPairs } from "../backend.ts";
import type { TeamMessage } from "./team.ts";

/** An array of numbers in a message. */
export type Numbers = Float32Array | Float64Array | Int32Array;

/**
 * An argument of a call: a number, the id of a buffer or of a list of pairs, or `undefined` if the argument is
 * omitted.
 */
export type ArgumentMessage =
  | { readonly number: number }
  | { readonly buffer: number }
  | { readonly pairs: number }
  | undefined;

/** A kernel call as plain data. */
export interface CallMessage {
  /** Name of the kernel. */
  readonly name: string;
  /** Types of the arguments that the kernel declares, by name. */
  readonly args: KernelArguments;
  /** Pair potential that the kernel sums; `undefined` for other kernels. */
  readonly pair: PairProgram | undefined;
  /** See {@linkcode KernelTraits}. */
  readonly canHalt: boolean;
  /** See {@linkcode KernelTraits}. */
  readonly needsWhole: boolean;
  /** Value of each argument, by name. */
  readonly given: Readonly<Record<string, ArgumentMessage>>;
  /** The call runs at steps with step % every === phase; `undefined` means 1. */
  readonly every: number | undefined;
  /** The remainder step % every at which the call runs; `undefined` means 0. */
  readonly phase: number | undefined;
}

/** The buffers of a frame, by their ids. */
export interface FrameMessage {
  readonly systems: number;
  readonly offsets: number;
  readonly active: number;
  readonly ids: number;
  readonly ages: number;
  readonly control: number;
}

/** A request to a worker thread. The worker replies only to requests that have a ticket. */
export type WorkerRequest =
  | {
    readonly kind: "alloc";
    readonly id: number;
    readonly dtype: BufferType;
    readonly length: number;
  }
  | { readonly kind: "write"; readonly id: number; readonly values: Numbers; readonly at: number }
  | { readonly kind: "free"; readonly id: number }
  | {
    readonly kind: "frame";
    readonly id: number;
    readonly frame: FrameMessage;
    /** The team that computes the frame; `undefined` if each thread computes some of the systems. */
    readonly team: TeamMessage | undefined;
  }
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
    /** Identifies the reply; `undefined` if the caller does not need the number of steps done. */
    readonly ticket: number | undefined;
  }
  | { readonly kind: "read"; readonly ids: readonly number[]; readonly ticket: number };

/** Reply to a request to run. */
export interface RunResult {
  /** Number of steps done. */
  readonly done: number;
  /** True if a kernel halted the run. */
  readonly isHalted: boolean;
}

/** The value that a request asks for: the result of a run, the values of buffers, or saved pairs. */
export type ReplyValue = RunResult | readonly Numbers[] | SavedPairs;

/** An error as data, because messages cannot contain instances of classes. */
export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
}

/** Reply of a worker to the requests of one message. */
export interface WorkerReply {
  /** Values of the requests that have a ticket, in the order of the requests. */
  readonly values: readonly { readonly ticket: number; readonly value: ReplyValue }[];
  /** The error after which the thread handles no more requests; `undefined` if there was none. */
  readonly error: ErrorMessage | undefined;
  /** True if the thread is alive but makes no progress, because it waits for another thread of its team. */
  readonly isWaiting?: boolean;
}
