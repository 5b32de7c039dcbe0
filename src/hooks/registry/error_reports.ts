/**
 * Errors of hooks: error policies, and the warnings that users get.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import type { HookWarning } from "../protocol/outcome.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** Errors of hooks that end a run under any error policy. */
const FATAL = new WeakSet<object>();

/** Marks an error as one that ends the run, even if the policy of its hook is to warn. Returns the error. */
export function fatal(error: unknown): unknown {
  if (typeof error === "object" && error !== null) FATAL.add(error);
  return error;
}

/**
 * Returns whether an error ends the run under any policy: it is marked, or says by its code that a file or folder was
 * removed while the run wrote to it.
 */
export function isFatal(error: unknown): boolean {
  return typeof error === "object" && error !== null &&
    (FATAL.has(error) || codeOf(error) === "ESTALE");
}

function codeOf(error: object): unknown {
  return (error as { readonly code?: unknown }).code;
}

/** The registry, as reports of errors see it. */
export interface ErrorHost {
  /** The engine, as hooks see it. */
  readonly workflow: Workflow;
  /** Receives the warnings of the engine; the default prints the first of each hook. */
  readonly onWarning: ((warning: HookWarning) => void) | undefined;
  /** Counts an error of a hook for the outcome. */
  readonly onHookError: (() => void) | undefined;
  /** Returns the receiver of the warnings of a hook, if the registry that it was added to has one. */
  onWarningOf(entry: Entry): ((warning: HookWarning) => void) | undefined;
  /** Returns whether an error ends the run under any policy, because no hook caused it. */
  isFatal(error: unknown): boolean;
  /** Disables a hook. */
  disable(entry: Entry): void;
  /** Returns whether the run was aborted. */
  readonly isAborted: () => boolean;
  /** Returns the value of a counter. */
  readonly count: (counter: string) => number;
}

/** Applies error policies and emits warnings. */
export class ErrorReports {
  readonly #host: ErrorHost;

  /** Reports the errors of one engine's hooks. */
  constructor(host: ErrorHost) {
    this.#host = host;
  }

  /**
   * Applies the error policy of a handler. `previous` is the count at which it had fired before it threw,
   * `count` that at which it threw.
   *
   * @throws the error if the policy is "throw", if it is fatal, or if the hook has no policy and has never been called before
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
      handler.unfire(previous); // the run may recover and do the step again
      throw error;
    }
    if (onError === "throw" || this.#isFirstFiring(handler, previous, count)) {
      entry.errors++;
      throw error;
    }
    this.report(entry, info.stage, error, step);
    if (onError === "disable") this.#host.disable(entry);
  }

  /**
   * Returns whether a hook without an error policy failed when it was first called: then it has never worked, and the run
   * ends before hours are spent without it. A run that is aborted ends anyway.
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

  /** Counts an error of a hook and emits a warning. */
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

  /** Emits an error that does not count as one of a hook's, or a warning of the engine. */
  warn(hook: string, stage: string, error: unknown, from: HookWarning["from"] = "hook"): void {
    const { workflow, onWarning } = this.#host;
    emit({ from, hook, stage, step: workflow.stepCount, error, count: 1 }, onWarning);
  }
}

/** Emits a warning. It must reach someone and must not stop the run, even if `onWarning` throws. */
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

/** Prints warnings of the engine, and the first error of each hook: the default for warnings. */
export function printFirst({ from, hook, stage, step, error, count }: HookWarning): void {
  if (count > 1) return;
  if (from === "engine") {
    // deno-lint-ignore no-console house/no-console -- an unseen warning would be worse; `onWarning` replaces this
    return console.warn(error instanceof Error ? error.message : error);
  }
  const isRefusal = error instanceof Error && typeof codeOf(error) === "string";
  // The cause is plain and a stack adds nothing; the data that could not be written may be of an earlier step.
  const [place, shown] = isRefusal ? ["", error.message] : [` at ${stage}, step ${step}`, error];
  // deno-lint-ignore no-console house/no-console -- a swallowed error would be worse; `onWarning` replaces this
  console.warn(`Hook ${hook} failed${place}; hooks.list() counts further errors of it:`, shown);
}
