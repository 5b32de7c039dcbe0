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

/** Options of {@linkcode progressHooks}. */
export interface ProgressOptions {
  /** Returns the time, ms. */
  readonly now?: () => number;
  /** True if cells relax: the largest force is then that on atoms and cells. */
  readonly hasCells?: boolean;
}

/** Name of the largest force in a line of progress, and its name if it includes the forces on cells. */
const FORCE = "  fmax ", FORCE_WITH_CELL = "  fmax with cell ";

/**
 * Returns the hooks that show the progress of a run of `nSteps` steps: a line on the standard error, and with `--json`
 * objects on the standard output every 10 s. With `--quiet`, there are none.
 */
export function progressHooks(
  { terminal }: CommandRun,
  { quiet, json = false }: NoticeSettings,
  nSteps: number,
  { now = () => performance.now(), hasCells = false }: ProgressOptions = {},
): ProgressHook[] {
  const { progress } = terminal;
  if (quiet || nSteps === 0) return [];
  if (json) {
    const write = (line: string) => terminal.print(line.trimEnd());
    return [new ProgressHook({ write, nSteps, now, format: "json" })];
  }
  if (progress === undefined) return [];
  const { isTerminal, columns } = progress;
  const write = (text: string) =>
    progress.write(hasCells ? text.replace(FORCE, FORCE_WITH_CELL) : text);
  const room = columns === undefined ? {} : {
    columns: hasCells ? columns + FORCE.length - FORCE_WITH_CELL.length : columns,
  };
  return [new ProgressHook({ write, isTerminal, nSteps, now, ...room })];
}
