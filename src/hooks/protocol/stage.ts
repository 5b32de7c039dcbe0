/**
 * Stages, and the kinds that they belong to. A stage is a string literal `"kind/NAME"`, so that comparing it narrows
 * the type of the context passed with it. A kind is a value that carries the names, roles and contexts of its stages,
 * so that users can define kinds too.
 *
 * @module
 */

import { looksLikeKind, makeKind, makeObserved } from "./kind.ts";

/** A stage whose handlers observe and return nothing. */
export interface Observe<C> {
  /** Name of the role. */
  readonly role: "observe";
  /** The context of handlers. */
  readonly ctx: C;
  /** The result of handlers. It is ignored, except that the engine awaits a promise. */
  readonly result: void;
}

/** A stage whose handlers pass a value on: each reads `ctx.value` and returns the next value. */
export interface Pipe<C, V> {
  /** Name of the role. */
  readonly role: "pipe";
  /** The context of handlers. */
  readonly ctx: C & {
    /** The result of the previous handler, or the engine's value for the first one. */
    readonly value: V;
  };
  /** The next value. */
  readonly result: V | PromiseLike<V>;
}

/** A stage whose handlers vote on whether the engine proceeds. One `false` is a veto. */
export interface Gate<C> {
  /** Name of the role. */
  readonly role: "gate";
  /** The context of handlers. */
  readonly ctx: C & {
    /** True if an earlier handler of this visit has vetoed. */
    readonly skipping: boolean;
  };
  /** `false` to veto, otherwise `true`. */
  readonly result: boolean | PromiseLike<boolean>;
}

/** A stage at which at most one hook may take over the work of the engine. */
export interface Replace<C, V> {
  /** Name of the role. */
  readonly role: "replace";
  /** The context of handlers. */
  readonly ctx: C;
  /** The result of the work, instead of the engine's own. */
  readonly result: V | PromiseLike<V>;
}

/** The common type of the four roles. */
export interface AnyRole {
  /** Name of the role. */
  readonly role: Role;
  /** The context of handlers. */
  readonly ctx: unknown;
  /** The result of handlers. */
  readonly result: unknown;
}

/** The role of a stage's handlers: they observe, pass a value on, vote, or replace the work of the engine. */
export type Role = "observe" | "pipe" | "gate" | "replace";

/** Options of a kind's stages, besides their roles. */
export interface KindOptions<N extends string> {
  /**
   * Map from stage name to the counter that the schedules of its hooks use, such as `"epoch"`.
   *
   * @default every stage counts `"step"`
   */
  readonly counters?: { readonly [n in N]?: string };
  /**
   * Names of event stages, which occur irregularly. They ignore `frequency` and call their hooks at every event.
   *
   * @default the stages whose name starts with `ON_`
   */
  readonly events?: readonly N[];
  /**
   * Names of the context fields of each stage, in addition to those of every engine. The fields at `"*"` exist at all
   * stages. If this option is set, hooks find exactly these fields at run time.
   *
   * @default every stage has all fields that the engine has set so far
   */
  readonly contexts?: { readonly [n in N | "*"]?: readonly string[] };
  /**
   * Additional names of lifecycle methods, mapped to stage names: `{ onTrainingEnd: "TRAIN_END" }`.
   *
   * @default undefined; `Start` for `Begin` is always understood
   */
  readonly aliases?: { readonly [method: `on${string}`]: N };
}

/** The members of a kind, except its properties named after stages. */
export interface KindInfo<
  K extends string,
  M,
  F,
  A = Record<never, never>,
  O extends string = never,
> {
  /** Name of the kind, the part of its stages before the slash. */
  readonly kind: K;
  /** Map from stage name to the role of the stage. */
  readonly roles: { readonly [N in keyof M]: M[N] extends AnyRole ? M[N]["role"] : never };
  /** Counters, events, context fields and aliases of the stages. */
  readonly options: KindOptions<string>;
  /** Carries types only: never set at run time. */
  readonly types?: {
    /** Map from stage name to role and context. */
    readonly stages: M;
    /** Map from the name of a readable field to its type. */
    readonly fields: F;
    /** Map from the additional name of a lifecycle method to its stage name. */
    readonly aliases: A;
    /** Names of context fields that the built-in engine of the kind sets and that other loops may omit. */
    readonly optional: O;
  };
}

