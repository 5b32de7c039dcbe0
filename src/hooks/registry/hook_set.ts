/**
 * The hooks of one engine, as users and as hooks see them.
 *
 * @module
 */

import type { AnyStages } from "../protocol/stage.ts";
import type { AddOptions } from "./add_options.ts";
import type { FieldKey } from "../protocol/context.ts";
import type { Lifecycle, LifecycleName } from "../protocol/lifecycle.ts";
import type { HookControl } from "../protocol/control.ts";
import type { DeviceHook } from "../run/device_work.ts";
import type {
  AcceptClass,
  AcceptDevice,
  DeclaredReads,
  DeclaredWrites,
  HookOptions,
  ProtocolHook,
  Refused,
} from "../protocol/protocol.ts";
import type { Hook } from "../protocol/table.ts";

/** Handle of a registered hook, to switch or remove it. Disposing removes it: `using handle = engine.hooks.add(...)`. */
export interface HookHandle extends Disposable {
  /** Its name. */
  readonly name: string;
  /** Removes it; if hooks are open, it is closed before the next step. */
  remove(): void;
  /** Enables it. */
  enable(): void;
  /** Disables it, without removing it. */
  disable(): void;
}

/** Type that `H` must also have to be added to an engine of kind `E`: `unknown`, or the reason why not. */
export type Accept<E extends AnyStages, H> = ProtocolHook extends H ? unknown
  : H extends Hook<never> ? H extends Hook<infer K> ? string extends K ? unknown
      : E["kind"] extends K ? unknown
      : Extract<E["kind"], K> extends never
        ? Refused<`this hook handles ${K} stages only, and the engine has ${E["kind"]} stages`>
      : unknown
    : never
  : H extends { readonly call: unknown } ? AcceptClass<E, H>
  : H extends { readonly kernels: unknown } ? AcceptDevice<E, H>
  : [Exclude<Extract<keyof H, `on${string}`>, LifecycleName<E> | "onError">] extends [never]
    ? Lifecycle<E, DeclaredReads<H>, DeclaredWrites<H>> & {
      readonly reads?: readonly FieldKey<E>[];
      readonly writes?: readonly FieldKey<E>[];
    }
  : Refused<
    `no lifecycle method is called ${
      & Exclude<Extract<keyof H, `on${string}`>, LifecycleName<E> | "onError">
      & string}`
  >;

/** `engine.hooks`. */
export interface HookSet<E extends AnyStages> extends HookControl {
  /**
   * Registers a hook. Throws a TypeError or RangeError that names what is wrong, and then changes nothing.
   *
   * During a run it is opened at once, and runs from the next stage on after its `open` has come back.
   */
  add<const H extends object>(
    hook: (H | (Lifecycle<E> & HookOptions)) & Accept<E, H>,
    options?: AddOptions,
  ): HookHandle;
}

/** A finished hook that handles at least one of an engine's kinds. */
export type HookOf<E extends AnyStages> = E extends AnyStages ? Hook<E["kind"]> : never;

/** A hook of any form, as it may stand in the `hooks: [...]` of an engine. */
export type HookInput<E extends AnyStages> =
  | HookOf<E>
  | ProtocolHook
  | DeviceHook
  | (object & Lifecycle<E> & HookOptions)
  // Methods that are given what it declares: checked by `Accept`, which knows what that is.
  | (HookOptions & { readonly reads: readonly unknown[] })
  | (HookOptions & { readonly writes: readonly unknown[] });

/** Type that a list of hooks must also have: each is checked as `add` does, but in a list of any {@linkcode HookInput}. */
export type AcceptAll<E extends AnyStages, H extends readonly object[]> = ProtocolHook extends
  H[number] ? unknown
  : number extends H["length"] ? readonly (H[number] & Accept<E, H[number]>)[]
  : { readonly [i in keyof H]: H[i] & Accept<E, H[i]> };
