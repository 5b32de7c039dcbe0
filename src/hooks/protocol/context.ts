/**
 * Contexts of hooks: the fields that every hook gets, and the fields that a hook declares to read and write.
 *
 * @module
 */

import type { AnyStages, At, FieldsOf, NameIn } from "./stage.ts";
import type { HookControl } from "./control.ts";

/** The engine as hooks see it in `ctx.workflow`. */
export interface Workflow {
  /** Name of the engine in listings and logs. */
  readonly name: string;
  /** The hooks of the engine, to list, enable, disable or remove them. */
  readonly hooks: HookControl;
  /** Number of steps done so far. */
  readonly stepCount: number;
}

/** The context fields of every stage of every kind. */
export interface BaseContext {
  /** Number of steps done before the current one. In training, from STEP_END on, it includes the current step. */
  readonly stepCount: number;
  /** Rank of this process among the processes that share the work; 0 if there is only one. */
  readonly globalRank: number;
  /** The store through which the hooks of the engine exchange values. */
  readonly shared: Shared;
  /** The engine that runs the hook. */
  readonly workflow: Workflow;
  /** Requests a stop after this step. If several hooks call it, the first reason is kept. */
  stop(reason: string): void;
}

/** A readonly list of numbers. Every typed array of numbers is assignable to this type. */
export interface NumberList extends ArrayLike<number>, Iterable<number> {
  /** The number at an index. */
  readonly [index: number]: number;
  /** Number of elements. */
  readonly length: number;
  /**
   * Returns the number at an index, counted from the end if it is negative; `undefined` if the index is out of range.
   */
  at(index: number): number | undefined;
  /**
   * Returns a writable copy of the numbers from `start` (default 0) up to but not including `end` (default `length`).
   */
  slice(start?: number, end?: number): Numbers;
  /** Returns a writable array of the same type, with the result of `f` for each number. */
  map(f: (value: number, index: number) => number): Numbers;
}

/**
 * Numbers that a hook reads: a readonly typed array with statistics. It shares memory with the engine, so nothing is
 * copied. The numbers are valid until the handler returns; later the engine overwrites them.
 */
export interface ReadonlyNumbers extends NumberList {
  /** Returns the mean; NaN if there are no elements. */
  mean(): number;
  /** Returns the sum, added up in float64; 0 if there are no elements. */
  sum(): number;
  /** Returns the Euclidean norm: the square root of the sum of all squares. */
  norm(): number;
  /** Returns the smallest number; NaN if any element is NaN or there are no elements. */
  min(): number;
  /** Returns the largest number; NaN if any element is NaN or there are no elements. */
  max(): number;
}

/** Numbers of a batch that a hook reads, with a fixed number of values per atom or per system. */
export interface ReadonlyRows extends ReadonlyNumbers {
  /**
   * Returns the values of one atom, such as the three components of its force. `index` counts over the whole batch,
   * from the end if negative. The result is a view, not a copy.
   *
   * @throws {TypeError} if the field has no values per atom
   * @throws {RangeError} if there is no such atom
   */
  atom(index: number): ReadonlyNumbers;
  /**
   * Returns the values of one system, or of all its atoms if the field has values per atom. A negative `index` counts
   * from the end. The result is a view, not a copy; `forces.system(1).atom(0)` is the first atom of system 1.
   *
   * @throws {TypeError} if the field has no values per atom or per system
   * @throws {RangeError} if there is no such system
   */
  system(index: number): ReadonlyRows;
}

/**
 * Key of a type-only member by which a kind declares that its fields belong to a batch. Hooks then read its arrays as
 * {@linkcode ReadonlyRows}.
 */
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

/**
 * The readonly type by which an observer gets a field of type `T` of the fields `F`. Lists, maps and objects in it
 * are readonly as well.
 */
