/**
 * Checks of hooks by the compiler before an engine accepts them.
 *
 * @module
 */

import type { ArgsAt, CustomField, FieldKey } from "./context.ts";
import type { Near, NoSuch } from "./near.ts";
import type { AnyStages, At, NameIn, ObservedStage, StageOf } from "./stage.ts";

/** The stages a hook class declares: `stage`, `stages` or the parameter of `runsOnStage`. */
export type DeclaredStage<H> = H extends { readonly stages: readonly (infer S)[] } ? S
  : H extends { runsOnStage(stage: infer S): boolean } ? S
  : H extends { readonly stage: infer S } ? S
  : never;

/** The `reads` of a hook class. */
export type DeclaredReads<H> = H extends { readonly reads: infer R extends readonly unknown[] } ? R
  : [];

/** The `writes` of a hook class. */
export type DeclaredWrites<H> = H extends { readonly writes: infer W extends readonly unknown[] }
  ? W
  : [];

/** The result of handlers at some stages, given as literals. */
export type ResultAt<E extends AnyStages, S> = E extends AnyStages
  ? At<E, NameIn<E["kind"], S>>["result"]
  : never;

/** Type that `call` of a hook class must have at the stages `S`. */
export type CallAt<E extends AnyStages, S, H> =
  | ((...args: ArgsAt<E, S, DeclaredReads<H>, DeclaredWrites<H>>) => ResultAt<E, S>)
  // A function of fewer parameters is assignable to one of more, but not to one of a union of lists.
  | ((ctx: ArgsAt<E, S, DeclaredReads<H>, DeclaredWrites<H>>[0]) => ResultAt<E, S>);

/** A compile-time refusal that shows its reason. */
export interface Refused<Why extends string> {
  /** Reason why the hook does not fit. */
  readonly "hook refused": Why;
}

/** The stage `P` that is given at registration, or if that is `never` the stages that a hook class declares. */
export type PlacedStage<H, P> = [P] extends [never] ? DeclaredStage<H> : P;

/** Type that a hook class must also have to be added to an engine of kind `E`, at `P` if that is given. */
export type AcceptClass<E extends AnyStages, H, P = never> =
  & AcceptFields<E, H>
  & AcceptMethods<H>
  & (string extends PlacedStage<H, P>
    ? H extends { runsOnStage(s: string): boolean } ? AcceptAt<E, ObservedStage<E>, H>
    : PlainStage<H>
    : [KnownStage<E, PlacedStage<H, P>>] extends [never] ? NoSuchStage<E, PlacedStage<H, P>>
    : [UndeclaredReads<H, H>] extends [never] ? AcceptCall<E, KnownStage<E, PlacedStage<H, P>>, H>
    : unknown);

/** Type that a hook with kernels must also have to be added to an engine of kind `E`, at `P` if that is given. */
export type AcceptDevice<E extends AnyStages, H, P = never> =
  & AcceptFields<E, H>
  & (string extends PlacedStage<H, P> ? PlainStage<H>
    : [KnownStage<E, PlacedStage<H, P>>] extends [never] ? NoSuchStage<E, PlacedStage<H, P>>
    : {
      /** Required. */
      readonly frequency: number;
      /** Required. */
      readonly writes: readonly unknown[];
    });

/** Refuses a stage whose type is `string`. */
export type PlainStage<H> = H extends { readonly stages: unknown } ? {
    readonly stages: Refused<"stages are plain strings: write `as const` behind the list">;
  }
  : {
    readonly stage: Refused<"stage is a plain string: write stage = DynamicsStage.AFTER_STEP">;
  };

/** The stages of the kinds `E` that a hook names and that do not exist. */
export type UnknownStage<E extends AnyStages, S> = Exclude<
  Extract<S, `${E["kind"]}/${string}`>,
  StageOf<E>
>;

/** Refuses stages that an engine of kind `E` does not have. */
export type NoSuchStage<E extends AnyStages, S> = [UnknownStage<E, S>] extends [never] ? {
    readonly stage: Refused<
      `${E["kind"]}/${S & string}` extends StageOf<E>
        ? `there is no stage ${S & string}; did you mean ${E["kind"]}/${S & string}?`
        : `this hook runs at ${S & string}, and the engine has ${E["kind"]} stages`
    >;
  }
  : { readonly stage: Refused<NoSuch<"stage", UnknownStage<E, S>, StageOf<E>>> };

/** The stages among `S` that an engine of kind `E` has; `never` if one of its kind does not exist. */
export type KnownStage<E extends AnyStages, S> = [UnknownStage<E, S>] extends [never]
  ? Extract<S, StageOf<E>>
  : never;

