/**
 * The type of `engine.hooks`, and the compile-time checks of hooks that are added.
 *
 * @module
 */

import type { AnyStages, ObservedStage, StageOf } from "../protocol/stage.ts";
import type { PlacedOptions } from "./add_options.ts";
import type { FieldKey } from "../protocol/context.ts";
import type { Lifecycle, LifecycleName } from "../protocol/lifecycle.ts";
import type { NoSuch } from "../protocol/near.ts";
import type { HookControl } from "../protocol/control.ts";
import type { DeviceHook } from "../run/device_work.ts";
import type {
  AcceptClass,
  AcceptDevice,
  AcceptFields,
  AcceptOptions,
  DeclaredReads,
  DeclaredWrites,
  MethodKey,
  Refused,
  UndeclaredReads,
} from "../protocol/accept.ts";
import type { HookOptions, ProtocolHook } from "../protocol/protocol.ts";
import type { FinishedHook } from "../protocol/table.ts";
import type {
  ContextOnly,
  FieldsAmong,
  InferDeclared,
  InferNames,
  InlineHandlers,
  ItemOf,
  StagesAmong,
} from "../protocol/inline.ts";

/**
 * Handle of a registered hook, to enable, disable or remove it. Disposing the handle removes the hook: `using handle
 * = engine.hooks.add(...)`.
 */
export interface HookHandle extends Disposable {
  /** Name of the hook. */
  readonly name: string;
  /** Removes the hook. During a run, the hook is closed before the next step. */
  remove(): void;
  /** Enables the hook. */
  enable(): void;
  /** Disables the hook without removing it. */
  disable(): void;
}

/**
 * Constraint on the type `H` of a hook that is added to an engine of kind `E`: `unknown` if it fits, otherwise a type
 * that shows the reason. `P` is the stage given at registration, or `never`.
 */
export type Accept<E extends AnyStages, H, P = never> = ProtocolHook extends H ? unknown
  : H extends FinishedHook<never> ? H extends FinishedHook<infer K> ? string extends K ? unknown
      : E["kind"] extends K ? unknown
      : Extract<E["kind"], K> extends never
        ? Refused<`this hook handles ${K} stages only, and the engine has ${E["kind"]} stages`>
      : unknown
    : never
  // Because of the signature, the compiler shows this reason when a function is passed.
  : H extends (...args: never) => unknown ?
      & ((...args: never) => unknown)
      & Refused<"a hook is an object, not a function: write { stage, frequency, call }">
  : H extends abstract new (...args: never) => unknown
    ? Refused<"this is a class: pass an instance, new Name()">
  : H extends { readonly on: object }
    ? { readonly on: Refused<"a table becomes a hook by hook({ name, on })"> }
  : H extends { readonly call: unknown } ? AcceptClass<E, H, P>
  : H extends { readonly kernels: unknown } ? AcceptDevice<E, H, P>
  : [Exclude<MethodKey<H>, LifecycleName<E>>] extends [never] ?
      & AcceptFields<E, H>
      & ([UndeclaredReads<H, H>] extends [never] ? Lifecycle<E, DeclaredReads<H>, DeclaredWrites<H>>
        : unknown)
  : {
    readonly [k in Exclude<MethodKey<H>, LifecycleName<E>>]: Refused<
      NoSuch<"method", k, LifecycleName<E>>
    >;
  };

/**
 * The type that a hook must have to be added to an engine of kind `E`. It lists the members of `H`, so that the
 * compiler reports the reason at the wrong member. `P` is the stage given at registration, or `never`.
 */
export type Checked<E extends AnyStages, H, P = never> =
  & object
  & { readonly [k in keyof H]: unknown }
  & AcceptOptions<H>
  & Accept<E, H, P>;

/** The checks of each hook of the list `H`. A list whose element types were not inferred is accepted. */
export type AllChecked<E extends AnyStages, H> = {
  readonly [i in keyof H]: readonly HookInput<E>[] extends H ? unknown : Checked<E, H[i]>;
};

/**
 * The parameter type of {@linkcode HookSet.add}: the hook type `H`, and types from which the compiler infers the
 * contexts of its handlers.
 */
export type Addable<
  E extends AnyStages,
  H,
  S,
  R extends readonly unknown[],
  W extends readonly unknown[],
> =
  | H
  | (ContextOnly & InlineHandlers<E, S, R, W>)
  | InferDeclared<S, R, W>;

/** The type of `engine.hooks`. */
export interface HookSet<E extends AnyStages> extends HookControl {
  /**
   * Registers a hook and returns a handle of it. If the hook is invalid, throws a TypeError or RangeError that names
   * the wrong member, and registers nothing.
   *
   * During a run, the hook is opened at once. It is called from the next stage on after its `open` has settled.
   *
   * For a hook with `call`, the stage may be given here: `hooks.add(hook, { stage: DynamicsStage.AFTER_STEP })`.
   */
  add<
    const H extends Checked<E, H, P>,
    const S extends StageOf<E> = ObservedStage<E>,
    const R extends readonly FieldKey<E>[] = [],
    const W extends readonly FieldKey<E>[] = [],
    // The unused type parameter `Z` in the union keeps `H` a union if the hook is one of several types.
    Z extends never = never,
    const P extends StageOf<E> = never,
  >(
    hook: Addable<E, H, [P] extends [never] ? S : NoInfer<P>, R, W> | Z,
    options?: PlacedOptions<P>,
  ): HookHandle;
}

/** A hook of any form, as an element of the option `hooks: [...]` of an engine. */
export type HookInput<E extends AnyStages> =
  | (E extends AnyStages ? FinishedHook<E["kind"]> : never)
  | ProtocolHook
  | DeviceHook
  | (object & Lifecycle<E> & HookOptions)
  // Lifecycle methods that receive declared fields. `Accept` checks them, because it knows `reads` and `writes`.
  | (HookOptions & { readonly reads: readonly unknown[] })
  | (HookOptions & { readonly writes: readonly unknown[] });

/** A list whose type gives its elements no contextual type, so that each element keeps its own type. */
export interface ListOf<T> {
  /** Number of elements. */
  readonly length: number;
  /** Returns the element at an index, counted from the end if it is negative. */
  at(index: number): T | undefined;
}

/** For each hook of a list, the union of the stages and fields that it declares. */
export type Names = readonly unknown[];

/**
 * The hooks that an engine begins with; each is checked as `add` does. The contexts of handlers in object literals
 * are inferred from the names that the objects declare: `N` for stages and reads, `W` for writes.
 */
export type InitialHooks<
  E extends AnyStages,
  H,
  N extends readonly unknown[] = Names,
  W extends readonly unknown[] = Names,
> =
  | (readonly HookInput<E>[] extends H // H is not inferred yet, or is the general list type
    ?
      | ListOf<HookInput<E>>
      | {
        readonly [i in keyof W]:
          & ContextOnly
          & { readonly writes?: readonly W[i][] }
          & InlineHandlers<
            E,
            StagesAmong<E, ItemOf<N, i>>,
            FieldsAmong<E, ItemOf<N, i>>,
            FieldsAmong<E, ItemOf<NoInfer<W>, i>>
          >;
      }
    : H extends { readonly stage: unknown } | { readonly call: unknown }
      ? Refused<"hooks is a list: write [hook]">
    : {
      readonly [i in keyof H]:
        | H[i]
        | (
          & ContextOnly
          & InlineHandlers<
            E,
            StagesAmong<E, ItemOf<N, i>>,
            FieldsAmong<E, ItemOf<N, i>>,
            FieldsAmong<E, ItemOf<W, i>>
          >
        );
    })
  | InferNames<H, N>;
