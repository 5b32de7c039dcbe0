/**
 * The context fields that the engine of a kind sets, besides those that every engine sets.
 *
 * @module
 */

import type { BaseContext } from "./context.ts";
import type { AnyStages, At, MapOf, OptionalOf } from "./stage.ts";

/** The union of the contexts of all stages of the kinds `E`. */
export type ContextsOf<E extends AnyStages> = E extends AnyStages ? At<E, keyof MapOf<E>>["ctx"]
  : never;

/** The context members that every engine sets. */
export type EngineField = keyof BaseContext | "value" | "skipping" | "read" | "write";

/** The keys that at least one member of the union `U` has. */
export type AnyKeyOf<U> = U extends unknown ? keyof U : never;

/** The type of the key `k` in the members of the union `U` that have it. */
export type FieldOf<U, k> = U extends unknown ? k extends keyof U ? U[k] : never : never;

/** The keys that are optional in at least one member of the union `U`. */
export type LeftOut<U> = U extends unknown
  ? { [k in keyof U]-?: Record<never, never> extends Pick<U, k> ? k : never }[keyof U]
  : never;

/** The context fields that exist at every stage and that must be passed to a loop. */
export type RequiredField<E extends AnyStages> = Exclude<
  keyof ContextsOf<E>,
  EngineField | OptionalOf<E> | LeftOut<ContextsOf<E>>
>;

/**
 * The context fields that the engine of a loop sets. Fields of all stages are required from the start; the others
 * must be set before their stage is fired.
 */
export type OwnFields<E extends AnyStages> =
  & { -readonly [k in RequiredField<E>]: FieldOf<ContextsOf<E>, k> }
  & {
    -readonly [
      k in Exclude<AnyKeyOf<ContextsOf<E>>, EngineField | RequiredField<E>>
    ]?: FieldOf<ContextsOf<E>, k>;
  };
