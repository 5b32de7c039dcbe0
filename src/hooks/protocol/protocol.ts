/**
 * The hook protocol. Any object with these members is a hook; there is no base class.
 *
 * @module
 */

import type { ErrorPolicy, Outcome } from "./outcome.ts";
import { readSchedule, SCHEDULE_KEYS, type ScheduleOptions } from "./schedule.ts";
import { isObject } from "../../base/object.ts";
import { isClass, nameOf, show } from "../../base/show.ts";
import type { Workflow } from "./context.ts";
import { tableOf } from "../../dispatch/overload.ts";

/** Members that any hook may have besides its handlers and its schedule. */
export interface HookOptions extends ScheduleOptions {
  /** Fields of the engine's state to read. `ctx.read` has exactly these fields. */
  readonly reads?: readonly unknown[];
  /**
   * Fields of the engine's state to change. They make the hook a modifier, which runs before the observers of its
   * stage.
   */
  readonly writes?: readonly unknown[];
  /**
   * True if the engine must wait until the fields have been read and the hook has run. Otherwise an observer whose
   * fields are on a device is called later.
   *
   * @default false
   */
  readonly sync?: boolean;
  /**
   * Reaction to an error that the hook throws.
   *
   * @default "warn" for observers that have worked before, "throw" for all others
   */
  readonly onError?: ErrorPolicy;
  /**
   * Number of epochs that must be done before the hook is first called. For kinds that count epochs.
   *
   * @default 0
   */
  readonly enableAfterEpoch?: number;
  /**
   * Schedules of single stages, which replace the schedule of the hook there. The keys are stage names: `{ BATCH_END:
   * { frequency: 10 } }`.
   *
   * @default undefined
   */
  readonly stageTimes?: Readonly<Record<string, ScheduleOptions>>;
  /**
   * Settings that the hook requires of its engine while it is enabled. Each engine defines the settings that it
   * accepts.
   *
   * @default undefined
   */
  readonly settings?: object;
  /**
   * Called once when the hook is added, after it was checked and before it is listed. If it throws, the hook is not
   * added.
   */
  onRegister?(engine: Workflow): void;
  /** Called when the run begins, before any stage calls the hook. */
  open?(engine: Workflow): void | PromiseLike<void>;
  /** Called when the run ends, whether it completed, stopped or failed. */
  close?(outcome: Outcome, engine: Workflow): void | PromiseLike<void>;
  /** Returns the state of the hook for a checkpoint, as plain data. */
  save?(): unknown;
  /** Restores a state that `save` returned. Called when the run resumes from a checkpoint. */
  load?(state: unknown): void;
  /**
   * Waits until all data that the hook has received is stored safely. Called after `save` and before the checkpoint
   * is written, so that a resumed run finds the data.
   */
  flush?(): void | PromiseLike<void>;
}

/**
 * A hook written as a class or an object: its stages, its schedule and its handler. It declares its stages by one of
 * `stage`, `stages` and `runsOnStage`.
 */
export interface ProtocolHook extends HookOptions {
  /** Name of the hook. By default the name of its class, with a number if it repeats. */
  readonly name?: string;
  /** The stage of a hook with one stage. */
  readonly stage?: string;
  /** The stages of a hook with several stages. */
  readonly stages?: readonly string[];
  /**
   * Returns whether the hook runs at a stage. Called once for each observe stage of the engine when the hook is
   * added.
   */
  runsOnStage?(stage: never): boolean;
  /** Number of counts from one call to the next. The hook is due if counter % frequency === phase. */
  readonly frequency: number;
  /** Condition checked when the hook is due. The hook is skipped if it returns `false`. */
  when?(ctx: never): boolean;
  /** Handles a stage. The role of the stage determines the expected result. */
  call(ctx: never, stage: never): unknown;
}

/** All error policies. */
export const ERROR_POLICIES: readonly ErrorPolicy[] = ["throw", "warn", "disable"];

/**
 * Checks a hook written as a class or object. Throws a TypeError that names every missing or wrong member, or a
 * RangeError for a wrong schedule. If `stage` was given at registration, the stages of the hook itself are not
 * checked.
 */
export function assertProtocol(value: object, stage?: string): asserts value is ProtocolHook {
  const found = problems(value, stage);
  if (found.length > 0) {
    throw new TypeError(`Cannot register hook ${labelOf(value)}: ${found.join("; ")}`);
  }
  readSchedule(labelOf(value), value as ScheduleOptions);
}

/** Returns the name by which messages call a hook: its `name`, the name of its class, or "hook". */
export function labelOf(hook: unknown): string {
  if (typeof hook === "function") return nameOf(hook) || show(hook);
  if (typeof hook !== "object" || hook === null) return show(hook);
  const name: unknown = (hook as { name?: unknown }).name;
  if (typeof name === "string" && name !== "") return name;
  const cls: unknown = hook.constructor?.name;
  return typeof cls === "string" && cls !== "" && cls !== "Object" ? cls : "hook";
}

