/**
 * The hook protocol: any object with these members is a hook; no base class.
 *
 * @module
 */

import type { ErrorPolicy, Outcome } from "./outcome.ts";
import { readSchedule, SCHEDULE_KEYS, type ScheduleOptions } from "./schedule.ts";
import { isObject } from "../../base/object.ts";
import { isClass, nameOf, show } from "../../base/show.ts";
import type { Workflow } from "./context.ts";
import { tableOf } from "../../dispatch/overload.ts";

/** Members that any hook may have besides its handlers. */
export interface HookOptions extends ScheduleOptions {
  /** Fields of the engine's state to read; `ctx.read` has exactly those. */
  readonly reads?: readonly unknown[];
  /** Fields to change. With them the hook is a modifier, which runs before the observers of its stage. */
  readonly writes?: readonly unknown[];
  /**
   * True if it is never deferred: the engine waits for its reads.
   *
   * @default false
   */
  readonly sync?: boolean;
  /**
   * Reaction to its errors.
   *
   * @default "warn" for observers that have worked before, "throw" for all others
   */
  readonly onError?: ErrorPolicy;
  /**
   * Number of epochs before it is first called; for kinds that count epochs.
   *
   * @default 0
   */
  readonly enableAfterEpoch?: number;
  /**
   * Times of some stages, by name, that are not those of all: `{ BATCH_END: { frequency: 10 } }`.
   *
   * @default undefined
   */
  readonly stageTimes?: Readonly<Record<string, ScheduleOptions>>;
  /**
   * Settings of the engine that the hook requires while it is enabled; the engine defines them.
   *
   * @default undefined
   */
  readonly settings?: object;
  /**
   * Called once when the hook is added: after it was checked, and before it is listed. If it throws, the hook is not
   * added.
   */
  onRegister?(engine: Workflow): void;
  /** Called as the run begins. */
  open?(engine: Workflow): void | PromiseLike<void>;
  /** Called as the run ends, with any outcome. */
  close?(outcome: Outcome, engine: Workflow): void | PromiseLike<void>;
  /** Returns its state for a checkpoint: plain data. */
  save?(): unknown;
  /** Restores the state that `save` returned. */
  load?(state: unknown): void;
  /**
   * Waits until everything that it was given so far is stored safely. Called after `save` and before the checkpoint is
   * written, so that a resumed run finds it.
   */
  flush?(): void | PromiseLike<void>;
}

/** The members of a hook written as a class or object: its stages, its schedule and its handler. */
export interface ProtocolHook extends HookOptions {
  /** Name; the class's name, numbered when repeated, by default. */
  readonly name?: string;
  /** One stage … */
  readonly stage?: string;
  /** … or several … */
  readonly stages?: readonly string[];
  /** … or a choice, asked once for each observe stage of an engine when the hook is added. */
  runsOnStage?(stage: never): boolean;
  /** Fires when counter % frequency === phase. */
  readonly frequency: number;
  /** Asked at due counts; the hook is skipped if it returns `false`. */
  when?(ctx: never): boolean;
  /** Handles a stage. */
  call(ctx: never, stage: never): unknown;
}

/** The error policies. */
export const ERROR_POLICIES: readonly ErrorPolicy[] = ["throw", "warn", "disable"];

/**
 * Throws a TypeError or RangeError that names every member which keeps a value from being a hook. A `stage` that was given
 * at registration replaces that of the hook.
 */
export function assertProtocol(value: object, stage?: string): asserts value is ProtocolHook {
  const found = problems(value, stage);
  if (found.length > 0) {
    throw new TypeError(`Cannot register hook ${labelOf(value)}: ${found.join("; ")}`);
  }
  readSchedule(labelOf(value), value as ScheduleOptions);
}

/** Returns the label of a hook without a name: the name of its class, or "hook". */
export function labelOf(hook: unknown): string {
  if (typeof hook === "function") return nameOf(hook) || show(hook);
  if (typeof hook !== "object" || hook === null) return show(hook);
  const name: unknown = (hook as { name?: unknown }).name;
  if (typeof name === "string" && name !== "") return name;
  const cls: unknown = hook.constructor?.name;
  return typeof cls === "string" && cls !== "" && cls !== "Object" ? cls : "hook";
}

/** Returns the reasons why a value is not a hook of this form. */
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

/** Returns a hint about what to pass instead of a function. */
function instead(value: unknown): string {
  if (tableOf(value) !== undefined) return "; an overload set is the on: of a hook";
  return isClass(value) ? `; pass an instance, new ${nameOf(value as object)}()` : "";
}

/** Problems with the members that every form of hook may have. */
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
    ...may("stageTimes", "an object of times by stage", isObject),
    ...may("settings", "an object", (x) => typeof x === "object" && x !== null),
    ...may("name", "a name", (x) => typeof x === "string" && x !== ""),
  ];
}

/** Problems of a hook that gives work for the device instead of a handler. */
function kernelProblems(hook: Readonly<Record<string, unknown>>): string[] {
  const must = mustBe(hook, "kernels", "a function", (x) => typeof x === "function");
  const [writes, call] = [hook.writes, hook.call] as readonly [unknown, unknown];
  return [
    ...must,
    ...(Array.isArray(writes) && writes.length > 0
      ? []
      : [`writes must name the fields that its kernels change; got ${show(writes)}`]),
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
      "an array of stages",
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

/** Returns the name of a field in `reads` or `writes`. */
export function fieldName(key: unknown): string | undefined {
  if (typeof key === "string") return key;
  const name: unknown = typeof key === "object" && key !== null
    ? (key as { field?: unknown }).field
    : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Returns the schedule members that an object has, of whatever form it is. */
export function scheduleOf(hook: object): ScheduleOptions {
  const source = hook as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    SCHEDULE_KEYS.filter((key) => source[key] !== undefined).map((key) => [key, source[key]]),
  );
}
