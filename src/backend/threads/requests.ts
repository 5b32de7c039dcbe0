/**
 * What threads are told, and what they answer: plain data.
 *
 * @module
 */

import type { Arguments, Dtype } from "../../kernels/kernel.ts";
import type { PairsOptions, SavedPairs } from "../backend.ts";

/** Numbers in a message. */
export type Numbers = Float32Array | Float64Array | Int32Array;

/** What a call is given: a number, or what has this number on the thread; nothing where it does without. */
export type GivenThere =
  | { readonly number: number }
  | { readonly buffer: number }
  | { readonly pairs: number }
  | undefined;

/** A call, by the name of its kernel. */
export interface CallThere {
  /** Of the kernel. */
  readonly name: string;
  /** Its arguments. */
  readonly args: Arguments;
  /** One for each of them. */
  readonly given: Readonly<Record<string, GivenThere>>;
  /** Only at steps with step % every === phase. */
  readonly every: number | undefined;
  /** The remainder. */
  readonly phase: number | undefined;
}

/** The buffers of a frame, by number. */
export interface FrameThere {
  readonly systems: number;
  readonly offsets: number;
  readonly active: number;
  readonly ids: number;
  readonly ages: number;
  readonly control: number;
}

/** What a thread is told. All that is made has a number that the main thread gives it. */
export type Order =
  | { readonly kind: "alloc"; readonly id: number; readonly dtype: Dtype; readonly length: number }
  | { readonly kind: "write"; readonly id: number; readonly values: Numbers; readonly at: number }
  | { readonly kind: "free"; readonly id: number }
  | { readonly kind: "frame"; readonly id: number; readonly frame: FrameThere }
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
    readonly calls: readonly CallThere[];
  }
  | { readonly kind: "forget"; readonly id: number }
  | {
    readonly kind: "run";
    readonly id: number;
    readonly first: number;
    readonly steps: number;
    /** Where it is to be said how many steps were done. */
    readonly ticket: number | undefined;
  }
  | { readonly kind: "look"; readonly ids: readonly number[]; readonly ticket: number };

/** How a run has ended. */
export interface Ended {
  /** Steps done. */
  readonly done: number;
  /** Whether it was halted. */
  readonly isHalted: boolean;
}

/** What was asked for. */
export type Answer = Ended | readonly Numbers[] | SavedPairs;

/** An error without its class, which no message carries. */
export interface ErrorThere {
  readonly name: string;
  readonly message: string;
}

/** What a thread answers to the orders of one message. */
export interface Reply {
  /** To those that asked for something, in their order. */
  readonly answers: readonly { readonly ticket: number; readonly answer: Answer }[];
  /** What went wrong: it does nothing more. */
  readonly error: ErrorThere | undefined;
}
