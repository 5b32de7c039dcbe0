/**
 * Results of the command `relax`.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { Structure } from "../run/structures.ts";
import { largestForce } from "../../campaign/run/largest_force.ts";
import { pressureIn } from "./stress_criterion.ts";

/** Result of one structure, as `--json` prints it. */
export interface Relaxation {
  readonly type: "relaxed";
  /** Path of the file. */
  readonly file: string;
  /** Index of the frame in the file. */
  readonly frame: number;
  /** Name in the text output. */
  readonly label: string;
  readonly atoms: number;
  readonly converged: boolean;
  readonly steps: number;
  /** Potential energy, eV. */
  readonly energy: number;
  /** Largest force on an atom, eV/Å. */
  readonly fmax: number;
  /** Pressure −Tr(σ)/3, GPa; undefined if the cell stays as it is, NaN if a direction is not periodic. */
  readonly pressure?: number;
}

/** Returns the results of a batch that was relaxed. With `hasCells`, its cells have relaxed, too. */
export function relaxationsOf(
  batch: Batch,
  structures: readonly Structure[],
  hasCells: boolean,
): Relaxation[] {
  return structures.map(({ file, frame, label }, i) => ({
    type: "relaxed",
    file,
    frame,
    label,
    atoms: batch.nodeOffsets[i + 1]! - batch.nodeOffsets[i]!,
    converged: batch.has("status") && batch.get("status")[i] === 1,
    steps: batch.has("stepsDone") ? batch.get("stepsDone")[i]! : 0,
    energy: batch.get("energy")[i]!,
    fmax: largestForce(batch, i),
    ...hasCells && { pressure: pressureIn(batch, i) },
  }));
}

/** Returns a result as a line of text. Columns are aligned with those of the other results. */
export function relaxedLine(
  { label, converged, steps, energy, fmax, pressure = NaN }: Relaxation,
  all: readonly Relaxation[],
): string {
  const width = Math.max(...all.map(({ label }) => label.length));
  const digits = Math.max(...all.map(({ steps }) => String(steps).length));
  const status = converged ? "converged    " : "not converged";
  return `${label.padEnd(width)}  ${status}  ${String(steps).padStart(digits)} steps  energy ${
    energy.toFixed(6)
  } eV  fmax ${fmax.toPrecision(3)} eV/Å${
    Number.isNaN(pressure) ? "" : `  pressure ${pressure.toFixed(4)} GPa`
  }`;
}
