/**
 * Engines of a run in a tab: those of the commands `md` and `relax`, with the same hooks.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { batchOf } from "../../cli/run/batch_of.ts";
import { checkConstraints, constraintsOf } from "../../cli/run/constraints.ts";
import type { OpenPotential } from "../../cli/run/potential.ts";
import { stressHook } from "../../cli/run/stress_hook.ts";
import { elementsOf, type Structure } from "../../cli/run/structures.ts";
import { factsOf, type RunFacts, stepsOf } from "../../cli/md/config.ts";
import { openEngine as openDynamics, stressOption } from "../../cli/md/engine.ts";
import { thermoScalars } from "../../cli/md/scalars.ts";
import type { MdSettings } from "../../cli/md/settings.ts";
import { setVelocities } from "../../cli/md/velocities.ts";
import { cellOption, openEngine as openOptimizer } from "../../cli/relax/engine.ts";
import type { RelaxSettings } from "../../cli/relax/settings.ts";
import { convergenceHook } from "../../cli/relax/stress_criterion.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import type { DynamicsOptions } from "../../dynamics/engine/dynamics_options.ts";
import type { ReporterOptions } from "../../observe/reporter/reporter_options.ts";
import type { TabRequest } from "./messages.ts";
import { openTabPotential } from "./potential.ts";
import { readTabSettings } from "./settings.ts";
import { readTabStructures } from "./structures.ts";

/** Parts of a run in a tab. */
export interface TabParts {
  readonly engine: Dynamics;
  readonly batch: Batch;
  readonly potential: OpenPotential;
  /** Configuration, as the commands store it. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly facts: RunFacts;
  /** Number of steps in all. */
  readonly steps: number;
  /** True for dynamics, whose atoms have velocities. */
  readonly isMoving: boolean;
  /** Time step, fs, of dynamics. */
  readonly dt?: number;
  /** Interval of frames and of rows, steps. */
  readonly trajEvery: number;
  readonly logEvery: number;
  /** Fields of a frame of the trajectory. */
  readonly fields: readonly string[];
  readonly scalars: Pick<ReporterOptions, "scalars" | "reads">;
  /** Sentences about the beginning. */
  readonly notes: readonly string[];
}

type Warn = (message: string) => void;

/** Reads the files of a request, and opens its potential and its engine. Nothing is computed yet. */
export async function openTabParts(request: TabRequest, warn: Warn): Promise<TabParts> {
  const { task } = request;
  if (task === "fine-tune") throw new TypeError("Cannot open an engine: a training has none");
  const settings = readTabSettings(task, request.settings);
  const { types, units } = settings;
  const structures = await readTabStructures(request.files, {
    onWarning: warn,
    ...types !== undefined && { types: types.split(",").map((symbol) => symbol.trim()) },
    ...units !== undefined && { units },
  });
  await checkConstraints(settings.constraints, structures);
  const isMd = task === "md";
  const needsStress = isMd ? stressOption(settings as MdSettings) : cellOption(settings as never);
  if (!isMd && needsStress !== undefined) checkPeriodic(needsStress, structures, warn);
  const potential = await openTabPotential(settings, {
    model: request.model,
    manifest: request.manifest,
    symbols: elementsOf(structures),
    needsStress: needsStress !== undefined,
    warn,
  });
  try {
    const options = {
      model: potential.model,
      ...potential.engine,
      constraints: await constraintsOf(settings.constraints),
      onWarning: ({ error }: { readonly error: unknown }) =>
        warn(error instanceof Error ? error.message : String(error)),
    };
    const opened = { potential, structures, options };
    return isMd
      ? await dynamicsParts(settings as MdSettings, opened)
      : await optimizerParts(settings as RelaxSettings, opened);
  } catch (error) {
    await potential[Symbol.asyncDispose]();
    throw error;
  }
}

function checkPeriodic(option: string, structures: readonly Structure[], warn: Warn): void {
  const name = option.replace(/^--/, "");
  const open = structures.filter(({ system }) => !system.pbc.includes(1));
  if (open.length === structures.length) {
    throw new RangeError(`Cannot use ${name}: no structure is periodic`);
  }
  for (const { label } of open) warn(`${label} is not periodic, so ${name} has no effect on it`);
}

interface Opened {
  readonly potential: OpenPotential;
  readonly structures: readonly Structure[];
  readonly options: DynamicsOptions;
}

async function dynamicsParts(
  settings: MdSettings,
  { potential, structures, options }: Opened,
): Promise<TabParts> {
  const facts = factsOf(structures, potential), steps = stepsOf(settings);
  const batch = batchOf(structures), note = setVelocities(batch, structures, settings);
  const { trajEvery, logEvery, dt } = settings;
  const config = configOf("md", settings, { steps, facts });
  return {
    potential,
    batch,
    facts,
    steps,
    config,
    trajEvery,
    logEvery,
    dt,
    engine: await openDynamics(settings, options),
    isMoving: true,
    fields: ["velocities", "energy", "forces", ...(facts.hasPressure ? ["stress"] : [])],
    scalars: thermoScalars({ facts } as never),
    notes: [note],
  };
}

async function optimizerParts(
  settings: RelaxSettings,
  { potential, structures, options }: Opened,
): Promise<TabParts> {
  const facts = factsOf(structures, potential), { steps } = settings;
  const batch = batchOf(structures, { dropVelocities: true });
  const hooks = [convergenceHook(settings), ...stressHook(potential.model, batch)];
  return {
    potential,
    batch,
    facts,
    steps,
    trajEvery: 1,
    logEvery: 1,
    config: configOf("relax", settings, { steps, facts }),
    engine: await openOptimizer(settings, { ...options, hooks: hooks as never }),
    isMoving: false,
    fields: ["energy", "forces"],
    scalars: {},
    notes: [],
  };
}

/** Settings of one call of the command, and settings without a meaning in a tab. */
const OF_CALL: ReadonlySet<string> = new Set(
  ["config", "set", "dryRun", "json", "quiet", "overwrite", "out", "output", "time"],
);

/** Returns the configuration as the command stores it. Files have names instead of paths. */
function configOf(
  command: string,
  settings: MdSettings | RelaxSettings,
  { steps, facts }: { readonly steps: number; readonly facts: RunFacts },
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(settings).filter(([name, value]) =>
    !OF_CALL.has(name) && value !== undefined
  );
  const files = [...new Set(facts.structures.map(({ label }) => label.replace(/@\d+$/, "")))];
  const isFile = facts.modelSha256 !== null;
  return {
    command,
    ...Object.fromEntries(kept),
    steps,
    files,
    ...isFile && { model: facts.potential },
    facts,
  };
}
