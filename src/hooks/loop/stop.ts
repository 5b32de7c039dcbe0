/**
 * Asking an engine to stop.
 *
 * @module
 */

import type { BaseContext } from "../protocol/context.ts";

/** A deferred observer asks through the context of its own step, so that is the step to name. */
export function stopper(
  ask: (reason: string, step: number | undefined) => void,
): BaseContext["stop"] {
  return function (this: BaseContext | undefined, reason: string): void {
    ask(reason, this?.stepCount);
  };
}

/** Why a signal was aborted, in words. */
export function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : String(reason ?? "aborted");
}
