/**
 * What a kernel is: a name, typed arguments, and its meaning in plain TypeScript.
 *
 * @module
 */

import type { EdgeList } from "./edges/edge_list.ts";
import type { PairProgram } from "./pairs/expression/program.ts";
import type { PairList } from "./pairs/pair_list.ts";

/**
 * Element types of buffers. `real` is the backend's own floating type: f64 on the reference backend, f32 on the
 * others.
 */
export type Dtype = "real" | "f64" | "i32";

/** What a buffer of a dtype looks like in host memory. */
export interface Arrays {
  /** Positions, velocities, forces, parameters. */
  readonly real: Float32Array | Float64Array;
  /** Sums over many terms: energies, virials, criteria. */
  readonly f64: Float64Array;
  /** Indices, counters, flags. */
  readonly i32: Int32Array;
}

/**
 * One argument: a buffer of a dtype that the kernel reads, changes, or does without when there is none; a list of
 * pairs, or of edges; or a number.
 */
export type Argument =
  | Dtype
  | `${Dtype} changed`
  | `${Dtype} optional`
  | "pairs"
  | "edges"
  | "number";

/** Name → argument, in the order in which backends pass them. */
export type Arguments = Readonly<Record<string, Argument>>;

/** What an argument is for the plain meaning of a kernel. */
export type ValueOf<A extends Argument> = A extends "number" ? number
  : A extends "pairs" ? PairList
  : A extends "edges" ? EdgeList
  : A extends Dtype ? Arrays[A]
  : A extends `${infer D extends Dtype} changed` ? Arrays[D]
  : A extends `${infer D extends Dtype} optional` ? Arrays[D] | undefined
  : never;

/** The arguments of a kernel's meaning. */
export type Values<A extends Arguments> = { readonly [k in keyof A]: ValueOf<A[k]> };

/** What every kernel knows of the batch it works on: systems one after another, atoms in their order. */
export interface Frame {
  /** How many systems. */
  readonly systems: number;
  /** Where the atoms of each system begin; one more than systems. */
  readonly offsets: Int32Array;
  /** 1 where the system is updated, 0 where it is at rest: no kernel may then change its state; measures go on. */
  readonly active: Int32Array;
  /** What each system is called; random numbers are keyed by it. */
  readonly ids: Int32Array;
  /** Steps each system has done; random numbers are keyed by it. */
  readonly ages: Int32Array;
  /** What stops a run of many steps: see {@linkcode Control}. */
  readonly control: Int32Array;
}

/** The words of `frame.control`. */
export const Control = {
  /** Not 0: the run ends after the step under way. Backends set it to 0 as a run begins. */
  HALT: 0,
  /**
   * Not 0: a system has gone where no number is; its index + 1. Whoever goes on sets it to 0: until then a backend that
   * is not in host memory does nothing more, so that what came apart is found as it was.
   */
  DIVERGED: 1,
  /** The reason if DIVERGED is set: 0 a position or a cell, 1 the results of a model, 2 bonds, 3 a velocity. */
  CAUSE: 2,
  /** How many words there are. */
  LENGTH: 4,
} as const;

/** What whoever has only some of the systems of a batch must know of a kernel. */
export interface KernelTraits {
  /**
   * It may halt a run though nothing has come apart. Whoever has another part of the batch must then halt in the same
   * step.
   *
   * @default false
   */
  readonly canHalt?: boolean;
  /**
   * Systems know of each other in it: it must have all of the batch.
   *
   * @default false
   */
  readonly needsWhole?: boolean;
  /** The pair potential that it sums. A backend that has no kernel of its name makes one from the program. */
  readonly pair?: PairProgram;
}

/** A computation that every backend offers under one name. */
export interface Kernel<A extends Arguments = Arguments> extends KernelTraits {
  /** The same in TypeScript, Rust and WGSL. */
  readonly name: string;
  /** What it is given, in order. */
  readonly args: A;
  /** Its meaning. The reference backend runs it as it stands. */
  readonly run: (values: Values<A>, frame: Frame) => void;
}

/** Makes a kernel. */
export function defineKernel<const A extends Arguments>(
  name: string,
  args: A,
  run: (values: Values<A>, frame: Frame) => void,
  traits: KernelTraits = {},
): Kernel<A> {
  return Object.freeze({ name, args, run, ...traits });
}
