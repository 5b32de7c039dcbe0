/**
 * How far the demo has come.
 *
 * @module
 */

import { ProgressHook } from "../observe/any/progress_hook.ts";
import type { DemoRun } from "./demo_run.ts";

/** Where nobody looks there is a line in so many seconds; what is over sooner needs none. */
const SELDOM_SECONDS = 10;

/** A hook that shows how far a run has come, where that is wanted; `nSteps` is how many steps it is to have. */
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
