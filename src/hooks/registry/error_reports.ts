/**
 * Errors of hooks: error policies, and the warnings that users get.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import type { HookWarning } from "../protocol/outcome.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** The registry, as reports of errors see it. */
export interface ErrorHost {
  /** The engine, as hooks see it. */
  readonly workflow: Workflow;
  /** Receives the warnings of the engine; the default prints the first of each hook. */
  readonly onWarning: ((warning: HookWarning) => void) | undefined;
  /** Returns the receiver of the warnings of a hook, if the registry that it was added to has one. */
  onWarningOf(entry: Entry): ((warning: HookWarning) => void) | undefined;
  /** Returns whether an error ends the run under any policy, because no hook caused it. */
  isFatal(error: unknown): boolean;
  /** Disables a hook. */
  disable(entry: Entry): void;
}

/** Applies error policies and emits warnings. */
export class ErrorReports {
  readonly #host: ErrorHost;

  /** Reports the errors of one engine's hooks. */
  constructor(host: ErrorHost) {
    this.#host = host;
  }

  /**
   * Applies the error policy of a handler. `previous` is the count at which it had fired before it threw.
   *
   * @throws the error if the policy is "throw", or if it is fatal
   */
  failed(
    handler: StageHandler,
    error: unknown,
    step: number = this.#host.workflow.stepCount,
    previous: number = handler.schedule.previous,
  ): void {
    const { entry, info, onError } = handler;
    if (this.#host.isFatal(error)) {
      handler.unfire(previous); // the run may recover and do the step again
      throw error;
    }
    if (onError === "throw") {
      entry.errors++;
      throw error;
    }
    this.report(entry, info.stage, error, step);
    if (onError === "disable") this.#host.disable(entry);
  }

  /** Counts an error of a hook and emits a warning. */
  report(
    entry: Entry,
    stage: string,
    error: unknown,
    step: number = this.#host.workflow.stepCount,
  ): void {
    const warning = { hook: entry.path, stage, step, error, count: ++entry.errors };
    emit(warning, this.#host.onWarningOf(entry) ?? this.#host.onWarning);
  }

  /** Emits a warning that does not count as an error of a hook. */
  warn(hook: string, stage: string, error: unknown): void {
    const { workflow, onWarning } = this.#host;
    emit({ hook, stage, step: workflow.stepCount, error, count: 1 }, onWarning);
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
    printFirst({ ...warning, hook: "onWarning", error, count: 1 });
  }
}

/** Prints the first error of each hook: the default for warnings. */
export function printFirst({ hook, stage, step, error, count }: HookWarning): void {
  if (count > 1) return;
  if (hook.startsWith("(")) { // what the engine itself warns of
    // deno-lint-ignore no-console house/no-console -- an unseen warning would be worse; `onWarning` replaces this
    return console.warn(error instanceof Error ? error.message : error);
  }
  // deno-lint-ignore no-console house/no-console -- a swallowed error would be worse; `onWarning` replaces this
  console.warn(
    `Hook ${hook} failed at ${stage}, step ${step}; hooks.list() counts further errors of it:`,
    error,
  );
}
