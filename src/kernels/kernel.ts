/**
 * Definition of a kernel: a name, typed arguments, and its meaning in TypeScript.
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
export type BufferType = "real" | "f64" | "i32";

/** Host arrays by dtype. */
export interface Arrays {
  /** Positions, velocities, forces, parameters. */
  readonly real: Float32Array | Float64Array;
  /** Sums over many terms: energies, virials, criteria. */
  readonly f64: Float64Array;
  /** Indices, counters, flags. */
  readonly i32: Int32Array;
}

/**
 * Type of one argument: a buffer that the kernel reads or changes and that may be optional, a list
 * of pairs, a list of edges, or a number.
 */
export type Argument =
  | BufferType
  | `${BufferType} changed`
  | `${BufferType} optional`
  | "pairs"
  | "edges"
  | "number";

/** Arguments by name, in the order in which backends pass them. */
export type KernelArguments = Readonly<Record<string, Argument>>;

/** Value of an argument in the TypeScript meaning of a kernel. */
export type ValueOf<A extends Argument> = A extends "number" ? number
  : A extends "pairs" ? PairList
  : A extends "edges" ? EdgeList
  : A extends BufferType ? Arrays[A]
  : A extends `${infer D extends BufferType} changed` ? Arrays[D]
  : A extends `${infer D extends BufferType} optional` ? Arrays[D] | undefined
  : never;

/** Values of all arguments in the TypeScript meaning of a kernel. */
export type KernelValues<A extends KernelArguments> = { readonly [k in keyof A]: ValueOf<A[k]> };

/** Batch that a kernel works on. Systems are consecutive, and so are the atoms of a system. */
export interface Frame {
  /** Number of systems. */
  readonly systems: number;
  /** Index of the first atom of each system; one entry more than systems. */
  readonly offsets: Int32Array;
  /**
   * 1 for active systems, 0 for finished ones. Kernels must not change the state of finished
   * systems, but measure them.
   */
  readonly active: Int32Array;
  /** Id of each system. Random numbers are keyed by it. */
  readonly ids: Int32Array;
  /** Number of steps of each system. Random numbers are keyed by it. */
  readonly ages: Int32Array;
  /** Words that stop a run of many steps; see {@linkcode Control}. */
  readonly control: Int32Array;
}

/** Indices of the words of `frame.control`. */
export const Control = {
  /** Nonzero if the run ends after the current step. Backends reset it when a run begins. */
  HALT: 0,
  /**
   * Index + 1 of a system that has diverged, else 0. The caller resets it before it continues.
   * Until then, backends without host memory skip all later work, so that the diverged state can be
   * inspected.
   */
  DIVERGED: 1,
  /**
   * Reason for DIVERGED: 0 a position or a cell, 1 the results of a model, 2 bonds, 3 a velocity, 4
   * an atom with more pairs than the device can handle.
   */
  CAUSE: 2,
  /** Number of words. */
  LENGTH: 4,
} as const;

/** Properties of a kernel that matter if several workers share the systems of a batch. */
export interface KernelTraits {
  /**
   * True if the kernel may halt a run without a diverged system. All workers then have to halt in
   * the same step.
   *
   * @default false
   */
  readonly canHalt?: boolean;
  /**
   * True if the kernel needs all systems of the batch at once.
   *
   * @default false
   */
  readonly needsWhole?: boolean;
  /**
   * Pair potential that the kernel sums. A backend without a kernel of this name compiles the
   * program.
   */
  readonly pair?: PairProgram;
}

/** A computation that every backend implements under one name. */
export interface Kernel<A extends KernelArguments = KernelArguments> extends KernelTraits {
  /** Name in TypeScript, Rust and WGSL. */
  readonly name: string;
  /** Arguments, in order. */
  readonly args: A;
  /** Meaning of the kernel. The reference backend runs it directly. */
  readonly run: (values: KernelValues<A>, frame: Frame) => void;
}

/**
 * Creates a kernel.
 *
 * @example
 * ```ts
 * import { defineKernel, type Frame } from "@hooke/hooke/kernels";
 * import { assertEquals } from "@std/assert";
 *
 * const double = defineKernel("double", { values: "real changed" }, ({ values }) => {
 *   for (const [i, value] of values.entries()) values[i] = 2 * value;
 * });
 * const frame = { systems: 1, offsets: Int32Array.of(0, 1), active: Int32Array.of(1) };
 * const values = Float64Array.of(1, 2, 3);
 * double.run({ values }, frame as unknown as Frame);
 * assertEquals([...values], [2, 4, 6]);
 * ```
 */
export function defineKernel<const A extends KernelArguments>(
  name: string,
  args: A,
  run: (values: KernelValues<A>, frame: Frame) => void,
  traits: KernelTraits = {},
): Kernel<A> {
  return Object.freeze({ name, args, run, ...traits });
}