/**
 * A kind `K`. Its type carries the role and context of each stage (`M`), the readable fields (`F`), the aliases of
 * lifecycle methods (`A`), and the context fields that a custom loop may omit (`O`).
 */
export type StageKind<
  K extends string,
  M,
  F = Record<never, never>,
  A = Record<never, never>,
  O extends string = never,
> =
  & KindInfo<K, M, F, A, O>
  & { readonly [N in keyof M & string]: `${K}/${N}` };

/** The common type of all kinds. */
export type AnyStages = KindInfo<string, unknown, unknown, unknown, string>;

/** The map from stage name to role and context, of the kind `T`. */
export type MapOf<T extends AnyStages> = NonNullable<T["types"]>["stages"];

/** The map from the name of a readable field to its type, of the kind `T`. */
export type FieldsOf<T extends AnyStages> = NonNullable<T["types"]>["fields"];

/** The map from the additional name of a lifecycle method to its stage name, of the kind `T`. */
export type AliasesOf<T extends AnyStages> = NonNullable<T["types"]>["aliases"];

/** The names of context fields of the kind `T` that a custom loop may omit. */
export type OptionalOf<T extends AnyStages> = NonNullable<T["types"]>["optional"];

/** The member `aliases` of the options of a kind, with its type kept. */
export interface AliasOption<A> {
  /** Additional names of lifecycle methods, mapped to stage names. */
  readonly aliases?: A;
}

/** The union of the stage literals of the kind `T`. */
export type StageOf<T extends AnyStages> = T extends AnyStages
  ? `${T["kind"]}/${keyof MapOf<T> & string}`
  : never;

/** The name of the stage literal `S` within the kind `K`; `never` if it belongs to another kind. */
export type NameIn<K extends string, S> = S extends `${K}/${infer N}` ? N : never;

/** The role and context of the stage `N` of the kind `T`. */
export type At<T extends AnyStages, N> = T extends AnyStages
  ? N extends keyof MapOf<T> ? MapOf<T>[N] extends AnyRole ? MapOf<T>[N] : never : never
  : never;

/**
 * The names of the observe stages of the kind `T`. The table key `"*"` and the fallback `otherwise` handle only
 * these.
 */
export type Observed<T extends AnyStages> = {
  [N in keyof MapOf<T> & string]: At<T, N>["role"] extends "observe" ? N : never;
}[keyof MapOf<T> & string];

/** The union of the observe stages of the kinds `E`, as literals. */
export type ObservedStage<E extends AnyStages> = E extends AnyStages ? `${E["kind"]}/${Observed<E>}`
  : never;

/** A map of the observe stages `N`, all with the context `C`. `Extra` maps stage names to additional fields. */
export type Uniform<C, N extends string, Extra> = {
  readonly [n in N]: Observe<C & (n extends keyof Extra ? Extra[n] : unknown)>;
};

/**
 * Makes a kind of observe stages with one context `C`. `Extra` adds context fields to single stages, and `F` lists
 * the readable fields. For an *exported* kind, or one with other roles, use {@linkcode defineKind}. The returned
 * function throws a `TypeError` for an argument of the wrong type, and a `RangeError` for a stage name that is not
 * UPPER_CASE, occurs twice, or is named in the options but is not a stage of the kind.
 *
 * @example
 * ```ts
 * import { type BaseContext, type StageOf, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * interface PipelineContext extends BaseContext { readonly items: readonly string[] }
 * const PipelineStage = stages<PipelineContext>()("pipeline", ["BEFORE_PROCESS", "AFTER_PROCESS"]);
 * type PipelineStage = StageOf<typeof PipelineStage>;
 *
 * const after: PipelineStage = PipelineStage.AFTER_PROCESS;
 * assertEquals(after, "pipeline/AFTER_PROCESS");
 * ```
 */
export function stages<C, Extra = Record<never, never>, F = Record<never, never>>(): <
  const K extends string,
  const N extends string,
  const A extends { readonly [method: `on${string}`]: N } = Record<never, never>,
