/**
 * Hooks written as a table of handlers, by kind and stage name.
 *
 * @module
 */

import type { AnyStages, At, MapOf, Observed } from "./stage.ts";
import type { ArgsOf, BaseContext, ContextAt } from "./context.ts";
import type { OverloadOf } from "./overload.ts";
import { tableOf } from "../../dispatch/overload.ts";
import { isKind } from "./stage.ts";
import { checkKindList } from "./kind.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { type HookOptions, optionProblems, scheduleOf } from "./protocol.ts";
import { readSchedule, SCHEDULE_KEYS, type ScheduleOptions } from "./schedule.ts";
import { checkLiteralKeys } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint, isClass, show } from "../../base/show.ts";

/** The handlers of one kind, by stage name. `"*"` handles all other observe stages of the kind. */
export type Table<T extends AnyStages, R extends readonly unknown[], W extends readonly unknown[]> =
  & {
    readonly [N in keyof MapOf<T> & string]?: (
      ctx: ContextAt<T, N, R, W>,
      stage: `${T["kind"]}/${N}`,
    ) => At<T, N>["result"];
  }
  & {
    /**
     * Handler of all observe stages that have no handler in the table. Write both parameters, `(ctx, stage) => …`, so
     * that comparing `stage` narrows `ctx`.
     */
    readonly "*"?: (...args: ArgsOf<T, Observed<T>, R, W>) => void;
  };

/** A handler for the observe stages of all kinds that have no table. */
export type Otherwise = (ctx: BaseContext, stage: string) => void;

/** The kind named `K` among the kinds `B`. */
export type ByName<B extends AnyStages, K> = Extract<B, { readonly kind: K }>;

/** Specification of a hook, the argument of `hook()`. */
export interface HookSpec<
  B extends AnyStages,
  K extends string,
  X extends readonly AnyStages[],
  R extends readonly unknown[],
  W extends readonly unknown[],
  O,
> extends HookOptions {
  /** Name of the hook, unique within an engine. */
  readonly name: string;
  /** Custom kinds that `on` refers to by name. */
  readonly kinds?: X;
  /** Fields of the engine's state to read. */
  readonly reads?: R;
  /** Fields of the engine's state to change. */
  readonly writes?: W;
  /** The handlers: a table of handlers by kind and stage name, or an overload set. */
  readonly on: { readonly [k in K]: Table<ByName<B | X[number], k>, R, W> } | OverloadOf<K>;
  /** Handler of the observe stages of all kinds that `on` does not list. */
  readonly otherwise?: O;
  /** Condition checked when the hook is due. The hook is skipped if it returns `false`. */
  readonly when?: (ctx: BaseContext) => boolean;
}

/**
 * A hook made by `hook()`. `K` names the kinds that it handles; `string` stands for any kind, if the hook has
 * `otherwise`.
 */
export interface FinishedHook<in K extends string> {
  /** Name of the hook, unique within an engine. */
  readonly name: string;
  /** The handlers: a table of handlers by kind and stage name, or an overload set. */
  readonly on: object;
  /** Carries `K` in the type: never set at run time. */
  readonly handles?: (kind: K) => void;
}

/** The type of the hook that `hook()` returns. A hook with `otherwise`, or with an empty table, fits every engine. */
export type HookResult<K extends string, O> = [K] extends [never] ? FinishedHook<string>
  : undefined extends O ? FinishedHook<K>
  : FinishedHook<string>;

/** A hook made by `hook()`, as the registry reads it: the specification without the types of its handlers. */
export interface MadeHook extends HookOptions {
  readonly name: string;
  readonly kinds: readonly AnyStages[];
  readonly on: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly otherwise?: unknown;
  readonly when?: (ctx: BaseContext) => boolean;
}

/** Returns whether the value is a hook written as a table or an overload set. The value need not come from `hook()`. */
export function isTableHook(value: unknown): value is MadeHook {
  const on: unknown = typeof value === "object" && value !== null
    ? (value as { on?: unknown }).on
    : undefined;
  return (typeof on === "object" && on !== null) || tableOf(on) !== undefined;
}

type AnySpec = HookSpec<
  AnyStages,
  string,
  readonly AnyStages[],
  readonly unknown[],
  readonly unknown[],
  unknown
>;

const MEMBERS: readonly string[] = [
  ...Object.keys(
    {
      name: true,
      kinds: true,
      on: true,
      otherwise: true,
      when: true,
      reads: true,
      writes: true,
      sync: true,
      settings: true,
      stageTimes: true,
      enableAfterEpoch: true,
      onError: true,
      onRegister: true,
      open: true,
      close: true,
      save: true,
      load: true,
      flush: true,
    } satisfies Readonly<Record<Exclude<keyof AnySpec, keyof ScheduleOptions>, true>>,
  ),
  ...SCHEDULE_KEYS,
];

