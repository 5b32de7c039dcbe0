/**
 * What an engine asks of its registered hooks: the fields that they read.
 *
 * @module
 */

import type { Entry, StageHandler } from "./stage_handler.ts";

/** Which hooks to ask for their reads. */
export interface ReadsOf {
  /** Only hooks at this stage. */
  readonly stage?: string | undefined;
  /** Only hooks that may be due at this count. */
  readonly count?: number | undefined;
  /** Whether that stage is the next one, so that hooks whose `when` declines are left out. */
  readonly isNext: boolean;
}

/** Returns the fields that enabled hooks read. */
export function readsOf(
  entries: readonly Entry[],
  { stage, count, isNext }: ReadsOf,
): ReadonlySet<string> {
  const mayFire = (handler: StageHandler) =>
    count === undefined || handler.info.isEvent ||
    (handler.dueFrom(count) <= count && (!isNext || wants(handler, count)));
  const reading = entries.filter(({ enabled, handlers }) =>
    enabled &&
    (stage === undefined ||
      handlers.some((handler) => handler.info.stage === stage && mayFire(handler)))
  );
  return new Set(reading.flatMap(({ record }) => record.reads));
}

/** Returns whether the `when` of a handler wants it called at a count. If that throws, the visit deals with it. */
function wants(handler: StageHandler, count: number): boolean {
  // Without reads the answer does not matter here, and `when` is asked at the visit alone.
  if (handler.entry.record.reads.length === 0 || handler.isAskedLate) return true;
  try {
    return handler.isWantedAt(count);
  } catch {
    return true;
  }
}