/** Refuses members that are misspelt options. Hooks may have any other members. */
export type AcceptOptions<H> = {
  readonly [
    k in Exclude<keyof H & string, OptionName> as [Near<k, OptionName>] extends [never] ? never : k
  ]: Refused<NoSuch<"option", k, OptionName>>;
};

/** Options with names that no other member of a hook has by chance. */
export type OptionName =
  | "frequency"
  | "everySeconds"
  | "enableAfterEpoch"
  | "stageTimes"
  | "runsOnStage";

/** Refuses members called `on…` beside `call`: nothing would call them. */
export type AcceptMethods<H> = [MethodKey<H>] extends [never] ? unknown : {
  readonly [k in MethodKey<H>]: Refused<
    `${k} would never be called: a hook has either call or methods named after stages`
  >;
};

/** The members of a hook that are named as methods of stages are. */
export type MethodKey<H> = Exclude<
  Extract<keyof H, `on${Capitalize<string>}` | `on_${string}`>,
  "onError" | "onRegister"
>;

/** Refuses fields that the kinds `E` do not have, and reads that are used but not declared. */
export type AcceptFields<E extends AnyStages, H> =
  & (H extends { readonly reads: string }
    ? { readonly reads: Refused<`reads is a list: write ["${H["reads"]}"]`> }
    : unknown)
  & (H extends { readonly writes: string }
    ? { readonly writes: Refused<`writes is a list: write ["${H["writes"]}"]`> }
    : unknown)
  & ([Exclude<DeclaredReads<H>[number], FieldsFor<E, H>>] extends [never] ? unknown : {
    readonly reads: Refused<NoField<E, Exclude<DeclaredReads<H>[number], FieldsFor<E, H>>>>;
  })
  & ([Exclude<DeclaredWrites<H>[number], FieldsFor<E, H>>] extends [never] ? unknown : {
    readonly writes: Refused<NoField<E, Exclude<DeclaredWrites<H>[number], FieldsFor<E, H>>>>;
  })
  & ([UndeclaredReads<H, H>] extends [never] ? unknown : {
    readonly reads: Refused<
      `ctx.read.${UndeclaredReads<H, H>} is not declared: add reads = ["${UndeclaredReads<
        H,
        H
      >}"] as const`
    >;
  });

/** Message for a field that does not exist. */
export type NoField<E extends AnyStages, F> = string extends F
  ? "the names are plain strings: write `as const` behind the list"
  : NoSuch<"field", F, Extract<FieldKey<E>, string>>;

/** The fields that the handlers of a hook read and that it does not declare. */
export type UndeclaredReads<H, M> = Exclude<
  {
    [k in keyof M]-?: k extends "call" | `on${Capitalize<string>}` ? FieldsReadBy<M[k]> : never;
  }[keyof M],
  FieldNames<DeclaredReads<H>[number]>
>;

/** The fields that a handler needs in `ctx.read`. */
export type FieldsReadBy<F> = F extends (ctx: infer C, ...rest: never) => unknown
  ? C extends { readonly read: infer R } ? RequiredKey<R> : never
  : never;

/** The names of declared fields. */
export type FieldNames<D> = D extends CustomField<infer N, unknown> ? N : D;

/** The names of the members that may not be missing. */
export type RequiredKey<R> = {
  [k in keyof R & string]-?: Record<never, never> extends Pick<R, k> ? never : k;
}[keyof R & string];

/** Refuses a `call` that takes fields which the contexts of the stages `S` do not have. */
export type AcceptCall<E extends AnyStages, S, H> = [NotOffered<E, S, H>] extends [never]
  ? AcceptAt<E, S, H>
  : {
    readonly call: Refused<`ctx.${NotOffered<E, S, H>} is not there at ${S & string}`>;
  };

/** The members of a context that `call` needs and that the stages `S` do not have. */
export type NotOffered<E extends AnyStages, S, H> = H extends
  { readonly call: (ctx: infer C, ...rest: never) => unknown }
  ? Exclude<RequiredKey<C>, keyof ArgsAt<E, S, DeclaredReads<H>, DeclaredWrites<H>>[0]>
  : never;

/** The members of a hook class that are checked against the stages `S`. */
export interface AcceptAt<E extends AnyStages, S, H> {
  /** Checked against context and result of the declared stages. */
  readonly call: CallAt<E, S, H>;
  /** Required. */
  readonly frequency: number;
}

/** The fields a hook class may name. */
export type FieldsFor<E extends AnyStages, H> = [Exclude<DeclaredStage<H>, StageOf<E>>] extends
  [never] ? FieldKey<E>
  : string | CustomField<string, unknown>;