/**
 * Checks a specification and returns it as a hook. `src/hook.ts` passes the built-in kinds. Throws a TypeError if a
 * member is unknown or has the wrong type, and a RangeError if a value is out of range.
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, makeHook, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const seen: string[] = [];
 * const on = { walk: { AFTER_STEP: () => void seen.push("step") } };
 * const loop = new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) });
 * loop.hooks.add(makeHook<"walk">({ name: "log", on }, [WalkStage]));
 * await loop.run(2);
 * assertEquals(seen, ["step", "step"]);
 * ```
 */
export function makeHook<K extends string>(
  spec: object,
  known: readonly AnyStages[],
): FinishedHook<K> {
  const given = checkSpec(spec);
  checkKindList(known, "make a hook");
  const kinds = [...known, ...given.kinds ?? []];
  for (const [kind, table] of tablesOf(given.on)) {
    checkStages(given.name, findKind(given.name, kind, kinds), table);
  }
  return Object.freeze({ ...spec, kinds }) as unknown as FinishedHook<K>;
}

/**
 * Checks a hook written as a table or an overload set, without an engine. Stages of kinds that the hook does not list
 * in `kinds` are not checked. Throws a TypeError or a RangeError that names the wrong member.
 */
export function assertTableHook(value: unknown): void {
  const { name, on, kinds = [] } = checkSpec(value);
  for (const [kindName, table] of tablesOf(on)) {
    const kind = kinds.find(({ kind }) => kind === kindName);
    if (kind !== undefined) checkStages(name, kind, table);
  }
}

/** A specification whose members have the right types. Its kinds and stages are not yet checked. */
type CheckedSpec = Pick<MadeHook, "name" | "on"> & Partial<Pick<MadeHook, "kinds">>;

function checkSpec(spec: unknown): CheckedSpec {
  if (!isObject(spec)) {
    throw new TypeError(complaint("make a hook", "its specification must be an object", spec));
  }
  const { name, on, otherwise } = spec;
  if (typeof name !== "string" || name === "") {
    checkLiteralKeys("make a hook", "its members", spec, MEMBERS); // `name` may be misspelled
    throw new TypeError(complaint("make a hook", "its name must be a non-empty string", name));
  }
  const action = `make hook ${name}`;
  checkLiteralKeys(action, "its members", spec, MEMBERS);
  const found = [...optionProblems(spec), ...kindProblems(spec.kinds)];
  if (found.length > 0) throw new TypeError(`Cannot ${action}: ${found.join("; ")}`);
  readSchedule(name, scheduleOf(spec));
  checkTables(action, on);
  if (otherwise !== undefined) checkHandler(action, "otherwise", otherwise);
  return spec as unknown as CheckedSpec;
}

function kindProblems(kinds: unknown): string[] {
  if (kinds === undefined || (Array.isArray(kinds) && kinds.every(isKind))) return [];
  return [`kinds must be an array of results of stages() or defineKind(); got ${show(kinds)}`];
}

function checkTables(action: string, on: unknown): void {
  if (tableOf(on) !== undefined) return;
  if (!isObject(on)) {
    throw new TypeError(
      complaint(action, "on must be an object, kind → handlers by stage, or an overload set", on),
    );
  }
  for (const [kind, table] of Object.entries(on)) {
    if (!isObject(table)) {
      throw new TypeError(
        complaint(action, `on.${kind} must be an object, stage → handler`, table),
      );
    }
    for (const [stage, handler] of Object.entries(table)) {
      checkHandler(action, `on.${kind}.${stage}`, handler);
    }
  }
}

function checkHandler(action: string, where: string, handler: unknown): void {
  if (typeof handler === "function" && !isClass(handler)) return;
  throw new TypeError(complaint(action, `${where} must be a function`, handler));
}

/** Returns the pairs of kind name and table of a hook; an empty list if `on` is an overload set. */
function tablesOf(on: MadeHook["on"]): [string, Members][] {
  return tableOf(on) === undefined ? Object.entries(on) : [];
}

function findKind(name: string, kindName: string, kinds: readonly AnyStages[]): AnyStages {
  const found = kinds.find(({ kind }) => kind === kindName);
  if (found !== undefined) return found;
  const names = kinds.map(({ kind }) => kind);
  throw new TypeError(
    `Cannot make hook ${name}: unknown kind ${kindName}. Known kinds are ${names.join(", ")}` +
      `${didYouMean(kindName, names) || ". Pass others as `kinds: [...]`"}`,
  );
}

function checkStages(name: string, { kind, roles }: AnyStages, table: Members): void {
  for (const stage of Object.keys(table)) {
    if (stage === "*" || Object.hasOwn(roles, stage)) continue;
    const names = Object.keys(roles);
    throw new TypeError(
      `Cannot make hook ${name}: ${kind} has no stage ${stage}. Its stages are ${names.join(", ")}${
        didYouMean(stage, names)
      }`,
    );
  }
}
