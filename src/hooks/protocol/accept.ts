/**
 * Types by which the compiler checks a hook against an engine before it is added.
 *
 * @module
 */

import type { ArgsAt, CustomField, FieldKey } from "./context.ts";
import type { Near, NoSuch } from "./near.ts";
import type { AnyStages, At, NameIn, ObservedStage, StageOf } from "./stage.ts";

/** The stages that a hook class declares: `stage`, the elements of `stages`, or the parameter of `runsOnStage`. */
export type DeclaredStage<H> = H extends { readonly stages: readonly (infer S)[] } ? S
  : H extends { runsOnStage(stage: infer S): boolean } ? S
  : H extends { readonly stage: infer S } ? S
  : never;

/** The field list `reads` of a hook class; `[]` if it declares no reads. */
export type DeclaredReads<H> = H extends { readonly reads: infer R extends readonly unknown[] } ? R
  : [];

/** The field list `writes` of a hook class; `[]` if it declares no writes. */
export type DeclaredWrites<H> = H extends { readonly writes: infer W extends readonly unknown[] }
  ? W
  : [];

/** The union of the result types of handlers at the stages `S`, which are stage literals. */
export type ResultAt<E extends AnyStages, S> = E extends AnyStages
  ? At<E, NameIn<E["kind"], S>>["result"]
  : never;

/** The type that the method `call` of the hook class `H` must have to run at the stages `S`. */
export type CallAt<E extends AnyStages, S, H> =
  | ((...args: ArgsAt<E, S, DeclaredReads<H>, DeclaredWrites<H>>) => ResultAt<E, S>)
  // A function with one parameter is not assignable to a function type whose parameter list is a union of tuples.
  | ((ctx: ArgsAt<E, S, DeclaredReads<H>, DeclaredWrites<H>>[0]) => ResultAt<E, S>);

/** A type that no hook fits, so that the compiler's message shows the reason `Why`. */
export interface Refused<Why extends string> {
  /** The reason why the hook does not fit. */
  readonly "hook refused": Why;
}

/**
 * The stages at which a hook runs: the stage `P` given at registration, or, if `P` is `never`, the stages that the
 * hook class declares.
 */
export type PlacedStage<H, P> = [P] extends [never] ? DeclaredStage<H> : P;

/**
 * Constraints on a hook class `H` that is added to an engine of kind `E`. `P` is the stage given at registration, or
 * `never` if the hook declares its stages. If `H` fits, the constraint is a type that `H` satisfies.
 */
export type AcceptClass<E extends AnyStages, H, P = never> =
  & AcceptFields<E, H>
  & AcceptMethods<H>
  & (string extends PlacedStage<H, P>
    ? H extends { runsOnStage(s: string): boolean } ? AcceptAt<E, ObservedStage<E>, H>
    : PlainStage<H>
    : [KnownStage<E, PlacedStage<H, P>>] extends [never] ? NoSuchStage<E, PlacedStage<H, P>>
    : [UndeclaredReads<H, H>] extends [never] ? AcceptCall<E, KnownStage<E, PlacedStage<H, P>>, H>
    : unknown);

/**
 * Constraints on a hook with kernels that is added to an engine of kind `E`. `P` is the stage given at registration,
 * or `never` if the hook declares its stages.
 */
export type AcceptDevice<E extends AnyStages, H, P = never> =
  & AcceptFields<E, H>
  & (string extends PlacedStage<H, P> ? PlainStage<H>
    : [KnownStage<E, PlacedStage<H, P>>] extends [never] ? NoSuchStage<E, PlacedStage<H, P>>
    : {
      /** The frequency, which a hook with kernels must declare. */
      readonly frequency: number;
      /** The fields to change, which a hook with kernels must declare. */
      readonly writes: readonly unknown[];
    });

/** Refuses a hook whose stages have the type `string` instead of literal types. */
export type PlainStage<H> = H extends { readonly stages: unknown } ? {
    readonly stages: Refused<"stages are plain strings: write `as const` behind the list">;
  }
  : {
    readonly stage: Refused<"stage is a plain string: write stage = DynamicsStage.AFTER_STEP">;
  };

/** The stages among `S` that carry the name of a kind of `E` but that this kind does not have. */
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

