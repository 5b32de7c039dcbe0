/**
 * Stages, and the kinds they belong to.
 *
 * A stage is the string `"kind/NAME"`: a unit type, so that comparing it narrows the context beside it. A kind
 * is a value that carries its stages' names, roles and contexts, so that anyone can make one.
 *
 * @module
 */

import { looksLikeKind, makeKind, makeObserved } from "./kind.ts";

/** A stage whose handlers look and return nothing. */
export interface Observe<C> {
  /** The role. */
  readonly role: "observe";
  /** The context of handlers. */
  readonly ctx: C;
  /** The result of handlers: it is ignored, but a promise is awaited. */
  readonly result: void;
}

/** A stage whose handlers read `ctx.value` and return the next one. */
export interface Pipe<C, V> {
  /** The role. */
  readonly role: "pipe";
  /** The context of handlers. */
  readonly ctx: C & {
    /** The value so far. */
    readonly value: V;
  };
  /** The result of handlers. */
  readonly result: V | PromiseLike<V>;
}

/** A stage whose handlers vote on going on; any `false` vetoes. */
export interface Gate<C> {
  /** The role. */
  readonly role: "gate";
  /** The context of handlers. */
  readonly ctx: C & {
    /** True if an earlier gate has vetoed. */
    readonly skipping: boolean;
  };
  /** The result of handlers. */
  readonly result: boolean | PromiseLike<boolean>;
}

/** A stage that one hook at most may take over. */
export interface Replace<C, V> {
  /** The role. */
  readonly role: "replace";
  /** The context of handlers. */
  readonly ctx: C;
  /** The result of handlers. */
  readonly result: V | PromiseLike<V>;
}

/** Any of the four roles. */
export interface AnyRole {
  /** The role's name. */
  readonly role: Role;
  /** The context of handlers. */
  readonly ctx: unknown;
  /** The result of handlers. */
  readonly result: unknown;
}

/** The role of a stage's handlers. */
export type Role = "observe" | "pipe" | "gate" | "replace";

/** Options of the stages of a kind, besides their roles. */
export interface KindOptions<N extends string> {
  /**
   * The counter by which a stage's hooks are due, where that is not the step.
   *
   * @default every stage counts `"step"`
   */
  readonly counters?: { readonly [n in N]?: string };
  /**
   * Stages that happen rather than recur: their hooks fire each time, whatever their frequency.
   *
   * @default the stages whose name starts with `ON_`
   */
  readonly events?: readonly N[];
  /**
   * The context fields of each stage besides those of every engine; those at `"*"` are at all stages. Hooks then find
   * exactly these at run time, too.
   *
   * @default every stage has all fields that the engine has set so far
   */
  readonly contexts?: { readonly [n in N | "*"]?: readonly string[] };
  /**
   * Further names of lifecycle methods, `{ onTrainingEnd: "TRAIN_END" }`.
   *
   * @default undefined; `Start` for `Begin` is always understood
   */
  readonly aliases?: { readonly [method: `on${string}`]: N };
}

/** The members of a kind besides one property per stage. */
export interface KindInfo<
  K extends string,
  M,
  F,
  A = Record<never, never>,
  O extends string = never,
> {
  /** The name before the slash. */
  readonly kind: K;
  /** The role of each stage, by name. */
  readonly roles: { readonly [N in keyof M]: M[N] extends AnyRole ? M[N]["role"] : never };
  /** Counters, events and aliases. */
  readonly options: KindOptions<string>;
  /** Types only: never set at run time. */
  readonly types?: {
    /** Stage name → role and context. */
    readonly stages: M;
    /** Readable field → its type. */
    readonly fields: F;
    /** Further name of a lifecycle method → stage name. */
    readonly aliases: A;
    /** Context fields that the kind's own engine fills, and other loops may leave out. */
    readonly optional: O;
  };
}

/**
 * A kind: the value and, in its type, the context of each stage, the fields that can be read, aliases, and the context
 * fields `O` that a custom loop may leave out.
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

/** Any kind. */
export type AnyStages = KindInfo<string, unknown, unknown, unknown, string>;

/** Stage name → role and context, of a kind. */
export type MapOf<T extends AnyStages> = NonNullable<T["types"]>["stages"];

/** Readable field → its type, of a kind. */
export type FieldsOf<T extends AnyStages> = NonNullable<T["types"]>["fields"];

/** Further name of a lifecycle method → stage name, of a kind. */
export type AliasesOf<T extends AnyStages> = NonNullable<T["types"]>["aliases"];

/** Context fields of a kind that a custom loop may leave out. */
export type OptionalOf<T extends AnyStages> = NonNullable<T["types"]>["optional"];

/** The names of lifecycle methods that an options object adds, with their stages. */
export interface AliasOption<A> {
  /** Further names of lifecycle methods. */
  readonly aliases?: A;
}

/** The union of a kind's stage literals. */
export type StageOf<T extends AnyStages> = T extends AnyStages
  ? `${T["kind"]}/${keyof MapOf<T> & string}`
  : never;

/** Stage literal → its name within kind `K`. */
export type NameIn<K extends string, S> = S extends `${K}/${infer N}` ? N : never;

/** The role and context of one stage. */
export type At<T extends AnyStages, N> = T extends AnyStages
  ? N extends keyof MapOf<T> ? MapOf<T>[N] extends AnyRole ? MapOf<T>[N] : never : never
  : never;

/** The names of a kind's observe stages: those that `"*"` and `otherwise` cover. */
export type Observed<T extends AnyStages> = {
  [N in keyof MapOf<T> & string]: At<T, N>["role"] extends "observe" ? N : never;
}[keyof MapOf<T> & string];

/** The observe stages as literals, which may be of several kinds. */
export type ObservedStage<E extends AnyStages> = E extends AnyStages ? `${E["kind"]}/${Observed<E>}`
  : never;

/** A map of observe stages with one context, `Extra` by stage. */
export type Uniform<C, N extends string, Extra> = {
  readonly [n in N]: Observe<C & (n extends keyof Extra ? Extra[n] : unknown)>;
};

/**
 * Makes a kind of observe stages with one context; `Extra` adds fields by stage, `F` names readable fields.
 * For an *exported* kind, or one with other roles, use {@linkcode defineKind}.
 *
 * The returned function throws a `TypeError` for an argument of the wrong type, a `RangeError` for a name that is not
 * UPPER_CASE, is given twice, or is no stage of the kind.
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
 * Makes a kind whose type is written beside it: `const X: StageKind<"x", Map> = defineKind("x", { NAME: "pipe" })`.
 * The roles are checked against the map.
 *
 * Throws a `TypeError` for an unknown role and for an argument of the wrong type, a `RangeError` for a name that
 * is not UPPER_CASE or is no stage of the kind.
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

/** Returns whether the value is a kind. */
export function isKind(value: unknown): value is AnyStages {
  return looksLikeKind(value);
}

/** One stage of a kind, as the engine needs it. */
export interface StageInfo {
  /** The literal, `"kind/NAME"`. */
  readonly stage: string;
  /** The name of its kind. */
  readonly kind: string;
  /** The part after the slash. */
  readonly name: string;
  /** The role of its handlers. */
  readonly role: Role;
  /** The counter its hooks are due by. */
  readonly counter: string;
  /** True if it is an event, which happens rather than recurs. */
  readonly isEvent: boolean;
  /** The fields of its context besides those of every engine: those of all stages, and its own; `undefined` for all. */
  readonly fields:
    | { readonly common: readonly string[]; readonly own: readonly string[] }
    | undefined;
}

/** Returns the stages of some kinds, by literal, in the order of their definition. */
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
