/**
 * Checks of commands that work on a folder or on a queue.
 *
 * @module
 */

import type { CommandRun } from "../frame/command.ts";
import { flagOf } from "../frame/option.ts";
import { UsageError } from "../frame/usage_error.ts";

/**
 * Throws a UsageError if an option is given that has no effect: one of queues without `--queue`, or one of folders with
 * it.
 */
export function assertPlace(
  { queue }: { readonly queue: string | undefined },
  { given }: Pick<CommandRun, "given">,
  ofQueue: readonly string[],
  ofFolder: readonly string[],
): void {
  const wrong = (queue === undefined ? ofQueue : ofFolder).find((name) => given.has(name));
  if (wrong === undefined) return;
  throw new UsageError(
    `Cannot use --${flagOf(wrong)}: it has no effect ${
      queue === undefined ? "without --queue URL" : "with --queue"
    }`,
  );
}
