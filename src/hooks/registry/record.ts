/**
 * Converts hooks of all forms (class, table, overload set, lifecycle methods, kernels) to one record.
 *
 * @module
 */

import { tableOf } from "../../dispatch/overload.ts";
import type { AnyStages, StageInfo } from "../protocol/stage.ts";
import type { ErrorPolicy } from "../protocol/outcome.ts";
import type { DeviceWorker } from "../run/device_work.ts";
import { bindMethods, lifecycleMethods, methodNames, methodsOf } from "../protocol/lifecycle.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import {
  assertProtocol,
  fieldName,
  type HookOptions,
  labelOf,
  optionProblems,
  type ProtocolHook,
  scheduleOf,
} from "../protocol/protocol.ts";
import { readSchedule, type ScheduleOptions } from "../protocol/schedule.ts";
import { type Bound, lift, MethodTarget, type Target } from "../protocol/target.ts";
import { bindSet } from "../protocol/overload.ts";
import { after } from "../../base/sequence.ts";
import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import {
  assertTableHook,
  type FinishedHook,
  isTableHook,
  type MadeHook,
  makeHook,
} from "../protocol/table.ts";

/** A hook in the uniform form that the registry uses. */
export interface HookRecord {
  /** The hook object that the user passed. */
  readonly hook: HookOptions;
  /** The `name` of the hook object; `undefined` if it has none. */
  readonly name: string | undefined;
  /** Name of the hook in messages, and its registered name if no other is given. */
  readonly label: string;
  /** Schedule at all stages that are not in `stageTimes`. */
  readonly schedule: Required<ScheduleOptions>;
  /** Schedules of single stages, by stage name. They replace `schedule`. */
  readonly stageTimes: ReadonlyMap<string, Required<ScheduleOptions>>;
  /** Names of the fields that the hook reads. */
  readonly reads: readonly string[];
  /** Names of the fields that the hook writes. */
  readonly writes: readonly string[];
  /** Error policy that the hook declares; `undefined` if it declares no policy. */
  readonly onError: ErrorPolicy | undefined;
  /** The `when` of the hook combined with `enableAfterEpoch`; `undefined` if the hook has neither. */
  readonly when: ((ctx: unknown) => boolean) | undefined;
  /** True if the hook may have stages of several kinds, so that this engine may lack some of its fields. */
  readonly isMultiKind: boolean;
  /** Returns the handler of the hook for a stage; `undefined` if it has no handler for it. */
  bind(stage: StageInfo, ctx: object): Bound | undefined;
}

/** Settings for the conversion that come from the engine and from `hooks.add`, not from the hook. */
interface Placement {
  /** Runs the kernels of hooks with `kernels`; `undefined` if the engine does not run kernels. */
  readonly worker?: DeviceWorker | undefined;
  /** The stage given at registration; it replaces the stage that the hook declares. */
  readonly stage?: string | undefined;
}

/**
 * Returns whether the value is a valid hook class, table or overload set, for engines with the right kinds. Never
 * throws.
 *
 * @example
 * ```ts
 * import { isHook } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const hook = { stage: "walk/AFTER_STEP", frequency: 1, call() {} };
 * assertEquals([isHook(hook), isHook({ frequency: 1 }), isHook(undefined)], [true, false, false]);
 * ```
 */
export function isHook(value: unknown): value is ProtocolHook | FinishedHook<string> {
  try {
    if (isTableHook(value)) assertTableHook(value);
    else assertProtocol(value as object);
    return true;
  } catch {
    return false; // the value is invalid, or one of its getters threw
  }
}

/** Converts a hook of any form to a record. Throws a TypeError or RangeError that names the wrong members. */
export function readHook(
  hook: unknown,
  kinds: readonly AnyStages[],
  { worker, stage }: Placement = {},
): HookRecord {
  if (typeof hook === "object" && hook !== null) checkSilent(hook, kinds);
  if (stage !== undefined) checkPlaceable(hook);
  if (isTableHook(hook)) return fromTable(makeHook(hook, kinds) as unknown as MadeHook, hook);
  if (isLifecycle(hook)) return fromLifecycle(hook, kinds);
  if (isSettingsOnly(hook)) return fromLifecycle(hook, kinds);
  assertProtocol(hook as object, stage);
  return fromProtocol(hook as ProtocolHook, kinds, { worker, stage });
}

/**
 * Throws a TypeError if the hook cannot be given a stage at registration. Only hooks with `call` or `kernels` that
 * declare at most one stage can.
 */
