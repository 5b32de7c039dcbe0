/**
 * Progress of a screening.
 *
 * @module
 */

import type { CommandRun } from "../frame/command.ts";
import { ProgressLine } from "../run/progress_line.ts";
import type { ScreenSettings } from "./settings.ts";

/** Numbers that the progress shows. */
export interface ScreenCounts {
  /** Finished structures of this part of the screening, and their atoms. */
  done: number;
  doneAtoms: number;
  /** Structures that were read in this part of the screening, and their atoms. */
  read: number;
  readAtoms: number;
  /** Structures among `read` that are in the files that were read entirely. */
  inFiles: number;
  failed: number;
  unconverged: number;
  /** Files that were read entirely. */
  files: number;
  /** Files of the screening. */
  readonly of: number;
}

/** Shows the progress of a screening: a line that is repainted on a terminal, a plain line every 10 s elsewhere. */
export class ScreenProgress {
  readonly #line: ProgressLine;
  readonly #counts: ScreenCounts;
  readonly #begun = performance.now();

  constructor(run: CommandRun, settings: ScreenSettings, counts: ScreenCounts) {
    this.#line = new ProgressLine(run, settings);
    this.#counts = counts;
  }

  /** Shows the progress if the last line is old enough, or if `isLast` is true. */
  tick(isLast: boolean = false): void {
    this.#line.show(() => this.#text((performance.now() - this.#begun) / 1000), isLast);
  }

  #text(seconds: number): string {
    const { done, failed, unconverged } = this.#counts;
    const perSecond = done / seconds, left = secondsLeft(this.#counts, seconds);
    return [
      `${done} of ${totalText(this.#counts)} structures done`,
      ...(done > 0
        ? [`${perSecond >= 10 ? Math.round(perSecond) : +perSecond.toPrecision(2)}/s`]
        : []),
      ...(unconverged > 0 ? [`${unconverged} not converged`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(left > 0 ? [`about ${Math.ceil(left)} s left`] : []),
    ].join("  ");
  }
}

/** Returns the number of structures: exact if all files are read, otherwise estimated from the files read so far. */
export function totalText({ read, inFiles, files, of }: ScreenCounts): string {
  if (files >= of) return String(read);
  if (files === 0) return `at least ${read}`;
  return `about ${Math.max(read, Math.round(inFiles * of / files))}`;
}

/**
 * Returns the remaining time, s, from the share of the atoms that is finished, because large structures take longer.
 * Returns NaN if no structure with atoms is finished, or if no file is read entirely.
 */
export function secondsLeft(
  { doneAtoms, readAtoms, files, of }: ScreenCounts,
  seconds: number,
): number {
  if (doneAtoms === 0 || files === 0) return NaN;
  const all = readAtoms * of / Math.min(files, of);
  return seconds * (all - doneAtoms) / doneAtoms;
}
