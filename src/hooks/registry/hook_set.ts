/**
 * The hooks of one engine, as users and as hooks see them.
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

/** Handle of a registered hook, to switch or remove it. Disposing removes it: `using handle = engine.hooks.add(...)`. */
export interface HookHandle extends Disposable {
  /** Name. */
  readonly name: string;
  /** Removes it; if hooks are open, it is closed before the next step. */
  remove(): void;
  /** Enables it. */
  enable(): void;
  /** Disables it, without removing it. */
  disable(): void;
}

/** Type that `H` must also have to be added to an engine of kind `E`: `unknown`, or the reason why not. */
export type Accept<E extends AnyStages, H, P = never> = ProtocolHook extends H ? unknown
  : H extends FinishedHook<never> ? H extends FinishedHook<infer K> ? string extends K ? unknown
      : E["kind"] extends K ? unknown
      : Extract<E["kind"], K> extends never
        ? Refused<`this hook handles ${K} stages only, and the engine has ${E["kind"]} stages`>
      : unknown
    : never
  // The signature makes the compiler explain this member of the union to functions.
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

/** The members of a hook, with the reason why an engine of kind `E` refuses it, at `P` if that is given. */
export type Checked<E extends AnyStages, H, P = never> =
  & object
  & { readonly [k in keyof H]: unknown }
  & AcceptOptions<H>
  & Accept<E, H, P>;

/** Checks each hook of a list. A list of unknown hooks is not checked further. */
export type AllChecked<E extends AnyStages, H> = {
  readonly [i in keyof H]: readonly HookInput<E>[] extends H ? unknown : Checked<E, H[i]>;
};

/** A hook that an engine of kind `E` takes; see {@linkcode HookSet.add}. */
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

/** `engine.hooks`. */
export interface HookSet<E extends AnyStages> extends HookControl {
  /**
   * Registers a hook. Throws a TypeError or RangeError that names the wrong member, and then changes nothing.
   *
   * During a run it is opened at once, and called from the next stage after its `open` has settled.
   *
   * The stage of a hook with `call` may be given here instead: `hooks.add(hook, { stage: DynamicsStage.AFTER_STEP })`.
   */
  add<
    const H extends Checked<E, H, P>,
    const S extends StageOf<E> = ObservedStage<E>,
    const R extends readonly FieldKey<E>[] = [],
    const W extends readonly FieldKey<E>[] = [],
    // A second variable in the union keeps `H` whole where the hook is one of several types.
    Z extends never = never,
    const P extends StageOf<E> = never,
  >(
    hook: Addable<E, H, [P] extends [never] ? S : NoInfer<P>, R, W> | Z,
    options?: PlacedOptions<P>,
  ): HookHandle;
}

/** A hook of any form that the option `hooks: [...]` of an engine accepts. */
export type HookInput<E extends AnyStages> =
  | (E extends AnyStages ? FinishedHook<E["kind"]> : never)
  | ProtocolHook
  | DeviceHook
  | (object & Lifecycle<E> & HookOptions)
  // Methods that receive the declared fields: checked by `Accept`, which knows them.
  | (HookOptions & { readonly reads: readonly unknown[] })
  | (HookOptions & { readonly writes: readonly unknown[] });

/** A list whose elements get no context from its type. */
export interface ListOf<T> {
  /** Number of elements. */
  readonly length: number;
  /** Returns the element at an index, from the end when negative. */
  at(index: number): T | undefined;
}

/** The names that the objects of a list declare, by object. */
export type Names = readonly unknown[];

/**
 * The hooks that an engine begins with: each is checked as `add` does. Handlers of objects that are written in place get
 * their contexts from the stages and reads `N` and the writes `W` that stand beside them.
 */
export type InitialHooks<
  E extends AnyStages,
  H,
  N extends readonly unknown[] = Names,
  W extends readonly unknown[] = Names,
> =
  | (readonly HookInput<E>[] extends H // H is not inferred yet, or is no narrower than the general list
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
