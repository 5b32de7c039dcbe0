/**
 * The options of a loop, and checks of its engine and options.
 *
 * @module
 */

import { type BaseContext, Shared, type Workflow } from "../protocol/context.ts";
import type { OwnFields } from "../protocol/own_fields.ts";
import type { AnyStages, Role } from "../protocol/stage.ts";
import type { RunWarnings } from "./progress.ts";
import type { EngineHooks } from "../registry/engine_hooks.ts";
import type { EngineHooksOptions } from "../registry/engine_hooks_options.ts";
import type { HookInput, HookSet } from "../registry/hook_set.ts";
import { checkKinds } from "../protocol/kind.ts";
import { checkKeys } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";

/**
 * The option `context`, with the context fields that the kinds `E` declare. It is required if a kind has fields that
 * every stage offers.
 */
export type ContextOption<E extends AnyStages> = Record<never, never> extends OwnFields<E>
  ? { readonly context?: OwnFields<E> }
  : { readonly context: OwnFields<E> };

/** Options of a {@linkcode Loop}. */
export interface LoopOptions<E extends AnyStages>
  extends Pick<EngineHooksOptions<E>, "onWarning" | "verify"> {
  /**
   * Hooks to begin with. `loop.hooks.add` adds further ones and takes options for each.
   *
   * @default undefined
   */
  readonly hooks?: readonly HookInput<E>[];
  /**
   * Number of steps that `run` does if it is called without an argument.
   *
   * @default Infinity: until a hook asks to stop
   */
  readonly nSteps?: number;
  /**
   * Name of the loop in listings and logs.
   *
   * @default "loop"
   */
  readonly name?: string;
  /**
   * Stops the loop after the current step. A hook that is pending at the abort and does not settle within 0.8 s fails
   * with an error that names it. Hooks with `flush`, which store data, and calls that begin after the abort may take
   * 30 s.
   */
  readonly signal?: AbortSignal;
}

/** The type of `loop.hooks`: the methods for users, and those that the loop's engine needs. */
export type LoopHooks<E extends AnyStages> =
  & HookSet<E>
  & Pick<
    EngineHooks<E>,
    | "horizon"
    | "work"
    | "devices"
    | "enabled"
    | "partOf"
    | "reads"
    | "writes"
    | "replan"
    | "check"
    | "soFar"
    | "track"
    | "marks"
    | "drop"
    | "goBack"
    | "warn"
  >;

/** The members of an engine that its hook registry uses. */
type HookParts<E extends AnyStages> = Pick<
  EngineHooksOptions<E>,
  "state" | "worker" | "coming" | "isFatal"
>;

/**
 * Returns the members of an engine and the options of its loop that the hook registry uses. Methods stay bound to the
 * engine.
 */
export function hookParts<E extends AnyStages>(
  engine: HookParts<E>,
  { onWarning, signal, verify }: LoopOptions<E>,
  warnings: RunWarnings,
): HookParts<E> & Pick<EngineHooksOptions<E>, "onWarning" | "onHookError" | "signal" | "verify"> {
  const { state, worker } = engine;
  return {
    ...(state && { state }),
    ...(worker && { worker }),
    ...(engine.coming && { coming: (stage) => engine.coming!(stage) }),
    ...(engine.isFatal && { isFatal: (error) => engine.isFatal!(error) }),
    onHookError: () => warnings.countHookError(),
    ...(onWarning && { onWarning }),
    ...(signal && { signal }),
    ...(verify && { verify }),
  };
}

/** Throws a TypeError if a stage of the role `role` is fired by the method of another role, `reached`. */
export function assertRole(stage: string, role: Role, reached: Role): void {
  if (role === reached) return;
  throw new TypeError(
    `Cannot ${reached === "observe" ? "fire" : reached} ${stage}: it is a ${role} stage. Use loop.${
      role === "observe" ? "fire" : role
    }()`,
  );
}

/** Returns the context fields that every kind has. */
export function baseContext(
  workflow: Workflow,
  stop: BaseContext["stop"],
): BaseContext {
  return {
    stepCount: 0,
    globalRank: 0,
    shared: new Shared(),
    workflow,
    stop,
  };
}

const OPTIONS: readonly string[] = ["hooks", "nSteps", "name", "signal", "onWarning", "verify"];

const MEMBERS: readonly string[] = [
  "kinds",
  "step",
  "multiStep",
  "begin",
  "end",
  "settled",
  "recover",
  "isFatal",
  "coming",
  "workflow",
  "worker",
  "context",
  "state",
];

