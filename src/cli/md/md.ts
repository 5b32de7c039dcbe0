/**
 * The command `hooke md`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import type { CommandRun } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { warnOfCloseAtoms } from "../run/close_atoms.ts";
import { checkConstraints } from "../run/constraints.ts";
import { printDryRun } from "../run/dry_run.ts";
import { notice } from "../run/notices.ts";
import { checkModelExists } from "../run/model_file.ts";
import { openPotential } from "../run/potential.ts";
import { checkRunFileName } from "../run/planned_paths.ts";
import { inNewRun } from "../run/new_run.ts";
import { inputsOf } from "../run/table.ts";
import { counted } from "../run/counted.ts";
import { chooseFolder } from "../run/run_path.ts";
import { stemOf } from "../run/path_kind.ts";
import { checkFolderPermission } from "../run/writable.ts";
import { elementsOf, readAllStructures, type Structure } from "../run/structures.ts";
import { stressOption } from "./engine.ts";
import { configOf, factsOf, type MdConfig, stepsOf } from "./config.ts";
import { runDynamics } from "./run_dynamics.ts";
import type { MdSettings } from "./settings.ts";

/** Runs molecular dynamics in a new run folder. */
export async function md(settings: MdSettings, run: CommandRun): Promise<number> {
  checkSettings(settings, run);
  const warn = (message: string) => run.terminal.complain(message);
  const structures = await readAllStructures(
    settings.files,
    await formatOptionsOf(settings, warn),
    run.signal,
  );
  await checkConstraints(settings.constraints, structures);
  checkModelExists(settings.model);
  checkPeriodicity(settings, structures);
  await warnOfCloseAtoms(structures, run);
  const folder = await chooseFolder(settings.out, {
    name: `${stemOf(structures[0]!.file)}-md`,
    overwrite: settings.overwrite,
    inputs: inputsOf(settings),
    program: run.program,
  });
  if (!settings.dryRun) checkFolderPermission(folder, run);
  if (settings.model !== undefined) notice(run, settings, `Opening ${settings.model}`);
  const potential = await openPotential(settings, elementsOf(structures), {
    warn,
    stressFor: stressOption(settings),
    structures,
  });
  return await disposing(potential, async (potential) => {
    const config = configOf(settings, factsOf(structures, potential));
    if (settings.dryRun) return printPlan(settings, run, config, folder);
    const { overwrite } = settings;
    return await inNewRun(
      folder,
      { overwrite, inputs: inputsOf(settings) },
      () => runDynamics(settings, run, { potential, folder, config, structures }),
    );
  });
}

/** Throws a UsageError if an ensemble changes the cell and a structure has none. */
function checkPeriodicity({ ensemble }: MdSettings, structures: readonly Structure[]): void {
  if (ensemble !== "npt" && ensemble !== "nph") return;
  const open = structures.find(({ system }) => system.pbc.includes(0));
  if (open === undefined) return;
  throw new UsageError(
    `Cannot run ${ensemble}: it changes the volume, and ${open.label} is not periodic in three directions. ` +
      "Give it a cell, or pass --ensemble nvt",
  );
}

/** Throws a UsageError if options contradict each other. */
export function checkSettings(
  { ensemble, thermostat, steps, time, dt, traj }: MdSettings,
  { given }: Pick<CommandRun, "given">,
): void {
  checkRunFileName(traj, "--traj");
  if (steps !== undefined && time !== undefined) {
    throw new UsageError("Cannot use --time with --steps: pass one of them");
  }
  if (time !== undefined && stepsOf({ steps, time, dt }) === 0) {
    throw new UsageError(`Cannot use --time ${time}: it is shorter than half a step of ${dt} fs`);
  }
  const uses = usesOf({ ensemble, thermostat });
  const flags: Readonly<Record<string, string>> = {
    pressure: "--ensemble npt or nph",
    barostatTime: "--ensemble npt or nph",
    coupling: "--ensemble npt or nph",
    thermostat: "--ensemble nvt",
    friction: "--ensemble nvt and the langevin thermostat",
    thermostatTime: "--ensemble npt, or --thermostat bussi or nose-hoover",
  };
  const wrong = Object.keys(uses).find((name) => given.has(name) && !uses[name]);
  if (wrong === undefined) return;
  const flag = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`Cannot use ${flag}: it needs ${flags[wrong]}`);
}

/** Returns whether the ensemble uses each of its options. */
function usesOf(
  { ensemble, thermostat }: Pick<MdSettings, "ensemble" | "thermostat">,
): Readonly<Record<string, boolean>> {
  return {
    pressure: ensemble === "npt" || ensemble === "nph",
    barostatTime: ensemble === "npt" || ensemble === "nph",
    coupling: ensemble === "npt" || ensemble === "nph",
    thermostat: ensemble === "nvt",
    friction: ensemble === "nvt" && thermostat === "langevin",
    thermostatTime: ensemble === "npt" || ensemble === "nvt" && thermostat !== "langevin",
  };
}

function printPlan(
  settings: MdSettings,
  run: CommandRun,
  { facts, command, ...config }: MdConfig,
  folder: string,
): number {
  const uses = usesOf(settings), { json, quiet, overwrite } = settings;
  // Settings without effect are left out: they would be refused if a configuration file had them.
  const kept = Object.entries(config).filter(([name]) => uses[name] !== false);
  const shown = { ...Object.fromEntries(kept), out: settings.out, json, quiet, overwrite };
  const atoms = facts.structures.reduce((sum, { atoms }) => sum + atoms, 0);
  return printDryRun(
    run,
    command,
    shown,
    `Would run ${counted(config.steps, "step")} of ${settings.dt} fs for ${
      counted(facts.structures.length, "structure")
    } of ${counted(atoms, "atom")} ` +
      `in all, and write to the folder ${folder}`,
  );
}
