/**
 * Signals that interrupt commands, and the exit codes of interrupted commands.
 *
 * @module
 */

import type { CommandRun } from "./frame/command.ts";
import { UsageError } from "./frame/usage_error.ts";

/** Numbers of signals, by name. The numbers of the last two are those of Linux. */
const NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGTERM: 15,
  SIGUSR1: 10,
  SIGUSR2: 12,
};

/** Names of the signals that can stop a command. */
export const STOP_SIGNALS: readonly string[] = Object.keys(NUMBERS);

/** Returns the exit code of an interrupted command: 128 plus the number of the signal, or 130 for any other reason. */
export function exitCodeOf({ reason }: AbortSignal): number {
  return 128 + (NUMBERS[String(reason)] ?? NUMBERS.SIGINT!);
}

/**
 * Makes a further signal interrupt a command, as Slurm sends one before the end of a job.
 *
 * @param name name without `SIG`, in lower case; undefined for no further signal
 * @throws {UsageError} if the operating system has no such signal
 */
export function stopOnSignal({ stopOn }: CommandRun, name: string | undefined): void {
  if (name === undefined) return;
  const signal = `SIG${name.toUpperCase()}`;
  try {
    stopOn?.(signal);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Cannot use --signal ${name}: ${reason}`);
  }
}