const ACTION = "make a loop";

/**
 * Throws a TypeError that names the member of an engine that is missing or has the wrong type. An object literal must
 * not have further members; an instance of a class may.
 */
export function checkEngine(engine: unknown): void {
  if (!isObject(engine)) {
    throw new TypeError(complaint(ACTION, "its engine must be an object", engine));
  }
  if (Object.getPrototypeOf(engine) === Object.prototype) checkLiteral(engine);
  must(engine, "step", "be a function", isFunction);
  checkKinds(Array.isArray(engine.kinds) ? engine.kinds : [engine.kinds], ACTION);
  may(engine, "multiStep", "be a function", isFunction);
  may(engine, "begin", "be a function", isFunction);
  may(engine, "end", "be a function", isFunction);
  may(engine, "settled", "be a function", isFunction);
  may(engine, "recover", "be a function", isFunction);
  may(engine, "isFatal", "be a function", isFunction);
  may(engine, "coming", "be a function", isFunction);
  may(engine, "workflow", "be an engine", isObject);
  may(engine, "worker", "be an object", isObject);
  may(engine, "context", "be an object", isObject);
  may(engine, "state", "have fields, plan and writable, as the result of hostState() has", isState);
}

/**
 * Throws a TypeError for a member of an object literal that is misspelled, or that belongs in the options of the
 * loop.
 */
function checkLiteral(engine: Members): void {
  const option = Object.keys(engine).find((key) => OPTIONS.includes(key));
  if (option !== undefined) {
    throw new TypeError(
      `Cannot ${ACTION}: ${option} is an option, not a member of the engine. Pass new Loop(engine, { ${option} })`,
    );
  }
  checkKeys(ACTION, "its engine", engine, MEMBERS);
}

/**
 * Throws a TypeError or RangeError that names the wrong option of a loop. The hooks in it are checked later, when
 * they are added.
 */
export function checkLoopOptions(options: unknown): void {
  if (!isObject(options)) {
    throw new TypeError(complaint(ACTION, "its options must be an object", options));
  }
  checkKeys(ACTION, "its options", options, OPTIONS);
  may(options, "hooks", "be an array of hooks", Array.isArray);
  may(options, "name", "be a non-empty string", (x) => typeof x === "string" && x !== "");
  may(options, "onWarning", "be a function", isFunction);
  may(options, "verify", "be true or false", (x) => typeof x === "boolean");
  may(options, "signal", "be an AbortSignal", isSignal);
  checkSteps(options.nSteps);
}

function must(options: Members, key: string, what: string, ok: (x: unknown) => boolean): void {
  if (ok(options[key])) return;
  throw new TypeError(complaint(ACTION, `${key} must ${what}`, options[key]));
}

function may(options: Members, key: string, what: string, ok: (x: unknown) => boolean): void {
  if (options[key] !== undefined) must(options, key, what, ok);
}

function checkSteps(nSteps: unknown): void {
  const requirement = "nSteps must be a non-negative integer, or Infinity";
  if (nSteps === undefined || nSteps === Infinity) return;
  if (typeof nSteps !== "number") throw new TypeError(complaint(ACTION, requirement, nSteps));
  if (Number.isInteger(nSteps) && nSteps >= 0) return;
  throw new RangeError(complaint(ACTION, requirement, nSteps));
}

function isFunction(x: unknown): boolean {
  return typeof x === "function";
}

function isSignal(x: unknown): boolean {
  return isObject(x) && isFunction(x.addEventListener) && isFunction(x.removeEventListener);
}

function isState(x: unknown): boolean {
  return isObject(x) && Array.isArray(x.fields) &&
    x.fields.every((field) => typeof field === "string") && isFunction(x.plan) &&
    isFunction(x.writable);
}

/**
 * Throws a TypeError or RangeError if `nSteps` is not a valid number of steps. `name` is the loop's name in the
 * message.
 */
export function assertSteps(name: string, nSteps: unknown): asserts nSteps is number {
  if (typeof nSteps !== "number") {
    throw new TypeError(
      `Cannot run ${name}: nSteps must be a non-negative integer, or Infinity; got ${show(nSteps)}`,
    );
  }
  if (nSteps >= 0 && (nSteps === Infinity || Number.isInteger(nSteps))) return;
  throw new RangeError(
    `Cannot run ${name}: nSteps must be a non-negative integer, or Infinity; got ${nSteps}`,
  );
}
