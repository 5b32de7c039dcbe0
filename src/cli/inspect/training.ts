/**
 * Lines about trainings in descriptions of run folders.
 *
 * @module
 */

import type { RunData } from "../../config/runs/read_run.ts";
import { plotLines } from "./structures.ts";

/** Metrics of trainings that are plotted, with their units. */
const PLOTTED: Readonly<Record<string, string>> = {
  loss: "",
  energyMAE: "meV/atom",
  forcesMAE: "meV/Å",
  stressMAE: "meV/Å³",
};

/** Returns lines about epochs, the best validation loss and errors, and plots of the metrics of each epoch. */
export function trainingLines(
  { history }: Pick<RunData, "history">,
  { epochs }: { readonly epochs?: unknown },
): readonly string[] {
  const of = history.names().includes("val/loss") ? "val" : "train";
  const valuesOf = (name: string) =>
    history.names().includes(`${of}/${name}`) ? perEpoch(history.series(`${of}/${name}`)) : [];
  const losses = valuesOf("loss"), best = losses.indexOf(Math.min(...losses));
  const frames = of === "val" ? "validation" : "training";
  return [
    `  epochs    ${losses.length} of ${epochs}`,
    ...(best < 0 ? [] : [
      `  best      epoch ${best + 1}, loss ${losses[best]!.toPrecision(4)} of the ${frames} frames`,
    ]),
    ...Object.entries(PLOTTED).flatMap(([name, unit]) =>
      plotLines(`${frames} ${name}`, valuesOf(name), unit)
    ),
  ];
}

/** Returns the last value of each step: validation and the end of the epoch log the same metric. */
function perEpoch(
  { steps, values }: { readonly steps: readonly number[]; readonly values: readonly number[] },
): number[] {
  return values.filter((_, i) => steps[i] !== steps[i + 1]);
}
