/**
 * Progress of the demo.
 *
 * @module
 */

import { ProgressHook } from "../observe/any/progress_hook.ts";
import type { DemoRun } from "./demo_run.ts";

/** Interval between lines if the output is not a terminal, in seconds. A shorter run prints no progress. */
const SELDOM_SECONDS = 10;

/** Returns a hook that shows progress, if it is wanted. `nSteps` is the expected number of steps. */
export function progressOf({ terminal, options }: DemoRun, nSteps?: number): ProgressHook[] {
  const { progress } = terminal;
  if (progress === undefined || options.isQuiet) return [];
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
