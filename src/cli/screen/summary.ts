/**
 * Summary of a screening.
 *
 * @module
 */

import { resumeLine } from "../run/run_path.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { histogram } from "../picture.ts";
import type { ScreenResult } from "./ledger.ts";
import type { ScreenCounts } from "./progress.ts";
import type { ScreenSettings } from "./settings.ts";

/** Number of failures that are printed. `status.csv` has all. */
const SHOWN = 10;

/** Prints the numbers of converged and failed structures, and returns the exit code. */
export function printSummary(
  folder: string,
  { settings, run: { terminal, signal, program }, results, counts, begun }: {
    readonly settings: ScreenSettings;
    readonly run: CommandRun;
    readonly results: readonly ScreenResult[];
    readonly counts: ScreenCounts;
    readonly begun: number;
  },
): number {
  const having = (status: ScreenResult["status"]) =>
    results.filter((result) => result.status === status);
  const converged = having("converged"),
    missing = having("not converged"),
    failed = having("failed");
  const seconds = (performance.now() - begun) / 1000;
  const isInterrupted = signal.aborted &&
    (counts.files < counts.of || counts.done < counts.read);
  const isComplete = missing.length + failed.length === 0;
  if (settings.json) {
    terminal.print(JSON.stringify({
      type: "end",
      converged: converged.length,
      notConverged: missing.length,
      failed: failed.length,
      seconds,
      folder,
      interrupted: isInterrupted,
    }));
  } else {
    const steps = converged.flatMap(({ steps }) => steps ?? []);
    if (!settings.quiet && steps.length > 1) {
      terminal.print("Steps until convergence:");
      for (const line of histogram(steps, 8, 40)) terminal.print(`  ${line}`);
    }
    terminal.print(
      `${converged.length} converged, ${missing.length} not converged, ${failed.length} failed; ` +
        `${structuresOf(counts.done, results.length)} in ${seconds.toFixed(1)} s`,
    );
    for (const { file, frame, reason } of failed.slice(0, SHOWN)) {
      terminal.print(`  failed: ${file}${frame === null ? "" : `@${frame}`}: ${reason}`);
    }
    if (failed.length > SHOWN) terminal.print(`  and ${failed.length - SHOWN} more`);
    terminal.print(`Wrote ${folder}: status.csv, ${settings.results}, report.html`);
  }
  if (isInterrupted) {
    terminal.complain(`Interrupted. To continue, run: ${resumeLine(program, folder)}`);
  }
  return isComplete ? ExitCode.DONE : ExitCode.INCOMPLETE;
}

/** Returns the number of structures that this process has finished. A continued screening has further results. */
function structuresOf(done: number, results: number): string {
  return done === results ? `${done} structures` : `${done} of them in this run,`;
}
