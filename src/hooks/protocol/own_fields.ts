/**
 * The context fields that a kind's engine fills, beyond those that every engine does.
 *
 * @module
 */

import type { BaseContext } from "./context.ts";
import type { AnyStages, At, MapOf, OptionalOf } from "./stage.ts";

/** The contexts of all stages of a kind, as a union. */
export type ContextsOf<E extends AnyStages> = E extends AnyStages ? At<E, keyof MapOf<E>>["ctx"]
  : never;

/** The context members that every engine fills itself. */
export type EngineField = keyof BaseContext | "value" | "skipping" | "read" | "write";

/** The keys that any member of a union has. */
export type AnyKeyOf<U> = U extends unknown ? keyof U : never;

/** The type of a key in those members of a union that have it. */
export type FieldOf<U, k> = U extends unknown ? k extends keyof U ? U[k] : never : never;

/** The keys that may be left out, by any member of a union. */
export type LeftOut<U> = U extends unknown
  ? { [k in keyof U]-?: Record<never, never> extends Pick<U, k> ? k : never }[keyof U]
  : never;

/** Fields that exist at every stage and must be passed to a loop. */
export type RequiredField<E extends AnyStages> = Exclude<
  keyof ContextsOf<E>,
  EngineField | OptionalOf<E> | LeftOut<ContextsOf<E>>
>;

/**
 * The context fields a loop fills itself: those of all stages from the start, the others before firing.
 */
export type OwnFields<E extends AnyStages> =
  & { -readonly [k in RequiredField<E>]: FieldOf<ContextsOf<E>, k> }
  & {
    -readonly [
      k in Exclude<AnyKeyOf<ContextsOf<E>>, EngineField | RequiredField<E>>
    ]?: FieldOf<ContextsOf<E>, k>;
  };
