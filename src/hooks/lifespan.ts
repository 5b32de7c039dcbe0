/**
 * Opening and closing hooks with a run.
 *
 * @module
 */

import type { Entry } from "./entry.ts";
import type { Workflow } from "./context.ts";
import type { Outcome } from "./outcome.ts";

/** Told of an error that cannot be thrown, because an earlier one is on its way. */
export type ReportError = (entry: Entry, stage: string, error: unknown) => void;

/**
 * Opens hooks in order. When one throws, those that are open already are closed in reverse with that error, and it
 * is thrown; a hook that was told to warn is reported and takes no part in the run.
 */
export async function openAll(
  entries: readonly Entry[],
  engine: Workflow,
  report: ReportError,
): Promise<void> {
  for (const entry of entries) {
    if (entry.isOpen) continue;
    entry.isOpen = true; // removed while it opens, it is closed
    try {
      await entry.record.hook.open?.(engine);
    } catch (error) {
      entry.isOpen = false;
      if (isLenient(entry)) report(entry, "open", error);
      else {
        await closeAll(entries, engine, { status: "failed", error }, report);
        throw error;
      }
    }
  }
}

/**
 * Closes the open hooks in reverse; every one is attempted. After a run that went well the first error is thrown
 * at the end; after one that failed all of them are only reported, so that they do not hide why, and so are those
 * of hooks that were told to warn.
 */
export async function closeAll(
  entries: readonly Entry[],
  engine: Workflow,
  outcome: Outcome,
  report: ReportError,
): Promise<void> {
  let first: { readonly error: unknown } | undefined;
  for (const entry of entries.toReversed()) {
    if (!entry.isOpen) continue;
    entry.isOpen = false;
    try {
      await entry.record.hook.close?.(outcome, engine);
    } catch (error) {
      const isQuiet = outcome.status === "failed" || first !== undefined || isLenient(entry);
      if (isQuiet) report(entry, "close", error);
      else first = { error };
    }
  }
  if (first !== undefined) throw first.error;
}

/** Was it said, by the hook or when it was added, that its errors shall not stop a run? */
function isLenient({ onError, record }: Entry): boolean {
  const policy = onError ?? record.onError;
  return policy === "warn" || policy === "disable";
}
