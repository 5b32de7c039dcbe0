/**
 * Hooks written as methods named after stages: `{ onTrainBegin(ctx) {}, onEpochEnd(ctx) {} }`.
 *
 * @module
 */

import type { AnyStages, At, MapOf, StageInfo } from "./stage.ts";
import type { ContextAt } from "./context.ts";
import { didYouMean } from "./nearest.ts";

/** SNAKE_CASE → PascalCase. */
export type Pascal<N extends string> = N extends `${infer A}_${infer B}`
  ? `${Capitalize<Lowercase<A>>}${Pascal<B>}`
  : Capitalize<Lowercase<N>>;

/** `ON_CONVERGE` → `onConverge`, `TRAIN_BEGIN` → `onTrainBegin` or `onTrainStart`. */
export type Method<N extends string> = N extends `ON_${infer T}` ? `on${Pascal<T>}`
  : N extends `${infer T}_BEGIN` ? `on${Pascal<T>}Begin` | `on${Pascal<T>}Start`
  : `on${Pascal<N>}`;

/** An object with methods named after the stages of a kind, each with one argument. */
export type Lifecycle<E extends AnyStages> = E extends AnyStages ? {
    readonly [N in keyof MapOf<E> & string as Method<N>]?: (
      ctx: ContextAt<E, N>,
    ) => At<E, N>["result"];
  }
  : never;

/** The names of those methods, of all kinds of an engine. */
export type LifecycleName<E extends AnyStages> = E extends AnyStages
  ? Method<keyof MapOf<E> & string>
  : never;

/** The lifecycle methods of an object: its own and inherited functions called `on…`. */
export function lifecycleMethods(hook: object): string[] {
  const names = new Set<string>();
  for (
    let o: object | null = hook;
    o !== null && o !== Object.prototype;
    o = Object.getPrototypeOf(o)
  ) {
    for (const key of Object.getOwnPropertyNames(o)) {
      if (/^on[A-Z]/.test(key) && key !== "onError") names.add(key);
    }
  }
  return [...names].filter((name) =>
    typeof (hook as Readonly<Record<string, unknown>>)[name] === "function"
  );
}

/** The stage names that a method stands for, by method name, for one kind. */
function methodTable({ roles, options }: AnyStages): Map<string, string> {
  const table = new Map<string, string>();
  for (const stage of Object.keys(roles)) {
    const words = stage.replace(/^ON_/, "").split("_").map((word) =>
      word[0]! + word.slice(1).toLowerCase()
    );
    const method = `on${words.join("")}`;
    table.set(method, stage);
    if (method.endsWith("Begin")) table.set(method.replace(/Begin$/, "Start"), stage);
  }
  for (const [alias, stage] of Object.entries(options.aliases ?? {})) table.set(alias, stage);
  return table;
}

/** For each stage of the kinds, the method of the object that handles it. Throws for a method that is none. */
export function bindMethods(
  hook: object,
  label: string,
  kinds: readonly AnyStages[],
): (info: StageInfo) => string | undefined {
  const tables = new Map(kinds.map((kind) => [kind.kind, methodTable(kind)]));
  const methods = lifecycleMethods(hook);
  const known = [...tables.values()].flatMap((table) => [...table.keys()]);
  for (const method of methods) {
    if (known.includes(method)) continue;
    throw new TypeError(
      `Cannot register hook ${label} as no stage has a method ${method}: the engine has ${
        [...tables.keys()].join(", ")
      } stages` +
        didYouMean(method, known),
    );
  }
  return ({ kind, name }) => methods.find((method) => tables.get(kind)?.get(method) === name);
}
