/**
 * What happens when a hook throws: its error policy, and the warnings that users get.
 *
 * @module
 */

import { type HookWarning, printFirst } from "../protocol/outcome.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** What reports of errors need of the registry. */
export interface ErrorHost {
  /** Number of steps done. */
  readonly step: number;
  /** Where warnings of the engine go; the default prints the first of each hook. */
  readonly onWarning: ((warning: HookWarning) => void) | undefined;
  /** Where warnings of a hook go, if the registry that it was added to says so. */
  onWarningOf(entry: Entry): ((warning: HookWarning) => void) | undefined;
  /** Whether an error ends the run under any policy, because no hook caused it. */
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
    step: number = this.#host.step,
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
  report(entry: Entry, stage: string, error: unknown, step: number = this.#host.step): void {
    const warning = { hook: entry.path, stage, step, error, count: ++entry.errors };
    emit(warning, this.#host.onWarningOf(entry) ?? this.#host.onWarning);
  }

  /** Emits a warning that does not count as an error of a hook. */
  warn(hook: string, stage: string, error: unknown): void {
    const { step, onWarning } = this.#host;
    emit({ hook, stage, step, error, count: 1 }, onWarning);
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
