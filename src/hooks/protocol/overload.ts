/**
 * Overload sets over stages: `src/dispatch` finds the matching row, and the contexts are inferred from the kinds.
 *
 * @module
 */

import { type MatchAll, type Matcher, passes, type Test } from "../../dispatch/matcher.ts";
import { buildOverload, type OverloadTable } from "../../dispatch/overload.ts";
import { findRow, type Handler, noOverload, type Row } from "../../dispatch/rows.ts";
import type {
  AnyStages,
  At,
  FieldsOf,
  NameIn,
  Observed,
  Role,
  StageInfo,
  StageOf,
} from "./stage.ts";
import { type Bound, lift } from "./target.ts";
import type { View } from "./context.ts";
import { stageInfos } from "./stage.ts";
import { checkKindList } from "./kind.ts";
import { complaint } from "../../base/show.ts";

/**
 * The context member `read` in handlers of an overload set. The hook that uses the set declares the fields, so each
 * may be missing here.
 */
export interface MaybeRead<T extends AnyStages> {
  /** The fields that the hook declares in `reads`. */
  readonly read: { readonly [k in keyof FieldsOf<T>]?: View<FieldsOf<T>[k]> };
}

/**
 * The union of the argument tuples (ctx, stage) of the stages `N` of one kind. In the contexts, every field of `read`
 * may be missing.
 */
export type RowArgs<T extends AnyStages, N> = {
  [n in N & string]: [ctx: At<T, n>["ctx"] & MaybeRead<T>, stage: `${T["kind"]}/${n}`];
}[N & string];

/** The argument tuples (ctx, stage) that the selector `S`, `"kind/NAME"` or `"kind/*"`, selects. */
export type SelectedArgs<T extends AnyStages, S> = T extends AnyStages
  ? S extends `${T["kind"]}/*` ? RowArgs<T, Observed<T>> : RowArgs<T, NameIn<T["kind"], S>>
  : never;

/** The name of the kind that a row with the matchers `Ms`, for context and stage, handles. */
export type KindMatched<Ms extends readonly unknown[]> = Ms extends readonly [unknown, infer S]
  ? S extends { readonly kind: infer k extends string } ? k
  : S extends `${infer k}/${string}` ? k
  : never
  : never;

/** An overload set that handles the kinds `K`, as the member `on` of a hook. */
export interface OverloadOf<in out K extends string> {
  /** Carries `K` in the type: never set at run time. */
  readonly handled: (k: K) => K;
}

/**
 * An immutable set of overloads. `A` is the union of the argument tuples that it accepts, `R` its return type, `B`
 * the kinds that can be given by name, and `K` the kinds that it handles as a hook.
 */
export interface StageOverload<
  A extends readonly unknown[],
  R,
  B extends AnyStages = never,
  K extends string = never,
> extends OverloadOf<K> {
  /** Calls the most specific row that accepts the arguments. Throws `NoOverloadError` if no row accepts them. */
  (...args: A): R;
  /**
   * Returns a new set with one more row, which has a matcher per argument. Throws `AmbiguousOverloadError` if another
   * row matches equally well.
   */
  on<const Ms extends readonly Matcher[], Q>(
    matchers: Ms,
    f: (...args: MatchAll<Ms>) => Q,
  ): StageOverload<A | MatchAll<Ms>, R | Q, B, K | KindMatched<Ms>>;
  /** Returns a new set with a row for all observe stages of a kind. */
  on<T extends AnyStages, Q>(
    kind: T,
    f: (...args: RowArgs<T, Observed<T>>) => Q,
  ): StageOverload<A | RowArgs<T, Observed<T>>, R | Q, B, K | T["kind"]>;
  /**
   * Returns a new set with a row for one stage, or for all observe stages (`"kind/*"`), of a kind that is known by
   * name.
   */
  on<S extends StageOf<B> | `${B["kind"]}/*`, Q>(
    stage: S,
    f: (...args: SelectedArgs<B, S>) => Q,
  ): StageOverload<
    A | SelectedArgs<B, S>,
    R | Q,
    B,
    K | (S extends `${infer k}/${string}` ? k : never)
  >;
  /**
   * Returns a new set with a fallback for arguments that no row accepts. In a hook, the fallback handles the observe
   * stages of all kinds without a row.
   */
  otherwise<Q>(
    f: (...args: readonly unknown[]) => Q,
    // deno-lint-ignore no-explicit-any -- every kind there is or will be; `string` would not fit a hook's own kinds
  ): StageOverload<readonly unknown[], R | Q, B, any>;
  /**
   * Returns the handler of the row that arguments of exactly these types would reach. A specific handler can thus
   * call a less specific one.
   */
  invoke<const Ms extends readonly Matcher[]>(matchers: Ms): (...args: MatchAll<Ms>) => R;
  /** Describes as text which row would handle the arguments, and which other rows accept them. */
  explain(...args: readonly unknown[]): string;
}

