/**
 * Progress and notices on the standard error.
 *
 * @module
 */

import { ProgressHook } from "../../observe/any/progress_hook.ts";
import type { CommandRun } from "../frame/command.ts";

/** Settings that decide what is shown. */
export interface NoticeSettings {
  readonly quiet: boolean;
  readonly json?: boolean;
}

/** Writes a line about what the command does now, unless `--quiet` is given. */
export function notice(
  { terminal: { progress } }: CommandRun,
  settings: NoticeSettings,
  text: string,
): void {
  if (!settings.quiet) progress?.write(`${text}\n`);
}

/**
 * Returns the hooks that show the progress of a run of `nSteps` steps: a line on the standard error, and with `--json`
 * objects on the standard output every 10 s. With `--quiet`, there are none. `now` returns the time, ms.
 */
export function progressHooks(
  { terminal }: CommandRun,
  { quiet, json = false }: NoticeSettings,
  nSteps: number,
  now: () => number = () => performance.now(),
): ProgressHook[] {
  const { progress } = terminal;
  if (quiet || nSteps === 0) return [];
  if (json) {
    const write = (line: string) => terminal.print(line.trimEnd());
    return [new ProgressHook({ write, nSteps, now, format: "json" })];
  }
  if (progress === undefined) return [];
  const { isTerminal, columns, write } = progress;
  return [
    new ProgressHook({ write, isTerminal, nSteps, now, ...(columns !== undefined && { columns }) }),
  ];
}
