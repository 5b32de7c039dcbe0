/**
 * Types of hooks that are written as object literals in a list of hooks. The compiler infers the contexts of their
 * handlers from the declared stages, reads and writes.
 *
 * @module
 */

import type { ArgsAt, BaseContext, FieldKey } from "./context.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ResultAt } from "./accept.ts";
import type { HookOptions } from "./protocol.ts";
import type { AnyStages, ObservedStage, StageOf } from "./stage.ts";

/**
 * The members of a hook object with their contexts typed: at the stages `S`, with the declared reads `R` and writes
 * `W`.
 */
export type InlineHandlers<
  E extends AnyStages,
  S,
  R extends readonly unknown[],
  W extends readonly unknown[],
> =
  & Pick<HookOptions, "onRegister" | "open" | "close" | "save" | "load" | "flush">
  & Lifecycle<E, R, W>
  & {
    /** The handler of the declared stages. */
    readonly call?: (...args: ArgsAt<E, S, R, W>) => ResultAt<E, S>;
    /** Condition checked when the hook is due. The hook is skipped if it returns `false`. */
    readonly when?: (ctx: BaseContext) => boolean;
    /** Returns whether the hook runs at a stage. Called once for each observe stage when the hook is added. */
    readonly runsOnStage?: (stage: ObservedStage<E>) => boolean;
  }
  // deno-lint-ignore no-explicit-any -- members of its own, which are known only once its methods are
  & ThisType<any>;

/**
 * A member that no object has. It makes a type unassignable that exists only to infer the contexts of handlers. The
 * type `Accept` checks whether the value is a hook.
 */
export interface ContextOnly {
  /** Never set at run time. The compiler's message for a value that is not a hook shows this key. */
  readonly "hook that fits this engine": never;
}

/** The element type of the list `L` at the index `i`; `unknown` if there is none. */
export type ItemOf<L, i> = i extends keyof L ? L[i] : unknown;

/**
 * The stages among the names `N`, which are the stages and fields that an object declares. If it declares no stage,
 * all observe stages of `E`.
 */
export type StagesAmong<E extends AnyStages, N> = unknown extends N ? ObservedStage<E>
  : [Extract<N, StageOf<E>>] extends [never] ? ObservedStage<E>
  : Extract<N, StageOf<E>>;

/** The fields among the names `N`, which are the stages and fields that an object declares. */
export type FieldsAmong<E extends AnyStages, N> = unknown extends N ? []
  : readonly Extract<N, FieldKey<E>>[];

/**
 * A type from which the compiler infers the stage `S`, the reads `R` and the writes `W` of an object. After the
 * inference it is `never`, so that it appears in no compiler message.
 */
export type InferDeclared<S, R, W> = [S, R, W] extends
  [unknown, readonly unknown[], readonly unknown[]] ? never
  : {
    readonly stage?: S;
    readonly stages?: readonly S[];
    readonly reads?: R;
    readonly writes?: W;
  };

/**
 * A type from which the compiler infers the type `H` of a list of hooks and the names that each of them declares: `N`
 * for stages and reads, `W` for writes. After the inference it is `never`, so that it appears in no compiler message.
 */
export type InferNames<H, N extends readonly unknown[]> = N extends readonly unknown[] ? never
  :
    | H
    | {
      readonly [i in keyof N]: {
        readonly stage?: N[i];
        readonly stages?: readonly N[i][];
        readonly reads?: readonly N[i][];
      };
    };
