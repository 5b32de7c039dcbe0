/**
 * Types of hooks that are written in place, as object literals. Contexts are inferred from the other members.
 *
 * @module
 */

import type { ArgsAt, BaseContext, FieldKey } from "./context.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ResultAt } from "./accept.ts";
import type { HookOptions } from "./protocol.ts";
import type { AnyStages, ObservedStage, StageOf } from "./stage.ts";

/** The members of a hook that get a context: at the stages `S`, with the declared reads `R` and writes `W`. */
export type InlineHandlers<
  E extends AnyStages,
  S,
  R extends readonly unknown[],
  W extends readonly unknown[],
> =
  & Pick<HookOptions, "onRegister" | "open" | "close" | "save" | "load" | "flush">
  & Lifecycle<E, R, W>
  & {
    /** Called at the declared stages. */
    readonly call?: (...args: ArgsAt<E, S, R, W>) => ResultAt<E, S>;
    /** Asked at due counts; the hook is skipped if it returns `false`. */
    readonly when?: (ctx: BaseContext) => boolean;
    /** Asked once for each observe stage. */
    readonly runsOnStage?: (stage: ObservedStage<E>) => boolean;
  }
  // deno-lint-ignore no-explicit-any -- members of its own, which are known only once its methods are
  & ThisType<any>;

/** Keeps every value from being assigned to a type that only gives context. `Accept` decides whether it is a hook. */
export interface ContextOnly {
  /** Never present. */
  readonly "hook that fits this engine": never;
}

/** The element `i` of a list. */
export type ItemOf<L, i> = i extends keyof L ? L[i] : unknown;

/** The stages among the names that an object of a list declares; the observe stages if it declares no stage. */
export type StagesAmong<E extends AnyStages, N> = unknown extends N ? ObservedStage<E>
  : [Extract<N, StageOf<E>>] extends [never] ? ObservedStage<E>
  : Extract<N, StageOf<E>>;

/** The fields among the names that an object of a list declares. */
export type FieldsAmong<E extends AnyStages, N> = unknown extends N ? []
  : readonly Extract<N, FieldKey<E>>[];

/**
 * Inference site of the stage `S`, the reads `R` and the writes `W` of an object. Once they are known it
 * is `never`, so that no message of the compiler mentions it.
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
 * Inference site of the type `H` of a list and of the names that its objects declare: `N` are the stages and the reads
 * of each object, `W` the writes. Once they are known it is `never`, so that no message of the compiler mentions it.
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
