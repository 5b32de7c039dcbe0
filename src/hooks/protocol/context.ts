/**
 * Contexts of hooks: the fields that every hook gets, and those that it declares to read and write.
 *
 * @module
 */

import type { AnyStages, At, FieldsOf, NameIn } from "./stage.ts";
import type { HookControl } from "./control.ts";

/** The engine as hooks see it. */
export interface Workflow {
  /** Name of the engine in listings and logs. */
  readonly name: string;
  /** Hooks: list, plan, enable, disable, remove. */
  readonly hooks: HookControl;
  /** Steps done so far. */
  readonly stepCount: number;
}

/** The fields of every context, of any kind. */
export interface BaseContext {
  /** Steps done: those before this one; in training from STEP_END on this one, too. */
  readonly stepCount: number;
  /** Rank of this process among those that share the work; 0 when it is alone. */
  readonly globalRank: number;
  /** A store of typed slots through which hooks exchange values. */
  readonly shared: Shared;
  /** The engine. */
  readonly workflow: Workflow;
  /** Asks the engine to stop after this step; the first reason is kept. */
  stop(reason: string): void;
}

/** Numbers that can be read and not written: any typed array is one. */
export interface NumberList extends ArrayLike<number>, Iterable<number> {
  /** The number at an index. */
  readonly [index: number]: number;
  /** Number of elements. */
  readonly length: number;
  /** Returns the number at an index, from the end when negative. */
  at(index: number): number | undefined;
  /** Returns a copy of a part, which may be written to. */
  slice(start?: number, end?: number): Numbers;
  /** Returns a copy with another number for each, in an array of the same type. */
  map(f: (value: number, index: number) => number): Numbers;
}

/**
 * Numbers that a hook reads: a typed array that cannot be written to, with statistics. It shares memory with the engine:
 * nothing is copied, and its numbers are those of this step until the handler returns.
 */
export interface ReadonlyNumbers extends NumberList {
  /** Returns the mean; NaN without elements. */
  mean(): number;
  /** Returns the sum, in float64; 0 without elements. */
  sum(): number;
  /** Returns the Euclidean norm: the root of the sum of all squares. */
  norm(): number;
  /** Returns the smallest number; NaN if there is a NaN, or no element. */
  min(): number;
  /** Returns the largest number; NaN if there is a NaN, or no element. */
  max(): number;
}

/** Numbers of a batch that a hook reads: those of each atom, or of each system. */
export interface ReadonlyRows extends ReadonlyNumbers {
  /**
   * Returns the numbers of one atom of the batch, counted from the end if negative: three of `forces`, one of
   * `masses`. They are a view, not a copy.
   *
   * @throws {TypeError} if the field has no values per atom
   * @throws {RangeError} if there is no such atom
   */
  atom(index: number): ReadonlyNumbers;
  /**
   * Returns the numbers of one system, counted from the end if negative: those of all its atoms if the field has
   * values per atom. They are a view, not a copy; `forces.system(1).atom(0)` is the first atom of system 1.
   *
   * @throws {TypeError} if the field has no values per atom or per system
   * @throws {RangeError} if there is no such system
   */
  system(index: number): ReadonlyRows;
}

/** Key of a type-only member that marks the fields of a kind as those of a batch: hooks read {@linkcode ReadonlyRows}. */
export declare const ROWS_OF_BATCH: unique symbol;

/** A typed array of numbers. */
export type Numbers =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array;

/** A field of fields `F` as an observer gets it: readonly, and so are the lists in it. */
export type View<T, F = unknown> = T extends Numbers
  ? typeof ROWS_OF_BATCH extends keyof F ? ReadonlyRows : ReadonlyNumbers
  : T extends ReadonlyMap<infer K, infer V> ? ReadonlyMap<K, View<V, F>>
  : T extends readonly unknown[] ? { readonly [k in keyof T]: View<T[k], F> }
  : T extends object
    ? { readonly [k in keyof T]: T[k] extends readonly unknown[] ? View<T[k], F> : T[k] }
  : T;

/** A field without a built-in name: the value carries name and type. */
export interface CustomField<N extends string, T> {
  /** The name. */
  readonly field: N;
  /** Type only: never set at run time. */
  readonly type?: T;
}

/**
 * Names a field of the user's own, to be used in `reads` and `writes`.
 *
 * @example
 * ```ts
 * import { field } from "@hooke/hooke/hooks";
 *
 * const dipole = field<Float32Array>()("dipole");
 * ```
 */