>(
  kind: K,
  names: readonly N[],
  options?: KindOptions<NoInfer<N>> & AliasOption<A>,
) => StageKind<K, Uniform<C, N, Extra>, F, A> {
  return <
    const K extends string,
    const N extends string,
    const A extends { readonly [method: `on${string}`]: N } = Record<never, never>,
  >(
    kind: K,
    names: readonly N[],
    options: KindOptions<NoInfer<N>> & AliasOption<A> = {},
  ) => makeObserved(kind, names, options) as unknown as StageKind<K, Uniform<C, N, Extra>, F, A>;
}

/**
 * Makes a kind whose type is declared explicitly: `const X: StageKind<"x", Map> = defineKind("x", { NAME: "pipe" })`.
 * The compiler checks the roles against `Map`. Throws a `TypeError` for an unknown role or an argument of the wrong
 * type, and a `RangeError` for a stage name that is not UPPER_CASE, or is named in the options but is not a stage of
 * the kind.
 *
 * @example
 * ```ts
 * import { type BaseContext, defineKind, type Gate, type Observe, type StageKind } from "@hooke/hooke/hooks";
 *
 * interface OvenStages {
 *   readonly MAY_OPEN: Gate<BaseContext>;
 *   readonly AFTER_BATCH: Observe<BaseContext & { readonly loaves: number }>;
 * }
 * export const OvenStage: StageKind<"oven", OvenStages> = defineKind("oven", {
 *   MAY_OPEN: "gate",
 *   AFTER_BATCH: "observe",
 * }, { counters: { AFTER_BATCH: "batch" } });
 * ```
 */
export function defineKind<
  K extends string,
  M,
  F,
  A = Record<never, never>,
  O extends string = never,
>(
  kind: K,
  roles: NoInfer<KindInfo<K, M, F, A>["roles"]>,
  options: KindOptions<NoInfer<keyof M & string>> & AliasOption<NoInfer<A>> = {},
): StageKind<K, M, F, A, O> {
  return makeKind(
    kind,
    roles as Readonly<Record<string, unknown>>,
    options,
  ) as unknown as StageKind<
    K,
    M,
    F,
    A,
    O
  >;
}

/** Returns whether the value has the members of a kind: `kind`, `roles` and `options`. */
export function isKind(value: unknown): value is AnyStages {
  return looksLikeKind(value);
}

/** The properties of one stage that an engine uses. */
export interface StageInfo {
  /** The stage literal, `"kind/NAME"`. */
  readonly stage: string;
  /** Name of its kind, before the slash. */
  readonly kind: string;
  /** Name of the stage within its kind, after the slash. */
  readonly name: string;
  /** The role of its handlers. */
  readonly role: Role;
  /** Name of the counter that the schedules of its hooks use, such as `"step"`. */
  readonly counter: string;
  /** True for an event stage, which occurs irregularly and ignores `frequency`. */
  readonly isEvent: boolean;
  /**
   * Names of the context fields that the stage has in addition to those of every engine. `common` lists the fields
   * that all stages of its kind have, `own` those of this stage only. If the kind does not list its context fields,
   * `fields` is `undefined`, and the stage has all fields of the context.
   */
  readonly fields:
    | { readonly common: readonly string[]; readonly own: readonly string[] }
    | undefined;
}

/** Returns the stages of the kinds by literal, in the order of definition. */
export function stageInfos(kinds: readonly AnyStages[]): ReadonlyMap<string, StageInfo> {
  return new Map(
    kinds.flatMap(({ kind, roles, options }) =>
      Object.entries(roles as Readonly<Record<string, Role>>).map(([name, role]) => [
        `${kind}/${name}`,
        {
          stage: `${kind}/${name}`,
          kind,
          name,
          role,
          counter: options.counters?.[name] ?? "step",
          isEvent: options.events?.includes(name) ?? name.startsWith("ON_"),
          fields: options.contexts &&
            { common: options.contexts["*"] ?? [], own: options.contexts[name] ?? [] },
        },
      ])
    ),
  );
}
