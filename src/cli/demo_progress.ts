/**
 * Progress of the demo.
 *
 * @module
 */

import { ProgressHook } from "../observe/any/progress_hook.ts";
import type { DemoRun } from "./demo_run.ts";

/**
 * Interval in seconds between two lines of progress if the output is not a terminal. A run shorter than this interval
 * prints no progress.
 */
const SELDOM_SECONDS = 10;

/**
 * Returns a list with the progress hook. The list is empty with `--quiet`, or if the terminal shows no progress.
 * `nSteps` is the expected number of steps.
 */
export function progressOf({ terminal, options }: DemoRun, nSteps?: number): ProgressHook[] {
  const { progress } = terminal;
  if (progress === undefined || options.quiet) return [];
  const { isTerminal, columns } = progress;
  const begun = performance.now();
  const isSoon = () => performance.now() - begun < (SELDOM_SECONDS - 1) * 1000;
  return [
    new ProgressHook({
      write: (text) => {
        if (isTerminal || !isSoon()) progress.write(text);
      },
      isTerminal,
      ...(!isTerminal && { everySeconds: SELDOM_SECONDS }),
      ...(columns !== undefined && { columns }),
      ...(nSteps !== undefined && { nSteps }),
    }),
  ];
}