function checkPlaceable(hook: unknown): void {
  const members = isObject(hook) ? hook : {};
  const own = isTableHook(hook)
    ? "on"
    : ["runsOnStage", "stages"].find((name) => members[name] !== undefined) ??
      (members.call === undefined ? lifecycleMethods(members)[0] : undefined);
  if (own === undefined) return;
  throw new TypeError(
    `Cannot register hook ${labelOf(hook)}: the option "stage" must be left out, because ` +
      `the hook chooses its stages by ${own}`,
  );
}

/**
 * Throws a TypeError for methods that look like handlers but would never be called, such as `on_train_end`, or
 * `onTrainEnd` beside `call`.
 */
function checkSilent(hook: object, kinds: readonly AnyStages[]): void {
  const label = labelOf(hook), { call } = hook as { readonly call?: unknown };
  const snake = methodsOf(hook, /^on_[a-z]/)[0];
  if (snake !== undefined) {
    const camel = snake.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const known = kinds.flatMap(methodNames);
    const hint = known.includes(camel) ? `; did you mean ${camel}?` : didYouMean(camel, known);
    throw new TypeError(`Cannot register hook ${label}: no stage has a method ${snake}${hint}`);
  }
  const form = isTableHook(hook) ? "on" : typeof call === "function" ? "call" : undefined;
  if (form === undefined) return;
  const [method] = form === "on" && typeof call === "function" ? ["call"] : handlersOf(hook);
  if (method === undefined) return;
  throw new TypeError(
    `Cannot register hook ${label}: it has both ${form} and ${method}, and ${method} would never be called. Leave out one`,
  );
}

/** Returns the names of the methods called `on…`, except `onError` and `onRegister`. */
function handlersOf(hook: object): string[] {
  return methodsOf(hook, /^on[A-Z]/).filter((name) => name !== "onError" && name !== "onRegister");
}

function isLifecycle(hook: unknown): hook is HookOptions {
  return typeof hook === "object" && hook !== null && !("call" in hook) && !isDeviceHook(hook) &&
    lifecycleMethods(hook).length > 0;
}

/** Returns whether the hook has only `settings` for the engine, and no stage or handler. */
function isSettingsOnly(hook: unknown): hook is HookOptions {
  return typeof hook === "object" && hook !== null && !("call" in hook) &&
    (hook as HookOptions).settings !== undefined && !("stage" in hook) && !("stages" in hook);
}

function fromTable(made: MadeHook, hook: HookOptions): HookRecord {
  const set = tableOf(made.on);
  return {
    ...common(hook, made.name),
    isMultiKind: set !== undefined || made.otherwise !== undefined ||
      Object.keys(made.on).length > 1,
    bind: (info, ctx) =>
      (set === undefined ? bindTable(made, info) : bindSet(set, info, ctx)) ??
        bindOtherwise(made, info),
  };
}

function bindTable(made: MadeHook, { kind, name, role }: StageInfo): Bound | undefined {
  const table = made.on[kind];
  const key = table?.[name] !== undefined ? name : "*";
  const handler = table?.[key];
  if (handler === undefined || (key === "*" && role !== "observe")) return undefined;
  return { target: lift(handler), matched: `${kind}.${key}` };
}

function bindOtherwise(made: MadeHook, { kind, role }: StageInfo): Bound | undefined {
  const isOther = tableOf(made.on) !== undefined || made.on[kind] === undefined;
  if (!isOther || role !== "observe" || made.otherwise === undefined) return undefined;
  return { target: lift(made.otherwise), matched: "otherwise" };
}

function fromLifecycle(hook: HookOptions, kinds: readonly AnyStages[]): HookRecord {
  const label = labelOf(hook);
  const found = optionProblems(hook as unknown as Readonly<Record<string, unknown>>);
  if (found.length > 0) throw new TypeError(`Cannot register hook ${label}: ${found.join("; ")}`);
  const methodsAt = bindMethods(hook, label, kinds);
  return {
    ...common(hook, label),
    bind: (info) => {
      const methods = methodsAt(info);
      if (methods.length === 0) return undefined;
      const targets = methods.map((method) => new MethodTarget(hook, method));
      const target = targets.length === 1
        ? targets[0]!
        : lift((ctx: unknown) => callAll(targets, ctx));
      return { target, matched: methods.join(", ") };
    },
  };
}

/**
 * Calls several methods that handle the same observe stage, one after the other. Waits for each if it returns a
 * promise.
 */