/**
 * Returns an empty overload set over the given kinds; `src/hook.ts` passes the built-in kinds. Throws a TypeError if
 * `kinds` is not a list of kinds.
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, makeHook, makeOverload, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);
 * const seen: string[] = [];
 * const on = makeOverload([WalkStage])
 *   .on("walk/*", (_ctx, stage) => void seen.push(stage))
 *   .on("walk/AFTER_STEP", () => void seen.push("after"));
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   async step(loop) {
 *     await loop.fire(WalkStage.BEFORE_STEP);
 *     await loop.fire(WalkStage.AFTER_STEP);
 *   },
 * });
 * loop.hooks.add(makeHook<"walk">({ name: "log", on }, [WalkStage]));
 * await loop.run(1);
 * assertEquals(seen, ["walk/BEFORE_STEP", "after"]);
 * ```
 */
export function makeOverload<B extends AnyStages>(
  kinds: readonly B[],
): StageOverload<never, never, B> {
  checkKindList(kinds, "make an overload set");
  const known = stageInfos(kinds);
  const set = buildOverload([], undefined, (test) => {
    if (test.type !== "literal" || typeof test.value !== "string") return;
    const kind = kinds.find(({ kind }) => String(test.value).startsWith(`${kind}/`));
    if (kind === undefined || known.has(test.value)) return;
    throw new TypeError(
      complaint(
        "add an overload",
        `stages must be among those of ${kind.kind}`,
        test.value,
        known.keys(),
      ),
    );
  });
  return set as unknown as StageOverload<never, never, B>;
}

/**
 * Returns the handler of an overload set for one stage; `undefined` if no row handles it. The row is chosen once,
 * unless a guard must be checked at each call.
 */
export function bindSet(
  { rows, fallback }: OverloadTable,
  info: StageInfo,
  ctx: object,
): Bound | undefined {
  const candidates = rows.filter(({ tests }) => tests.length === 2 && mayClaim(tests[1]!, info));
  // `otherwise` handles observe stages only: at a stage of another role, a row must name the stage.
  const otherwise = info.role === "observe" && !handles(rows, info.kind) ? fallback : undefined;
  if (candidates.some(({ tests }) => tests[0]!.type === "guard" && passes(tests[1]!, info.stage))) {
    return { target: lift(asking(candidates, otherwise, info)), matched: "by guard at each call" };
  }
  const row = findRow(candidates, [ctx, info.stage]);
  if (row !== undefined) return { target: lift(row.handler), matched: row.label };
  return otherwise && { target: lift(otherwise), matched: "otherwise" };
}

/**
 * Returns a handler that chooses the row at each call. If no row accepts the context, a pipe returns its value, a
 * gate returns `true`, and an observer does nothing; at a replace stage, `NoOverloadError` is thrown.
 */
function asking(rows: readonly Row[], otherwise: Handler | undefined, info: StageInfo): Handler {
  const nothing: Partial<Record<Role, Handler>> = {
    observe: () => undefined,
    gate: () => true,
    pipe: value,
  };
  return (ctx: never, stage: never) => {
    const handler = findRow(rows, [ctx, stage])?.handler ?? otherwise ?? nothing[info.role];
    if (handler === undefined) throw noOverload(rows, [ctx, stage]);
    return handler(ctx, stage);
  };
}

function value(ctx: never): unknown {
  return (ctx as { readonly value: unknown }).value;
}

function handles(rows: readonly Row[], kind: string): boolean {
  return rows.some(({ tests: [, test] }) =>
    test?.type === "kind"
      ? test.kind === kind
      : test?.type === "literal" && String(test.value).startsWith(`${kind}/`)
  );
}

// A row for a whole kind handles observe stages only; a row that names a stage may also pipe, vote or replace.
function mayClaim(test: Test, { role, stage }: StageInfo): boolean {
  return role === "observe" || (test.type === "literal" && test.value === stage);
}