export function field<T>(): <const N extends string>(name: N) => CustomField<N, T> {
  return (name) => Object.freeze({ field: name });
}

/** Element of `reads` and `writes` of a hook for kind `T`: the name of a field, or a {@linkcode CustomField}. */
export type FieldKey<T extends AnyStages> = T extends AnyStages
  ? (keyof FieldsOf<T> & string) | CustomField<string, unknown>
  : never;

/** Type of `ctx.read` for the declared keys `R`, at a kind with fields `F`. */
export type DeclaredInReads<F, R extends readonly unknown[]> =
  & { readonly [k in Extract<R[number], keyof F>]: View<F[k], F> }
  & {
    readonly [f in Extract<R[number], CustomField<string, unknown>> as f["field"]]: View<
      NonNullable<f["type"]>,
      F
    >;
  };

/** Type of `ctx.write` for the declared keys `W`: the same fields, writable. */
export type DeclaredInWrites<F, W extends readonly unknown[]> =
  & { readonly [k in Extract<W[number], keyof F>]: F[k] }
  & {
    readonly [f in Extract<W[number], CustomField<string, unknown>> as f["field"]]: NonNullable<
      f["type"]
    >;
  };

/** The context at one stage, with the declared reads and writes. */
export type ContextAt<
  T extends AnyStages,
  N,
  R extends readonly unknown[] = [],
  W extends readonly unknown[] = [],
> = At<T, N>["ctx"] & {
  /** The fields the hook declared in `reads`. */
  readonly read: DeclaredInReads<FieldsOf<T>, R>;
  /** The fields the hook declared in `writes`. */
  readonly write: DeclaredInWrites<FieldsOf<T>, W>;
};

/** A union of (ctx, stage) tuples for some stages by name, so that comparing `stage` narrows `ctx`. */
export type ArgsOf<
  T extends AnyStages,
  N,
  R extends readonly unknown[] = [],
  W extends readonly unknown[] = [],
> = {
  [n in N & string]: [ctx: ContextAt<T, n, R, W>, stage: `${T["kind"]}/${n}`];
}[N & string];

/** A union of (ctx, stage) tuples for stages given as literals, which may be of several kinds. */
export type ArgsAt<
  E extends AnyStages,
  S,
  R extends readonly unknown[] = [],
  W extends readonly unknown[] = [],
> = E extends AnyStages ? ArgsOf<E, NameIn<E["kind"], S>, R, W> : never;

/**
 * The context of hook classes of a kind: `C` at every stage, with the declared reads `R` and writes `W` of its fields
 * `F`; without `R` each field may be undefined.
 */
export type ClassContext<C, F, R extends keyof F = never, W extends keyof F = never> = C & {
  /** The declared reads. */
  readonly read: [R] extends [never] ? Partial<DeclaredInReads<F, (keyof F)[]>>
    : DeclaredInReads<F, R[]>;
  /** The declared writes. */
  readonly write: DeclaredInWrites<F, W[]>;
};

/** A typed slot of {@linkcode Shared}; made by {@linkcode slot}. Two slots of one name are different slots. */
export interface SharedSlot<T> {
  /** Name in messages and listings. */
  readonly slot: string;
  /** The value that `get` returns before one was set. */
  readonly initial: T | undefined;
}

/**
 * Makes a slot through which hooks exchange values.
 *
 * @example A producer and a consumer
 * ```ts
 * import { Shared, slot } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const importantMetric = slot<number>("importantMetric");
 * const shared = new Shared();
 * shared.set(importantMetric, 0.95);
 * assertEquals(shared.get(importantMetric), 0.95);
 * ```
 */
export function slot<T>(name: string, initial?: T): SharedSlot<T> {
  return Object.freeze({ slot: name, initial });
}

/**
 * The store behind `ctx.shared`: one per engine, typed by its slots.
 *
 * @example
 * ```ts
 * import { Shared, slot } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const best = slot("best", Infinity);
 * const shared = new Shared();
 * assertEquals(shared.get(best), Infinity);
 * shared.set(best, 0.5);
 * assertEquals(shared.get(best), 0.5);
 * ```
 */
export class Shared {
  readonly #values = new Map<unknown, unknown>();

  /** Returns the value of a slot: the last one set, else its initial value, else `undefined`. */
  get<T>(slot: SharedSlot<T>): T | undefined {
    return this.#values.has(slot) ? this.#values.get(slot) as T : slot.initial;
  }

  /** Sets a slot. */
  set<T>(slot: SharedSlot<T>, value: T): void {
    this.#values.set(slot, value);
  }
}
