/**
 * Hooks written as a table: kind → stage → handler.
 *
 * @module
 */

import type { AnyStages, At, MapOf, Observed } from "./stage.ts";
import type { ArgsOf, BaseContext, ContextAt } from "./context.ts";
import type { OverloadOf } from "./overload.ts";
import { tableOf } from "../dispatch/overload.ts";
import { isKind } from "./stage.ts";
import { didYouMean } from "./nearest.ts";
import { type HookOptions, optionProblems, scheduleOf } from "./protocol.ts";
import { readSchedule } from "./schedule.ts";

/** The handlers of one kind. `"*"` takes the observe stages without a handler of their own. */
export type Table<T extends AnyStages, R extends readonly unknown[], W extends readonly unknown[]> =
  & {
    readonly [N in keyof MapOf<T> & string]?: (
      ctx: ContextAt<T, N, R, W>,
      stage: `${T["kind"]}/${N}`,
    ) => At<T, N>["result"];
  }
  & {
    /** Every observe stage without a handler of its own. Write both parameters: `(ctx, stage) => …`. */
    readonly "*"?: (...args: ArgsOf<T, Observed<T>, R, W>) => void;
  };

/** The handler of every kind that has no table. */
export type Otherwise = (ctx: BaseContext, stage: string) => void;

/** A kind by its name, among known kinds. */
export type ByName<B extends AnyStages, K> = Extract<B, { readonly kind: K }>;

/** What `hook()` takes. */
export interface HookSpec<
  B extends AnyStages,
  K extends string,
  X extends readonly AnyStages[],
  R extends readonly unknown[],
  W extends readonly unknown[],
  O,
> extends HookOptions {
  /** Its name, unique within an engine. */
  readonly name: string;
  /** Kinds that are not known by name. */
  readonly kinds?: X;
  /** Fields to look at. */
  readonly reads?: R;
  /** Fields to change. */
  readonly writes?: W;
  /** Kind → stage → handler, or an overload set. */
  readonly on: { readonly [k in K]: Table<ByName<B | X[number], k>, R, W> } | OverloadOf<K>;
  /** The handler for the observe stages of any other kind. */
  readonly otherwise?: O;
  /** Asked at due counts; the hook is skipped when it answers `false`. */
  readonly when?: (ctx: BaseContext) => boolean;
}

/** A finished hook; `K` names the kinds it handles (`string`: any, through `otherwise`). */
export interface Hook<in K extends string> {
  /** Its name. */
  readonly name: string;
  /** Kind → stage → handler, or an overload set. */
  readonly on: object;
  /** Types only: never set at run time. */
  readonly handles?: (kind: K) => void;
}

/** The type of a finished hook: with an `otherwise`, or with an empty table, it fits every engine. */
export type HookResult<K extends string, O> = [K] extends [never] ? Hook<string>
  : undefined extends O ? Hook<K>
  : Hook<string>;

/** A hook as it was specified, with types that do not matter at run time left out. */
export interface MadeHook extends HookOptions {
  readonly name: string;
  readonly kinds: readonly AnyStages[];
  readonly on: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly otherwise?: unknown;
  readonly when?: (ctx: BaseContext) => boolean;
}

/** Is the value written as a table or an overload set, whether `hook()` has checked it or not? */
export function isTableHook(value: unknown): value is MadeHook {
  const on: unknown = typeof value === "object" && value !== null
    ? (value as { on?: unknown }).on
    : undefined;
  return (typeof on === "object" && on !== null) || tableOf(on) !== undefined;
}

/** Checks a specification and makes it a hook; `src/hook.ts` binds it to the built-in kinds. */
export function makeHook<K extends string>(spec: object, known: readonly AnyStages[]): Hook<K> {
  const given = spec as Readonly<Record<string, unknown>>;
  const name = given.name;
  if (typeof name !== "string" || name === "") {
    throw new TypeError(
      `Cannot make a hook as its name must be a text: current value is ${String(name)}`,
    );
  }
  const found = [...optionProblems(given), ...kindProblems(given.kinds)];
  if (found.length > 0) throw new TypeError(`Cannot make hook ${name} as ${found.join("; ")}`);
  readSchedule(name, scheduleOf(spec));
  const kinds = [...known, ...(given.kinds as readonly AnyStages[] | undefined) ?? []];
  checkHandlers(name, given.on, kinds);
  if (given.otherwise !== undefined) checkHandler(name, "otherwise", given.otherwise);
  return Object.freeze({ ...spec, kinds }) as unknown as Hook<K>;
}

function kindProblems(kinds: unknown): string[] {
  if (kinds === undefined || (Array.isArray(kinds) && kinds.every(isKind))) return [];
  return [`kinds must be an array of kinds: current value is ${String(kinds)}`];
}

function checkHandlers(name: string, on: unknown, kinds: readonly AnyStages[]): void {
  if (tableOf(on) !== undefined) return;
  if (typeof on !== "object" || on === null) {
    throw new TypeError(
      `Cannot make hook ${name} as on must be a table or an overload set: current value is ${
        String(on)
      }`,
    );
  }
  for (const [kindName, table] of Object.entries(on)) {
    const kind = kinds.find(({ kind }) => kind === kindName);
    if (kind === undefined) {
      const names = kinds.map(({ kind }) => kind);
      throw new TypeError(
        `Cannot make hook ${name} as it handles kind ${kindName}: the kinds known here are ${
          names.join(", ")
        }` +
          `${didYouMean(kindName, names) || "; pass others as `kinds: [...]`"}`,
      );
    }
    checkTable(name, kind, table);
  }
}

function checkTable(name: string, { kind, roles }: AnyStages, table: unknown): void {
  if (typeof table !== "object" || table === null) {
    throw new TypeError(
      `Cannot make hook ${name} as on.${kind} must be a table of handlers: current value is ${
        String(table)
      }`,
    );
  }
  for (const [stage, handler] of Object.entries(table)) {
    if (stage !== "*" && !(stage in roles)) {
      throw new TypeError(
        `Cannot make hook ${name} as ${kind} has no stage ${stage}: its stages are ${
          Object.keys(roles).join(", ")
        }` +
          didYouMean(stage, Object.keys(roles)),
      );
    }
    checkHandler(name, `on.${kind}.${stage}`, handler);
  }
}

function checkHandler(name: string, where: string, handler: unknown): void {
  if (typeof handler === "function") return;
  throw new TypeError(
    `Cannot make hook ${name} as ${where} must be a function: current value is ${String(handler)}`,
  );
}
