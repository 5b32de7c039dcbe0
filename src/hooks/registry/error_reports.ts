/**
 * Errors of hooks: applies error policies, and emits warnings to the user.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import type { HookWarning } from "../protocol/outcome.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** Errors that end a run under any error policy of the hook that threw them. */
const FATAL = new WeakSet<object>();

/**
 * Marks an error so that it ends the run even if the error policy of its hook is "warn" or "disable". Returns the
 * error.
 */
export function fatal(error: unknown): unknown {
  if (typeof error === "object" && error !== null) FATAL.add(error);
  return error;
}

/**
 * Returns whether an error ends the run under any error policy: it was marked by `fatal`, or its code is "ESTALE",
 * because a file or folder was removed while the run wrote to it.
 */
export function isFatal(error: unknown): boolean {
  return typeof error === "object" && error !== null &&
    (FATAL.has(error) || codeOf(error) === "ESTALE");
}

function codeOf(error: object): unknown {
  return (error as { readonly code?: unknown }).code;
}

/** Errors of hooks that have ended a run. */
const OF_HOOKS = new WeakSet<object>();

/** Returns whether an error has ended a run because a hook threw it at a stage. */
export function isOfHook(error: unknown): boolean {
  return typeof error === "object" && error !== null && OF_HOOKS.has(error);
}

/** The functions of the registry that `ErrorReports` calls. */
export interface ErrorHost {
  /** The engine that hooks find as `ctx.workflow`. */
  readonly workflow: Workflow;
  /** Receives the warnings; if it is undefined, the first error of each hook is printed. */
  readonly onWarning: ((warning: HookWarning) => void) | undefined;
  /** Counts an error of a hook for the outcome of the run. */
  readonly onHookError: (() => void) | undefined;
  /** Returns the receiver of warnings about a hook, from the options of the registry that it was added to. */
  onWarningOf(entry: Entry): ((warning: HookWarning) => void) | undefined;
  /** Returns whether an error ends the run under any error policy, because no hook caused it. */
  isFatal(error: unknown): boolean;
  /** Disables a hook. */
  disable(entry: Entry): void;
  /** Returns whether the run was aborted. */
  readonly isAborted: () => boolean;
  /** Returns the value of a counter. */
  readonly count: (counter: string) => number;
}

/** Applies the error policies of hooks, and emits warnings. */
export class ErrorReports {
  readonly #host: ErrorHost;

  /** Creates the reports of one engine's hooks. */
  constructor(host: ErrorHost) {
    this.#host = host;
  }

  /**
   * Applies the error policy of a handler that threw `error` in the step `step`. `count` is the count at which it
   * threw, and `previous` the count at which it had fired before.
   *
   * @throws the error if the policy is "throw", if it is fatal, or if the hook has no policy and never worked before
   */
  failed(
    handler: StageHandler,
    error: unknown,
    step: number = this.#host.workflow.stepCount,
    previous: number = handler.schedule.previous,
    count: number = this.#host.count(handler.info.counter),
  ): void {
    const { entry, info, onError } = handler;
    if (this.#host.isFatal(error) || isFatal(error)) {
      handler.unfire(previous); // if the run recovers, the step runs again and the hook must fire again
      throw error;
    }
    if (onError === "throw" || this.#isFirstFiring(handler, previous, count)) {
      entry.errors++;
      if (typeof error === "object" && error !== null) OF_HOOKS.add(error);
      throw error;
    }
    this.report(entry, info.stage, error, step);
    if (onError === "disable") this.#host.disable(entry);
  }

  /**
   * Returns whether a hook without an error policy threw at its very first call. It has then never worked, so the run
   * ends at once instead of continuing for hours without it. Returns `false` in an aborted run, which ends anyway.
   */
  #isFirstFiring(handler: StageHandler, previous: number, count: number): boolean {
    const { entry } = handler, host = this.#host;
    if ((entry.onError ?? entry.record.onError) !== undefined || entry.errors > 0) return false;
    if (host.isAborted()) return false;
    return entry.handlers.every((each) =>
      each === handler
        ? !each.wasCalledBefore(count, previous)
        : !each.wasCalledBefore(host.count(each.info.counter), each.schedule.last)
    );
  }

  /** Counts an error of a hook and emits it as a warning. */
  report(
    entry: Entry,
    stage: string,
    error: unknown,
    step: number = this.#host.workflow.stepCount,
  ): void {
    const count = ++entry.errors;
    this.#host.onHookError?.();
    const warning = { from: "hook" as const, hook: entry.path, stage, step, error, count };
    emit(warning, this.#host.onWarningOf(entry) ?? this.#host.onWarning);
  }

  /** Emits a warning of the engine, or an error that is not counted as an error of a hook. */
  warn(hook: string, stage: string, error: unknown, from: HookWarning["from"] = "hook"): void {
    const { workflow, onWarning } = this.#host;
    emit({ from, hook, stage, step: workflow.stepCount, error, count: 1 }, onWarning);
  }
}

/**
 * Emits a warning. If `onWarning` throws, prints the warning and that error instead, so that the warning is not lost
 * and the run continues.
 */
function emit(
  warning: HookWarning,
  onWarning: (warning: HookWarning) => void = printFirst,
): void {
  try {
    onWarning(warning);
  } catch (error) {
    printFirst(warning);
    printFirst({ ...warning, from: "hook", hook: "onWarning", error, count: 1 });
  }
}

/** The default receiver of warnings: prints warnings of the engine, and the first error of each hook. */
export function printFirst({ from, hook, stage, step, error, count }: HookWarning): void {
  if (count > 1) return;
  if (from === "engine") {
    // deno-lint-ignore no-console house/no-console -- an unseen warning would be worse; `onWarning` replaces this
    return console.warn(error instanceof Error ? error.message : error);
  }
  const isRefusal = error instanceof Error && typeof codeOf(error) === "string";
  // The operating system refused an operation: its message suffices without a stack, and the step is left out because
  // the data that could not be written may be those of an earlier step.
  const [place, shown] = isRefusal ? ["", error.message] : [` at ${stage}, step ${step}`, error];
  // deno-lint-ignore no-console house/no-console -- a swallowed error would be worse; `onWarning` replaces this
  console.warn(`Hook ${hook} failed${place} (hooks.list() counts its further errors):`, shown);
}