/** The stages among `S` that an engine of kind `E` has; `never` if `S` names a stage that its kind does not have. */
export type KnownStage<E extends AnyStages, S> = [UnknownStage<E, S>] extends [never]
  ? Extract<S, StageOf<E>>
  : never;

/**
 * Refuses members whose names are similar to a name in `OptionName`, as they are probably misspelled. All other
 * members are allowed.
 */
export type AcceptOptions<H> = {
  readonly [
    k in Exclude<keyof H & string, OptionName> as [Near<k, OptionName>] extends [never] ? never : k
  ]: Refused<NoSuch<"option", k, OptionName>>;
};

/**
 * Options that are checked for misspelling. Their names are so specific that a member with a similar name is a
 * mistake, not a member that the user added on purpose.
 */
export type OptionName =
  | "frequency"
  | "everySeconds"
  | "enableAfterEpoch"
  | "stageTimes"
  | "runsOnStage";

/**
 * Refuses methods named after stages, such as `onTrainEnd`, on a hook with `call`, because they would never be
 * called.
 */
export type AcceptMethods<H> = [MethodKey<H>] extends [never] ? unknown : {
  readonly [k in MethodKey<H>]: Refused<
    `${k} would never be called: a hook has either call or methods named after stages`
  >;
};

/** The members of a hook whose names look like methods of stages, such as `onTrainEnd`. */
export type MethodKey<H> = Exclude<
  Extract<keyof H, `on${Capitalize<string>}` | `on_${string}`>,
  "onError" | "onRegister"
>;

/**
 * Refuses `reads` and `writes` that name fields which the kinds `E` do not have, and handlers that read undeclared
 * fields.
 */
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

/** The compiler message for a field `F` that the kinds `E` do not have. */
export type NoField<E extends AnyStages, F> = string extends F
  ? "the names are plain strings: write `as const` behind the list"
  : NoSuch<"field", F, Extract<FieldKey<E>, string>>;

/**
 * The fields that the handlers `M` of a hook require in `ctx.read` and that the hook `H` does not declare in `reads`.
 */
export type UndeclaredReads<H, M> = Exclude<
  {
    [k in keyof M]-?: k extends "call" | `on${Capitalize<string>}` ? FieldsReadBy<M[k]> : never;
  }[keyof M],
  FieldNames<DeclaredReads<H>[number]>
>;

/** The fields that the handler `F` requires in `ctx.read`. */
export type FieldsReadBy<F> = F extends (ctx: infer C, ...rest: never) => unknown
  ? C extends { readonly read: infer R } ? RequiredKey<R> : never
  : never;

/** The names of declared fields, each a string or a `CustomField`. */
export type FieldNames<D> = D extends CustomField<infer N, unknown> ? N : D;

/** The names of the members of `R` that are not optional. */
export type RequiredKey<R> = {
  [k in keyof R & string]-?: Record<never, never> extends Pick<R, k> ? never : k;
}[keyof R & string];

/** Refuses a `call` whose context parameter has members that the contexts of the stages `S` do not have. */
export type AcceptCall<E extends AnyStages, S, H> = [NotOffered<E, S, H>] extends [never]
  ? AcceptAt<E, S, H>
  : {
    readonly call: Refused<`ctx.${NotOffered<E, S, H>} is not there at ${S & string}`>;
  };

/** The members of its context that `call` requires and that the contexts of the stages `S` do not have. */
export type NotOffered<E extends AnyStages, S, H> = H extends
  { readonly call: (ctx: infer C, ...rest: never) => unknown }
  ? Exclude<RequiredKey<C>, keyof ArgsAt<E, S, DeclaredReads<H>, DeclaredWrites<H>>[0]>
  : never;

/** The members of a hook class that are checked against the stages `S`. */
export interface AcceptAt<E extends AnyStages, S, H> {
  /** The handler. Its context and result must fit the stages `S`. */
  readonly call: CallAt<E, S, H>;
  /** The frequency, which a hook class must declare. */
  readonly frequency: number;
}

/**
 * The fields that a hook class may name: those of the kinds `E`, or any field if the hook also has stages of other
 * kinds.
 */
export type FieldsFor<E extends AnyStages, H> = [Exclude<DeclaredStage<H>, StageOf<E>>] extends
  [never] ? FieldKey<E>
  : string | CustomField<string, unknown>;
