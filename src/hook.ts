/**
 * Hooks for any loop: stages and kinds, hooks, overload tables, the registry, and a loop for custom stages. `hook`
 * and `overload` know the stages of dynamics and training by name, without loading these engines.
 *
 * @example A custom loop with a hook that asks to stop
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * interface Walk extends BaseContext { readonly x: number }
 * const WalkStage = stages<Walk>()("walk", ["AFTER_STEP"]);
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   context: { x: 0 },
 *   step(loop) {
 *     loop.context.x += 1;
 *     return loop.fire(WalkStage.AFTER_STEP);
 *   },
 * });
 * class Fence {
 *   readonly stage = WalkStage.AFTER_STEP;
 *   readonly frequency = 1;
 *   call(ctx: Walk): void { if (ctx.x >= 3) ctx.stop("at the fence"); }
 * }
 * loop.hooks.add(new Fence());
 * assertEquals(await loop.run(10), { status: "stopped", reason: "at the fence", step: 2 });
 * ```
 *
 * @module
 */

// First, because gzip finds repetitions at most 32 kB apart: in the middle, these 40 kB would separate the other code.
import "./hooks/run/runners.gen.ts";
import { DynamicsStage } from "./dynamics/stages.ts";
import type {
  DeclaredReads,
  DeclaredStage,
  DeclaredWrites,
  ResultAt,
} from "./hooks/protocol/accept.ts";
import type { ArgsAt, FieldKey } from "./hooks/protocol/context.ts";
import { makeOverload, type StageOverload } from "./hooks/protocol/overload.ts";
import type { HookOptions } from "./hooks/protocol/protocol.ts";
import type { AnyStages, StageOf } from "./hooks/protocol/stage.ts";
import {
  type HookResult,
  type HookSpec,
  makeHook,
  type Otherwise,
} from "./hooks/protocol/table.ts";
import { TrainingStage } from "./training/stages.ts";

export * from "./hooks/mod.ts";

/** The kinds of stages that `hook` and `overload` know by name: dynamics and training. */
export type BuiltInKinds = typeof DynamicsStage | typeof TrainingStage;

/**
 * Type of the context that a hook class receives, derived from the members that the class declares: its stages, its
 * `reads` and its `writes`. If the class has methods named after stages, pass the stage as the second argument, as in
 * `ContextOf<Counts, "training/EPOCH_END">`. For a hook of a custom kind, pass the kind as the third argument.
 *
 * @example
 * ```ts
 * import { type ContextOf, DynamicsStage } from "@hooke/hooke";
 *
 * class PrintFmax {
 *   readonly stage = DynamicsStage.AFTER_STEP;
 *   readonly frequency = 10;
 *   readonly reads = ["energy", "fmax"] as const;
 *
 *   call({ stepCount, read }: ContextOf<PrintFmax>): void {
 *     console.log(stepCount, read.energy[0], read.fmax[0]);
 *   }
 * }
 * ```
 */
export type ContextOf<H, S = DeclaredStage<H>, K extends AnyStages = BuiltInKinds> = ArgsAt<
  K,
  S,
  DeclaredReads<H>,
  DeclaredWrites<H>
>[0];

/**
 * Type of a hook at stage `S` that reads the fields `R` and writes the fields `W`. Use it if TypeScript needs an
 * explicit type: for constants, lists, parameters, results of exported functions, and after `implements`. If `S` is a
 * union of stages, the hook must have `stages`. For a custom kind, pass the kind as the last argument. Hooks in
 * `hooks: […]` and `hooks.add(…)` need no type.
 *
 * @example A factory that is exported
 * ```ts
 * import type { HookOf } from "@hooke/hooke";
 *
 * export function printFmax(frequency: number): HookOf<"dynamics/AFTER_STEP", "fmax"> {
 *   return {
 *     stage: "dynamics/AFTER_STEP",
 *     frequency,
 *     reads: ["fmax"],
 *     call: ({ stepCount, read }) => console.log(stepCount, read.fmax.max()),
 *   };
 * }
 * ```
 */
export type HookOf<
  S extends StageOf<K>,
  R extends FieldKey<K> = never,
  W extends FieldKey<K> = never,
  K extends AnyStages = BuiltInKinds,
> =
  & HookOptions
  & {
    /** Name of the hook. Default: the name of its class. */
    readonly name?: string;
    /** Interval in steps or other counts: the hook is due when counter % frequency === phase. */
    readonly frequency: number;
    /** Called when the hook is due. If it returns `false`, the hook is skipped. */
    when?(ctx: ArgsAt<K, S, R[], W[]>[0]): boolean;
    /** Called when the hook is due, with the context of the stage. */
    call(...args: ArgsAt<K, S, R[], W[]>): ResultAt<K, S>;
  }
  & ([S] extends [OnlyOne<S>] ? { readonly stage: S } : { readonly stages: readonly S[] })
  & ([R] extends [never] ? unknown : { readonly reads: readonly R[] })
  & ([W] extends [never] ? unknown : { readonly writes: readonly W[] });

/** `T` if it is not a union, otherwise `never`. */
export type OnlyOne<T, Whole = T> = T extends T ? [Whole] extends [T] ? T : never : never;

const KINDS: readonly BuiltInKinds[] = [DynamicsStage, TrainingStage];

/**
 * Creates a hook from a table (kind → stage → handler) or from an overload set. The type of the context is inferred
 * for each stage. In a table, `"*"` handles the other observe stages of a kind, and `otherwise` handles the stages of
 * all other kinds.
 *
 * Throws a `TypeError` if a kind, stage or member is unknown or has the wrong type, and a `RangeError` if the
 * frequency is invalid. The message names the invalid value, and the nearest valid name if it is misspelled.
 *
 * @example A log for dynamics, training and whatever else there is
 * ```ts
 * import { hook } from "@hooke/hooke";
 *
 * const log = hook({
 *   name: "log",
 *   frequency: 10,
 *   reads: ["fmax"],
 *   on: {
 *     dynamics: { AFTER_STEP: (ctx) => console.log(ctx.stepCount, ctx.read.fmax[0]) },
 *     training: { AFTER_LOSS: (ctx) => console.log(ctx.stepCount, ctx.loss) },
 *   },
 *   otherwise: (ctx, stage) => console.log(ctx.stepCount, stage),
 * });
 * ```
 */
export function hook<
  K extends (BuiltInKinds | X[number])["kind"],
  O extends Otherwise | undefined,
  const X extends readonly AnyStages[] = [],
  const R extends readonly FieldKey<BuiltInKinds | X[number]>[] = [],
  const W extends readonly FieldKey<BuiltInKinds | X[number]>[] = [],
>(spec: HookSpec<BuiltInKinds, K, X, R, W, O>): HookResult<K, O> {
  return makeHook(spec, KINDS) as HookResult<K, O>;
}

/**
 * Returns an empty overload set that knows the built-in kinds by name. It is immutable: each `on` returns a new set
 * with one more row. Use it as the `on` of a hook. The rows are then chosen when the hook is registered, so they cost
 * nothing in the loop.
 *
 * @example
 * ```ts
 * import { hook, overload } from "@hooke/hooke";
 *
 * const seen: string[] = [];
 * const describe = overload()
 *   .on("dynamics/*", (_ctx, stage) => void seen.push(`dynamics ${stage}`))
 *   .on("training/AFTER_LOSS", (ctx) => void seen.push(`loss ${ctx.loss}`));
 * const log = hook({ name: "log", on: describe });
 * ```
 */
export function overload(): StageOverload<never, never, BuiltInKinds> {
  return makeOverload(KINDS);
}
