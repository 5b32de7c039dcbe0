/**
 * Descriptions of run folders.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { checkpointsIn } from "../../checkpoint/mod.ts";
import { readRun, type RunData } from "../../config/runs/read_run.ts";
import { pathsIn } from "../../config/runs/run_files.ts";
import { durationOf, partsOf } from "../../config/runs/run_parts.ts";
import { isTraining } from "../train/restart.ts";
import type { Inspection } from "./inspection.ts";
import { inspectScreening } from "./screening.ts";
import { plotLines } from "./structures.ts";
import { trainingLines } from "./training.ts";

/** Units of the scalars that are plotted, by their names, in the order of the plots. */
const PLOTTED: Readonly<Record<string, string>> = {
  energy: "eV",
  "energy/total": "eV",
  fmax: "eV/Å",
  temperature: "K",
  pressure_GPa: "GPa",
  volume_A3: "Å³",
  "loss/total": "",
};

/** Describes the run of a folder. */
export async function inspectRun(folder: string): Promise<Inspection> {
  const path = folder.replace(/(.)[/\\]+$/, "$1");
  const screening = await inspectScreening(path);
  if (screening !== undefined) return screening;
  const run = await readRun(path), parts = partsOf(run), last = parts.at(-1);
  const checkpoints = await checkpointsIn(pathsIn(path).checkpoints);
  const seconds = parts.reduce((sum, part) => sum + durationOf(part), 0);
  const outcome = last === undefined ? "not begun" : outcomeOf(last.end?.outcome);
  const config = isObject(run.config) ? run.config : {};
  const { command, facts: _, ...options } = config;
  return {
    lines: [
      `${path}: run ${run.id}`,
      `  outcome   ${outcome}`,
      `  steps     ${last?.last.step ?? 0}${
        typeof options.steps === "number" ? ` of ${options.steps}` : ""
      }`,
      `  time      ${seconds.toFixed(1)} s in ${parts.length} part${parts.length === 1 ? "" : "s"}`,
      ...(last === undefined
        ? []
        : [`  engine    ${last.start.engine} on ${last.start.device?.device}`]),
      ...(command === undefined ? [] : [`  command   ${command} ${shortOptions(options)}`]),
      `  checkpoints  ${
        checkpoints.map(({ step }) => step).sort((a, b) => a - b).join(", ") || "none"
      }`,
      ...warningsOf(run).map((warning) => `  warning   ${warning}`),
      ...(isTraining(command) ? trainingLines(run, options) : []),
      ...Object.entries(PLOTTED).flatMap(([name, unit]) =>
        run.history.names().includes(name)
          ? plotLines(name, run.history.series(name).values, unit)
          : []
      ),
    ],
    data: {
      type: "run",
      id: run.id,
      outcome,
      step: last?.last.step ?? 0,
      seconds,
      config: run.config,
      checkpoints: checkpoints.map(({ step }) => step),
      warnings: warningsOf(run),
      scalars: Object.fromEntries(
        run.history.names().map((name) => [name, run.history.series(name).values.at(-1)]),
      ),
    },
  };
}

function outcomeOf(outcome: { readonly status: string } | undefined): string {
  if (outcome === undefined) return "not ended: it still runs, or its process was killed";
  const { status, reason, error } = outcome as {
    readonly status: string;
    readonly reason?: string;
    readonly error?: { readonly message: string };
  };
  return [status, reason ?? error?.message].filter((text) => text !== undefined).join(": ");
}

function warningsOf({ records }: RunData): readonly string[] {
  return records.flatMap((record) => record.type === "end" ? record.outcome.warnings ?? [] : []);
}

/** Returns the options that are numbers or texts, on one line. */
function shortOptions(options: Readonly<Record<string, unknown>>): string {
  return Object.entries(options)
    .filter(([, value]) => typeof value === "number" || typeof value === "string")
    .map(([name, value]) => `${name} ${value}`).join(", ");
}