export type View<T, F = unknown> = T extends Numbers
  ? typeof ROWS_OF_BATCH extends keyof F ? ReadonlyRows : ReadonlyNumbers
  : T extends ReadonlyMap<infer K, infer V> ? ReadonlyMap<K, View<V, F>>
  : T extends readonly unknown[] ? { readonly [k in keyof T]: View<T[k], F> }
  : T extends object
    ? { readonly [k in keyof T]: T[k] extends readonly unknown[] ? View<T[k], F> : T[k] }
  : T;

/**
 * A field that is not among the built-in names. The object holds the name, and its type parameter the type of the
 * value.
 */
export interface CustomField<N extends string, T> {
  /** Name of the field. */
  readonly field: N;
  /** Carries the type `T`: never set at run time. */
  readonly type?: T;
}

/**
 * Declares a custom field of type `T`, to be used in `reads` and `writes`.
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

/** The type of `ctx.read` for a hook with the reads `R`, at a kind with the fields `F`. */
export type DeclaredInReads<F, R extends readonly unknown[]> =
  & { readonly [k in Extract<R[number], keyof F>]: View<F[k], F> }
  & {
    readonly [f in Extract<R[number], CustomField<string, unknown>> as f["field"]]: View<
      NonNullable<f["type"]>,
      F
    >;
  };

/** The type of `ctx.write` for a hook with the writes `W`, at a kind with the fields `F`: the same fields, writable. */
export type DeclaredInWrites<F, W extends readonly unknown[]> =
  & { readonly [k in Extract<W[number], keyof F>]: F[k] }
  & {
    readonly [f in Extract<W[number], CustomField<string, unknown>> as f["field"]]: NonNullable<
      f["type"]
    >;
  };

/** The context at the stage `N` of a kind, with the declared reads `R` and writes `W`. */
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

/**
 * The union of the argument tuples (ctx, stage) of a kind's stages `N`, given by name. Comparing `stage` narrows
 * `ctx`.
 */
export type ArgsOf<
  T extends AnyStages,
  N,
  R extends readonly unknown[] = [],
  W extends readonly unknown[] = [],
> = {
  [n in N & string]: [ctx: ContextAt<T, n, R, W>, stage: `${T["kind"]}/${n}`];
}[N & string];

/**
 * The union of the argument tuples (ctx, stage) of the stages `S`, given as literals. They may belong to several
 * kinds.
 */
export type ArgsAt<
  E extends AnyStages,
  S,
  R extends readonly unknown[] = [],
  W extends readonly unknown[] = [],
> = E extends AnyStages ? ArgsOf<E, NameIn<E["kind"], S>, R, W> : never;

/**
 * The context type for hook classes of a kind. `C` is the context of all its stages, `F` its fields, `R` the declared
 * reads and `W` the declared writes. If `R` is left out, `read` has every field, each of which may be undefined.
 */
export type ClassContext<C, F, R extends keyof F = never, W extends keyof F = never> = C & {
  /** The fields declared in `reads`. */
  readonly read: [R] extends [never] ? Partial<DeclaredInReads<F, (keyof F)[]>>
    : DeclaredInReads<F, R[]>;
  /** The fields declared in `writes`. */
  readonly write: DeclaredInWrites<F, W[]>;
};

/**
 * A typed slot of {@linkcode Shared}, made by {@linkcode slot}. Slots are compared by identity: two slots with the
 * same name are different.
 */
export interface SharedSlot<T> {
  /** Name of the slot in messages and listings. */
  readonly slot: string;
  /** The value that `get` returns until one is set. */
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
 * The store behind `ctx.shared`, through which the hooks of one engine exchange values.
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

  /** Returns the last value set, or the initial value of the slot, which may be `undefined`. */
  get<T>(slot: SharedSlot<T>): T | undefined {
    return this.#values.has(slot) ? this.#values.get(slot) as T : slot.initial;
  }

  /** Sets the value of a slot. */
  set<T>(slot: SharedSlot<T>, value: T): void {
    this.#values.set(slot, value);
  }
}
