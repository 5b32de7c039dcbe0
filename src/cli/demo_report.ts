/**
 * Texts that the demo prints.
 *
 * @module
 */

import type { DemoFiles } from "./demo_files.ts";
import { type Dynamics, TARGET } from "./demo_heat.ts";
import type { Relaxation } from "./demo_relax.ts";
import type { DemoSettings } from "./demo_settings.ts";
import { histogram, meanAndSpread, sparkline } from "./picture.ts";

/** Energy of the perfect crystal at a = 5.26 Å, eV per atom, computed with ASE. */
const PERFECT = -0.07761;

/** Text printed at the end of the demo: suggestions for next steps. */
export const NEXT = `
Next: hooke relax FILE relaxes your own structures, and hooke md FILE heats them. README.md shows how, under
"Install". Its last table lists the pages of the documentation. The option --help lists all options.`;

/** Returns the text that announces the relaxation. */
export function relaxationToCome({ systems, fmax, model }: DemoSettings): string {
  const crystals = systems === 1 ? "1 crystal" : `${systems} crystals`;
  const forces = model === "onnx" ? "an ONNX graph in onnxruntime" : "a kernel";
  return `Relaxation: ${crystals} of 32 argon atoms, each atom displaced by about 0.1 Å, by FIRE ` +
    `until\nno force is above ${fmax} eV/Å. The forces come from ${forces}.\n`;
}

/** Returns the text with the results of the relaxation. */
export function aboutRelaxation(relaxation: Relaxation, { systems, quiet }: DemoSettings): string {
  const { steps, before, after, stepCount, isInterrupted } = relaxation;
  const lines: string[] = [];
  if (isInterrupted) lines.push(`  Interrupted after ${stepCount} steps.`);
  if (steps.length === 0) return [...lines, `  0 of ${systems} have relaxed.`].join("\n");
  lines.push(`  ${steps.length} of ${systems} have relaxed, after ${rangeOf(steps)}`);
  if (!quiet) lines.push("", ...histogram(steps, 8, 40).map((line) => `    ${line}`), "");
  lines.push(
    `  energy per atom before   ${withSpread(before, 5)} eV`,
    `                  after    ${withSpread(after, 5)} eV`,
    `                  perfect  ${PERFECT.toFixed(5)} eV`,
    `  ${relaxation.seconds.toFixed(2)} s, start-up included`,
  );
  return lines.join("\n");
}

function rangeOf(steps: readonly number[]): string {
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  if (least === most) return most === 1 ? "1 step" : `${most} steps`;
  return `${least} to ${most} steps, ${meanAndSpread(steps).mean.toFixed(1)} on average`;
}

/** Returns the text that announces the dynamics. */
export function dynamicsToCome({ steps }: DemoSettings): string {
  return `\nDynamics: ${steps} steps of 4 fs in a Langevin bath of ${TARGET} K. The forces come from a kernel.\n`;
}

/** Returns the text with the results of the dynamics. */
export function aboutDynamics(dynamics: Dynamics, { steps, quiet }: DemoSettings): string {
  const { means, late, atoms, stepCount, isInterrupted } = dynamics;
  const lines: string[] = [];
  if (isInterrupted) lines.push(`  Interrupted after ${stepCount} of ${steps} steps.`);
  if (!quiet && means.length > 1) {
    const [low, high] = [Math.min(...means), Math.max(...means)];
    lines.push(
      `  ${sparkline(means, 50)}  mean temperature, ${low.toFixed(0)} to ${high.toFixed(0)} K`,
      "",
    );
  }
  if (late.length > 0) {
    // In the canonical ensemble the kinetic energy of N atoms has a relative variance of 2/(3N).
    const spread = TARGET * Math.sqrt(2 / (3 * atoms));
    lines.push(
      `  temperature of a crystal, second half  ${withSpread(late, 1)} K`,
      `                            expected     ${TARGET.toFixed(1)} ± ${spread.toFixed(1)} K`,
    );
  }
  if (stepCount > 0) lines.push(speed(dynamics));
  return lines.join("\n");
}

/** Returns the list of the files that were written, as text. */
export function aboutFiles(
  { folder }: DemoFiles,
  { steps }: Relaxation,
  dynamics: Dynamics | undefined,
  trace: string | undefined,
): string {
  const files = [
    ["relax.csv", "a row for each crystal at every 5th step"],
    ...(steps.length === 0
      ? []
      : [["relaxed.xyz", "the relaxed structure of each crystal; ASE and OVITO read it"]]),
    ...(dynamics === undefined ? [] : [["nvt.csv", "a row for each crystal at every 10th step"]]),
  ];
  return [
    `\nIn the folder ${folder}:`,
    ...files.map(([name, what]) => `  ${name!.padEnd(13)}${what}`),
    ...(trace === undefined ? [] : [`The trace is in ${trace}; https://ui.perfetto.dev opens it.`]),
  ].join("\n");
}

function withSpread(values: readonly number[], digits: number): string {
  const { mean, spread } = meanAndSpread(values);
  return `${mean.toFixed(digits)} ± ${spread.toFixed(digits)}`;
}

function speed({ seconds, atomSteps }: { seconds: number; atomSteps: number }): string {
  const [nanoseconds, millions] = [seconds * 1e9 / atomSteps, atomSteps / seconds / 1e6];
  return `  ${seconds.toFixed(2)} s: ${nanoseconds.toFixed(0)} ns for each atom and step, ${
    millions.toFixed(1)
  } million of these a second`;
}
