/**
 * Hooks written as methods named after stages: `{ onTrainBegin(ctx) {}, onEpochEnd(ctx) {} }`.
 *
 * @module
 */

import {
  type AliasesOf,
  type AnyStages,
  type At,
  type MapOf,
  type StageInfo,
  stageInfos,
} from "./stage.ts";
import type { ContextAt } from "./context.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import type { Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** Converts a SNAKE_CASE name to PascalCase. */
export type Pascal<N extends string> = N extends `${infer A}_${infer B}`
  ? `${Capitalize<Lowercase<A>>}${Pascal<B>}`
  : Capitalize<Lowercase<N>>;

/**
 * The names of the lifecycle methods for the stage `N`: `onConverge` for `ON_CONVERGE`; `onTrainBegin` or
 * `onTrainStart` for `TRAIN_BEGIN`.
 */
export type Method<N extends string> = N extends `ON_${infer T}` ? `on${Pascal<T>}`
  : N extends `${infer T}_BEGIN` ? `on${Pascal<T>}Begin` | `on${Pascal<T>}Start`
  : `on${Pascal<N>}`;

/**
 * A hook object with methods named after the stages of the kinds `E`. Each method takes one argument, the context,
 * with the declared reads `R` and writes `W`.
 */
export type Lifecycle<
  E extends AnyStages,
  R extends readonly unknown[] = [],
  W extends readonly unknown[] = [],
> = E extends AnyStages ?
    & {
      readonly [N in keyof MapOf<E> & string as Method<N>]?: (
        ctx: ContextAt<E, N, R, W>,
      ) => At<E, N>["result"];
    }
    & {
      readonly [a in keyof AliasesOf<E> & string]?: (
        ctx: ContextAt<E, AliasesOf<E>[a], R, W>,
      ) => At<E, AliasesOf<E>[a]>["result"];
    }
  : never;

/** The names of all lifecycle methods that the kinds `E` have. */
export type LifecycleName<E extends AnyStages> = E extends AnyStages
  ? Method<keyof MapOf<E> & string> | (keyof AliasesOf<E> & string)
  : never;

/**
 * Returns the names of the own and inherited members called `on…`, except `onError` and `onRegister`. Returns an
 * empty list if none of them is a function and the object declares its stages by `stage`, `stages` or `runsOnStage`.
 */
export function lifecycleMethods(hook: object): string[] {
  const members = hook as Members;
  const names = namesOf(hook).filter((name) => members[name] !== undefined);
  const isOther = STAGE_MEMBERS.some((key) => members[key] !== undefined);
  return isOther && !names.some((name) => typeof members[name] === "function") ? [] : names;
}

const STAGE_MEMBERS = ["stage", "stages", "runsOnStage"] as const;

/** Returns the names of the own and inherited methods of an object that match a pattern. */
export function methodsOf(hook: object, pattern: RegExp): string[] {
  const members = hook as Members;
  return [...membersOf(hook)].filter((name) =>
    pattern.test(name) && typeof members[name] === "function"
  );
}

/** Returns the names of all lifecycle methods that a kind has. */
export function methodNames(kind: AnyStages): string[] {
  return [...methodTable(kind).keys()];
}

function namesOf(hook: object): string[] {
  const isOption = (name: string) => name === "onError" || name === "onRegister";
  return [...membersOf(hook)].filter((name) => /^on[A-Z]/.test(name) && !isOption(name));
}

function membersOf(hook: object): Set<string> {
  const names = new Set<string>();
  for (
    let o: object | null = hook;
    o !== null && o !== Object.prototype;
    o = Object.getPrototypeOf(o)
  ) {
    for (const key of Object.getOwnPropertyNames(o)) names.add(key);
  }
  return names;
}

/** Returns a map from the method names of a kind to its stage names. */
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

/**
 * Returns, for each stage of the kinds, the methods of the object that handle it, in the order of the object's
 * members. An observe stage may have two, such as `onTrainEnd` and `onTrainingEnd`. Throws a TypeError if a method is
 * not a function or belongs to no stage, or if a stage of another role has two methods.
 */
export function bindMethods(
  hook: object,
  label: string,
  kinds: readonly AnyStages[],
): (info: StageInfo) => readonly string[] {
  const tables = new Map(kinds.map((kind) => [kind.kind, methodTable(kind)]));
  const roles = new Map([...stageInfos(kinds).values()].map(({ stage, role }) => [stage, role]));
  const methods = lifecycleMethods(hook);
  checkMethods(hook as Members, label, methods, tables);
  const bound = new Map<string, string[]>();
  for (const [kind, table] of tables) {
    for (const method of methods) {
      const name = table.get(method);
      if (name === undefined) continue;
      const stage = `${kind}/${name}`, others = bound.get(stage) ?? [];
      if (others.length > 0 && roles.get(stage) !== "observe") {
        throw new TypeError(
          `Cannot register hook ${label}: only one method can handle ${stage}; ` +
            `got ${others[0]} and ${method}`,
        );
      }
      bound.set(stage, [...others, method]);
    }
  }
  return ({ stage }) => bound.get(stage) ?? [];
}

function checkMethods(
  hook: Members,
  label: string,
  methods: readonly string[],
  tables: ReadonlyMap<string, ReadonlyMap<string, string>>,
): void {
  const known = [...tables.values()].flatMap((table) => [...table.keys()]);
  for (const method of methods) {
    const near = known.includes(method) ? "" : didYouMean(method, known);
    if (typeof hook[method] !== "function") {
      throw new TypeError(
        complaint(`register hook ${label}`, `${method} must be a function`, hook[method]) + near,
      );
    }
    if (known.includes(method)) continue;
    throw new TypeError(
      `Cannot register hook ${label}: no stage has a method ${method}. The engine has ${
        [...tables.keys()].join(", ")
      } stages${near}`,
    );
  }
}
