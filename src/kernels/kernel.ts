/**
 * Definition of a kernel: its name, its typed arguments, and its definition in TypeScript.
 *
 * @module
 */

import type { EdgeList } from "./edges/edge_list.ts";
import type { PairProgram } from "./pairs/expression/program.ts";
import type { PairList } from "./pairs/pair_list.ts";

/**
 * Element types of buffers. `real` is the floating-point type of the backend: float64 on the reference backend,
 * float32 on the others.
 */
export type BufferType = "real" | "f64" | "i32";

/** Types of host arrays, by the element type of a buffer. */
export interface Arrays {
  /** Positions, velocities, forces and parameters. */
  readonly real: Float32Array | Float64Array;
  /** Sums over many terms: energies, virials and criteria. */
  readonly f64: Float64Array;
  /** Indices, counters and flags. */
  readonly i32: Int32Array;
}

/**
 * Type of one argument. It is a number, a list of pairs, a list of edges, or a buffer, which the kernel may change
 * ("changed") or the caller may omit ("optional").
 */
export type Argument =
  | BufferType
  | `${BufferType} changed`
  | `${BufferType} optional`
  | "pairs"
  | "edges"
  | "number";

/** Types of the arguments by name, in the order in which backends pass them. */
export type KernelArguments = Readonly<Record<string, Argument>>;

/** The value of an argument of type `A` in the TypeScript version of a kernel. */
export type ValueOf<A extends Argument> = A extends "number" ? number
  : A extends "pairs" ? PairList
  : A extends "edges" ? EdgeList
  : A extends BufferType ? Arrays[A]
  : A extends `${infer D extends BufferType} changed` ? Arrays[D]
  : A extends `${infer D extends BufferType} optional` ? Arrays[D] | undefined
  : never;

/** The values of all arguments in the TypeScript version of a kernel. */
export type KernelValues<A extends KernelArguments> = { readonly [k in keyof A]: ValueOf<A[k]> };

/** The batch that a kernel works on. The atoms of each system are consecutive, in the order of the systems. */
export interface Frame {
  /** Number of systems. */
  readonly systems: number;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly offsets: Int32Array;
  /**
   * 1 for active systems, 0 for finished systems. Kernels must not change the state of finished systems, but some
   * kernels measure it.
   */
  readonly active: Int32Array;
  /** Id of each system. Random numbers depend on it. */
  readonly ids: Int32Array;
  /** Number of steps that each system has done. Random numbers depend on it. */
  readonly ages: Int32Array;
  /**
   * Words by which kernels report to the backend: that the run must halt, and that a system has diverged; see
   * {@linkcode Control}.
   */
  readonly control: Int32Array;
}

/** Indices of the words of `frame.control`. */
export const Control = {
  /** Nonzero if the run ends after the current step. Backends reset it when a run begins. */
  HALT: 0,
  /**
   * 0, or 1 plus the index of a system that has diverged. If several systems diverge in a step, in any of its
   * kernels, it is the one with the lowest index, because devices find them in no particular order. The run ends after
   * that step, and programs do nothing until the caller resets this word. So a report of an earlier step is not
   * replaced, and the diverged state can be inspected.
   */
  DIVERGED: 1,
  /**
   * The cause of DIVERGED that a kernel found first: 0 a position or a cell, 1 the results of a model, 2 bonds, 3 a velocity, 4 an atom with
   * more pairs than the device can handle.
   */
  CAUSE: 2,
  /** Length of `frame.control`. */
  LENGTH: 4,
} as const;

/**
 * Reports that a system has diverged, with a number for `Control.CAUSE`, and halts the run. Of several systems in a
 * step, the one with the lowest index is reported, with the cause that was found first. Programs do not run after the
 * step, so a report of an earlier step is never replaced.
 */
export function reportDiverged(control: Int32Array, system: number, cause: number): void {
  const known = control[Control.DIVERGED]!;
  if (known === 0 || system + 1 < known) {
    control[Control.DIVERGED] = system + 1;
    control[Control.CAUSE] = cause;
  }
  control[Control.HALT] = 1;
}

/** Properties of a kernel that affect how several workers can share the systems of a batch. */
export interface KernelTraits {
  /**
   * True if the kernel may halt a run although no system has diverged. All workers then have to halt in the same
   * step.
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
  /** The pair potential that the kernel sums. A backend that has no kernel of this name compiles it. */
  readonly pair?: PairProgram;
}

/** A computation that every backend implements under the same name. */
export interface Kernel<A extends KernelArguments = KernelArguments> extends KernelTraits {
  /** Name of the kernel in TypeScript, Rust and WGSL. */
  readonly name: string;
  /** Types of the arguments by name, in the order in which backends pass them. */
  readonly args: A;
  /** The TypeScript version, which defines the correct results. The reference backend runs it directly. */
  readonly run: (values: KernelValues<A>, frame: Frame) => void;
}

/**
 * Creates a kernel from its name, the types of its arguments and its TypeScript version.
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
