/**
 * The command `hooke singlepoint`.
 *
 * @module
 */

import { openDevice } from "../../backend/open.ts";
import { disposing } from "../../base/disposing.ts";
import type { Batch } from "../../batch/batch.ts";
import { GIGAPASCAL } from "../../kernels/constants.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { batchOf, resultsOf } from "../run/batch_of.ts";
import { counted } from "../run/counted.ts";
import { evaluateBatch } from "../../campaign/run/evaluate_batch.ts";
import { largestForce } from "../../campaign/run/largest_force.ts";
import { warnOfCloseAtoms } from "../run/close_atoms.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { printDryRun } from "../run/dry_run.ts";
import { notice } from "../run/notices.ts";
import { checkModelExists } from "../run/model_file.ts";
import { type OpenPotential, openPotential } from "../run/potential.ts";
import { checkFormats, planResults, saveResults } from "../run/results.ts";
import { elementsOf, readAllStructures, type Structure } from "../run/structures.ts";
import { checkWritable } from "../run/writable.ts";
import type { SinglepointSettings } from "./settings.ts";

/** Energies and forces of a structure, as `--json` prints them. Values that are not finite are null there. */
interface Singlepoint {
  readonly type: "singlepoint";
  readonly file: string;
  readonly frame: number;
  readonly label: string;
  readonly atoms: number;
  /** Potential energy, eV. */
  readonly energy: number;
  /** Largest force on an atom, eV/Å. */
  readonly fmax: number;
  /** Pressure −Tr(stress)/3, GPa; NaN without stresses or if a direction is not periodic. */
  readonly pressure: number;
}

/** Computes energies, forces and stresses, prints a line for each structure, and writes them. */
export async function singlepoint(settings: SinglepointSettings, run: CommandRun): Promise<number> {
  const warn = (message: string) => run.terminal.complain(message);
  const formats = await formatOptionsOf(settings, warn);
  const structures = await readAllStructures(settings.files, formats, run.signal);
  checkModelExists(settings.model);
  await warnOfCloseAtoms(structures, run);
  const { output: outputs, overwrite } = settings;
  const plan = planResults(structures, { outputs, what: "singlepoint", overwrite });
  await checkFormats(plan, structures, formats);
  if (!settings.dryRun) await checkWritable(plan.map(({ path }) => path), run);
  if (settings.model !== undefined) notice(run, settings, `Opening ${settings.model}`);
  const potential = await openPotential(settings, elementsOf(structures), {
    warn,
    structures,
  });
  return await disposing(potential, async (potential) => {
    if (settings.dryRun) {
      const paths = plan.map(({ path }) => path).join(", ");
      const sentence = `Would evaluate ${
        counted(structures.length, "structure")
      }, and write ${paths}`;
      const resolved = { ...settings, model: potential.name, ...potential.engine };
      return printDryRun(run, "singlepoint", resolved, sentence);
    }
    run.signal.throwIfAborted();
    const batch = batchOf(structures);
    await evaluate(batch, potential);
    const saved = await saveResults(plan, resultsOf(batch, true), formats, warn);
    const results = structures.map((structure, i) => resultOf(batch, structure, i));
    const failed = results.filter(({ energy, fmax }) => !Number.isFinite(energy + fmax));
    printResults(settings, run, results);
    for (const { label } of failed) {
      run.terminal.complain(`${label}: the energy or a force is not finite; atoms may overlap`);
    }
    if (!settings.json) run.terminal.print(`Wrote ${saved.paths.join(", ")}`);
    run.completed();
    if (saved.isElsewhere) return ExitCode.FAILED;
    return failed.length === 0 ? ExitCode.DONE : ExitCode.INCOMPLETE;
  });
}

/** Evaluates the potential, and sets energies, forces and stresses of the batch. */
async function evaluate(batch: Batch, { model, engine }: OpenPotential): Promise<void> {
  const { backend } = await openDevice(engine.device);
  try {
    await evaluateBatch(batch, model, backend);
  } finally {
    backend.dispose();
  }
}

function resultOf(batch: Batch, { file, frame, label }: Structure, i: number): Singlepoint {
  const stress = batch.has("stress") ? batch.get("stress") : undefined;
  const isPeriodic = batch.get("pbc").slice(3 * i, 3 * i + 3).every((one) => one === 1);
  const hasStress = stress !== undefined && isPeriodic;
  const trace = hasStress ? stress[9 * i]! + stress[9 * i + 4]! + stress[9 * i + 8]! : NaN;
  return {
    type: "singlepoint",
    file,
    frame,
    label,
    atoms: batch.nodeOffsets[i + 1]! - batch.nodeOffsets[i]!,
    energy: batch.get("energy")[i]!,
    fmax: largestForce(batch, i),
    pressure: -trace / 3 / GIGAPASCAL,
  };
}

function printResults(
  { json }: SinglepointSettings,
  { terminal }: CommandRun,
  results: readonly Singlepoint[],
): void {
  const width = Math.max(...results.map(({ label }) => label.length));
  for (const result of results) {
    const { label, atoms, energy, fmax, pressure } = result;
    const pressed = Number.isNaN(pressure) ? "" : `  pressure ${pressure.toFixed(4)} GPa`;
    terminal.print(
      json
        ? JSON.stringify(result)
        : `${label.padEnd(width)}  ${atoms} atoms  energy ${energy.toFixed(6)} eV  ` +
          `${(energy / atoms).toFixed(6)} eV/atom  fmax ${fmax.toPrecision(3)} eV/Å${pressed}`,
    );
  }
}