function callAll(targets: readonly MethodTarget[], ctx: unknown): unknown {
  let answer: unknown;
  for (const target of targets) answer = after(answer, () => target.call(ctx));
  return answer;
}

function fromProtocol(
  hook: ProtocolHook,
  kinds: readonly AnyStages[],
  { worker, stage }: Placement,
): HookRecord {
  const label = labelOf(hook), { runsOnStage } = hook;
  const stages = stage !== undefined ? [stage] : hook.stages ?? [hook.stage!];
  const bound = isDeviceHook(hook)
    ? { target: lift(workOf(hook, label, worker)), matched: "kernels" }
    : { target: hook as Target, matched: "call" };
  if (runsOnStage === undefined) checkStages(label, stages, kinds);
  return {
    ...common(hook, label),
    isMultiKind: runsOnStage !== undefined ||
      new Set(stages.map((stage) => stage.split("/")[0])).size > 1,
    bind: (info) =>
      (runsOnStage === undefined ? stages.includes(info.stage) : runsOn(hook, label, info))
        ? bound
        : undefined,
  };
}

/**
 * Returns a handler that makes the engine run the kernels of the hook. Throws a TypeError if the engine does not run
 * kernels.
 */
function workOf(hook: object, label: string, worker: DeviceWorker | undefined): unknown {
  if (worker !== undefined) return (_ctx: unknown, stage: string) => worker.work(hook, stage);
  throw new TypeError(
    `Cannot register hook ${label}: it has kernels, and this engine does not run kernels`,
  );
}

function runsOn(hook: ProtocolHook, label: string, { stage, role }: StageInfo): boolean {
  if (role !== "observe") return false; // a hook that accepts all stages must not pipe, vote or replace
  const answer: unknown = hook.runsOnStage!(stage as never);
  if (typeof answer === "boolean") return answer;
  throw new TypeError(
    `Cannot register hook ${label}: runsOnStage(${stage}) must return true or false; got ${
      show(answer)
    }`,
  );
}

function checkStages(label: string, given: readonly string[], kinds: readonly AnyStages[]): void {
  for (const stage of given) {
    const kind = kinds.find(({ kind }) => stage.startsWith(`${kind}/`));
    if (kind === undefined || Object.hasOwn(kind.roles, stage.slice(kind.kind.length + 1))) {
      continue;
    }
    const known = Object.keys(kind.roles).map((name) => `${kind.kind}/${name}`);
    throw new TypeError(
      `Cannot register hook ${label}: unknown stage ${JSON.stringify(stage)} of ${kind.kind}` +
        didYouMean(stage, known),
    );
  }
}

function common(hook: HookOptions, label: string): Omit<HookRecord, "bind"> {
  const own: unknown = (hook as { name?: unknown }).name;
  const when = conditionOf(hook);
  return {
    hook,
    name: typeof own === "string" ? own : undefined,
    label,
    schedule: readSchedule(label, scheduleOf(hook)),
    stageTimes: new Map(
      Object.entries(hook.stageTimes ?? {}).map(([stage, times]) => [
        stage,
        readSchedule(`${label} at ${stage}`, times),
      ]),
    ),
    reads: (hook.reads ?? []).map((key) => fieldName(key)!),
    writes: (hook.writes ?? []).map((key) => fieldName(key)!),
    onError: hook.onError,
    when,
    isMultiKind: false,
  };
}

/**
 * Returns the condition of a hook: that enough epochs are done, and that its `when` returns `true`; `undefined` if it
 * is always met.
 */
function conditionOf(hook: HookOptions): HookRecord["when"] {
  const { when } = hook as { readonly when?: (ctx: unknown) => boolean };
  const { enableAfterEpoch: first = 0 } = hook;
  if (first === 0) return when;
  return (ctx) => {
    const { epoch } = ctx as { readonly epoch?: number };
    return (epoch ?? 0) >= first && (when === undefined || when.call(hook, ctx));
  };
}

/** Returns whether a hook with kernels also has `compute`, which runs on the host. */
export function isHostWork(hook: object): boolean {
  return typeof (hook as { readonly compute?: unknown }).compute === "function";
}

/** Returns whether the kernels of the hook run after all other hooks of a stage. */
export function isLastWork(hook: object): boolean {
  return isDeviceHook(hook) && (hook as { readonly isLast?: unknown }).isLast === true;
}

/** Returns whether the hook provides kernels instead of a handler. */
export function isDeviceHook(hook: object): boolean {
  return typeof (hook as { readonly kernels?: unknown }).kernels === "function";
}