/** Returns the reasons why a value is not a hook written as a class or object; an empty list if it is one. */
function problems(value: unknown, stage: string | undefined): string[] {
  if (typeof value !== "object" || value === null) {
    return [`a hook must be an object; got ${show(value)}${instead(value)}`];
  }
  const hook = value as Readonly<Record<string, unknown>>;
  return [
    ...stageProblems(stage === undefined ? hook : { stage }),
    ...mustBe(hook, "frequency", "a number", (x) => typeof x === "number"),
    ...(hook.kernels === undefined
      ? mustBe(hook, "call", "a function", (x) => typeof x === "function")
      : kernelProblems(hook)),
    ...optionProblems(hook),
  ];
}

/** Returns a hint for a value that is a function: the form of hook to pass instead. */
function instead(value: unknown): string {
  if (tableOf(value) !== undefined) return "; an overload set is the on: of a hook";
  return isClass(value) ? `; pass an instance, new ${nameOf(value as object)}()` : "";
}

/** Returns the problems with members that hooks of every form may have. */
export function optionProblems(hook: Readonly<Record<string, unknown>>): string[] {
  const may = (key: string, what: string, ok: (x: unknown) => boolean) =>
    hook[key] === undefined ? [] : mustBe(hook, key, what, ok);
  return [
    ...["onRegister", "open", "close", "save", "load", "flush", "when"].flatMap((key) =>
      may(key, "a function", (x) => typeof x === "function")
    ),
    ...["reads", "writes"].flatMap((key) => may(key, "an array of field names", isFieldList)),
    ...may("onError", ERROR_POLICIES.join(" | "), (x) => ERROR_POLICIES.includes(x as ErrorPolicy)),
    ...may("sync", "true or false", (x) => typeof x === "boolean"),
    ...may("enableAfterEpoch", "a non-negative integer", isWhole),
    ...may("stageTimes", "an object, stage → times", isObject),
    ...may("settings", "an object", (x) => typeof x === "object" && x !== null),
    ...may("name", "a non-empty string", (x) => typeof x === "string" && x !== ""),
  ];
}

/** Returns the problems with the members of a hook that has `kernels` instead of `call`. */
function kernelProblems(hook: Readonly<Record<string, unknown>>): string[] {
  const must = mustBe(hook, "kernels", "a function", (x) => typeof x === "function");
  const [writes, call] = [hook.writes, hook.call] as readonly [unknown, unknown];
  return [
    ...must,
    ...(Array.isArray(writes) && writes.length > 0 ? [] : [
      `writes must be a non-empty array of the fields that its kernels change; got ${show(writes)}`,
    ]),
    ...(call === undefined ? [] : ["it has both call and kernels; leave out one"]),
  ];
}

function stageProblems(hook: Readonly<Record<string, unknown>>): string[] {
  if (hook.runsOnStage !== undefined) {
    return mustBe(hook, "runsOnStage", "a function", (x) => typeof x === "function");
  }
  if (hook.stages !== undefined) {
    return mustBe(
      hook,
      "stages",
      'a non-empty array of stages such as "dynamics/AFTER_STEP"',
      (x) => Array.isArray(x) && x.length > 0 && x.every(isStage),
    );
  }
  return mustBe(hook, "stage", 'a stage such as "dynamics/AFTER_STEP"', isStage);
}

function mustBe(
  hook: Readonly<Record<string, unknown>>,
  key: string,
  what: string,
  ok: (x: unknown) => boolean,
): string[] {
  const value = hook[key];
  if (ok(value)) return [];
  return [`${key} must be ${what}; got ${show(value)}`];
}

function isStage(x: unknown): boolean {
  return typeof x === "string" && /^[^/]+\/[^/]+$/.test(x);
}

function isWhole(x: unknown): boolean {
  return Number.isSafeInteger(x) && (x as number) >= 0;
}

function isFieldList(x: unknown): boolean {
  return Array.isArray(x) && x.every((key) => fieldName(key) !== undefined);
}

/** Returns the name of an element of `reads` or `writes`; `undefined` if it is neither a string nor a custom field. */
export function fieldName(key: unknown): string | undefined {
  if (typeof key === "string") return key;
  const name: unknown = typeof key === "object" && key !== null
    ? (key as { field?: unknown }).field
    : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Returns the schedule options that a hook of any form has. Options that are undefined are left out. */
export function scheduleOf(hook: object): ScheduleOptions {
  const source = hook as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    SCHEDULE_KEYS.filter((key) => source[key] !== undefined).map((key) => [key, source[key]]),
  );
}
