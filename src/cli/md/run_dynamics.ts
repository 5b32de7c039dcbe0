/**
 * Runs of dynamics in a run folder, new and resumed ones.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import type { Batch } from "../../batch/batch.ts";
import { resume } from "../../config/runs/resume.ts";
import { openRunFolder } from "../../config/runs/run_folder.ts";
import type { RunFolder } from "../../config/runs/run_folder_protocol.ts";
import { UnstableError } from "../../dynamics/diverged_error.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import { ProgressHook } from "../../observe/any/progress_hook.ts";
import { ThermoHook } from "../../observe/atoms/thermo_hook.ts";
import type { ThermoRow } from "../../observe/atoms/thermo_row.ts";
import { makeFolder } from "../../config/runs/run_files.ts";
import { openSink } from "../../sinks/open_sink.ts";
import type { StoredSink } from "../../sinks/sink.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { batchOf, resultsOf } from "../run/batch_of.ts";
import { constraintsOf } from "../run/constraints.ts";
import { progressHooks } from "../run/notices.ts";
import type { OpenPotential } from "../run/potential.ts";
import { saveResults } from "../run/results.ts";
import { resumeLine } from "../run/run_path.ts";
import type { Structure } from "../run/structures.ts";
import { userHooks } from "../run/user_hooks.ts";
import { folderName, warnOf, watched } from "../watch/watch.ts";
import { stopOnSignal } from "../stop.ts";
import type { MdConfig } from "./config.ts";
import { ensembleText, openEngine } from "./engine.ts";
import { thermoScalars } from "./scalars.ts";
import type { MdSettings } from "./settings.ts";
import { meanRow, thermoHead, thermoLine } from "./thermo_table.ts";
import { setVelocities } from "./velocities.ts";

/** Interval between two checkpoints, s, in addition to those by steps: a killed run with slow steps loses no more. */
const CHECKPOINT_SECONDS = 600;

/** Interval between two reports that are not shown, s. */
const SELDOM = 1e6;

/** What a run of dynamics needs besides its settings. */
export interface DynamicsParts {
  readonly potential: OpenPotential;
  /** Path of the run folder. */
  readonly folder: string;
  readonly config: MdConfig;
  /** Structures of a new run; undefined for a run that resumes from a checkpoint. */
  readonly structures: readonly Structure[] | undefined;
  /** True to continue the run of the folder, even if its configuration has changed. */
  readonly isResumed?: boolean;
}

/** Runs dynamics in a run folder, from its newest checkpoint if there is one. Returns the exit code. */
export async function runDynamics(
  settings: MdSettings,
  run: CommandRun,
  parts: DynamicsParts,
): Promise<number> {
  stopOnSignal(run, settings.signal);
  const { steps } = parts.config, { dt } = settings;
  const facts = {
    name: folderName(parts.folder),
    kind: "md",
    steps,
    dt,
    config: parts.config,
  } as const;
  return await watched(settings, run, facts, (run) => runWith(settings, run, parts));
}

async function runWith(
  settings: MdSettings,
  run: CommandRun,
  parts: DynamicsParts,
): Promise<number> {
  const { folder: path, config, isResumed = false } = parts;
  const sink = await openSinkIn(path, settings.traj);
  try {
    const folder = await openRunFolder(path, {
      config,
      override: isResumed,
      checkpoints: { every: settings.checkpointEvery, everySeconds: CHECKPOINT_SECONDS },
      trajectory: { sink, frequency: settings.trajEvery, initial: true, fields: fieldsOf(config) },
      scalars: { frequency: settings.logEvery, nSteps: config.steps, ...thermoScalars(config) },
    });
    await run.page?.openFolder(path);
    return await disposing(folder, async (folder) => {
      try {
        return await runIn(folder, settings, run, parts);
      } finally {
        // Unlike the report at the end of the engine, it has pictures of the structures.
        if (folder.engine !== undefined) {
          const { writeFinalReport } = await import("../report/run_report.ts"); // not needed to begin
          await writeFinalReport(path, (message) => run.terminal.complain(message));
        }
      }
    });
  } finally {
    await sink.close();
  }
}

async function openSinkIn(folder: string, name: string): Promise<StoredSink> {
  await makeFolder(folder);
  return await openSink(`${folder}/${name}`);
}

/** Fields of a frame of the trajectory. */
function fieldsOf({ facts: { hasPressure } }: MdConfig): string[] {
  return ["velocities", "energy", "forces", ...(hasPressure ? ["stress"] : [])];
}

async function runIn(
  folder: RunFolder,
  settings: MdSettings,
  run: CommandRun,
  { potential, config, structures }: DynamicsParts,
): Promise<number> {
  const { terminal, signal } = run;
  let isUnstable = false;
  const engine = await openEngine(settings, {
    model: potential.model,
    ...potential.engine,
    signal,
    constraints: await constraintsOf(settings.constraints),
    onWarning: ({ error }) => {
      warnOf(run, error);
      // Before the first step, the engine only doubts the time step.
      if (error instanceof UnstableError && error.step >= 0) isUnstable = true;
    },
  });
  return await disposing(engine, async (engine) => {
    folder.attach(engine);
    const clock = new StepClock();
    addHooks(engine, settings, run, { folder, config, clock });
    for (const hook of await userHooks(settings.hooks)) engine.hooks.add(hook as never);
    run.page?.attach(engine);
    const resumed = await resume(folder, engine);
    const batch = resumed?.batch ?? newBatch(settings, run, config, structures!);
    printHead(settings, run, { config, folder, engine, batch });
    const from = engine.stepCount;
    await engine.run(batch, Math.max(0, config.steps - from));
    if (engine.stepCount >= config.steps) run.completed();
    const isElsewhere = await writeFinal(folder.path, batch, terminal);
    printEnd(settings, run, {
      config,
      folder,
      engine,
      steps: engine.stepCount - from,
      seconds: clock.seconds(signal.aborted),
    });
    if (isUnstable) {
      terminal.complain(
        "The results are not physical: see the warnings above. Do not use them; try a smaller --dt, " +
          "or relax the structure before",
      );
    }
    return isElsewhere ? ExitCode.FAILED : isUnstable ? ExitCode.INCOMPLETE : ExitCode.DONE;
  });
}

/** The clock of the progress. The summary uses its times, so that both show the same speed. */
class StepClock {
  #first: number | undefined;
  #last = NaN;

  /** Returns the time, ms. The progress asks for it when steps begin, and after the last step. */
  readonly now = (): number => {
    this.#last = performance.now();
    this.#first ??= this.#last;
    return this.#last;
  };

  /** Returns the time from the first to the last question, s, or until now if the run was interrupted. */
  seconds(isInterrupted: boolean): number {
    const end = isInterrupted ? performance.now() : this.#last;
    return (end - (this.#first ?? NaN)) / 1000;
  }
}

/** Adds the log of the folder, and the table of the terminal. */
function addHooks(
  engine: Dynamics,
  settings: MdSettings,
  run: CommandRun,
  { folder, config, clock }: {
    readonly folder: RunFolder;
    readonly config: MdConfig;
    readonly clock: StepClock;
  },
): void {
  const shared = { every: settings.logEvery, pressure: config.facts.hasPressure };
  engine.hooks.add(new ThermoHook({ ...shared, output: `${folder.path}/log.csv`, name: "log" }));
  // With --quiet the hooks are there, too: a run that resumes with other hooks would warn that it cannot restore them.
  const isQuiet = settings.quiet && !settings.json;
  const output = isQuiet
    ? () => {}
    : (rows: readonly ThermoRow[]) => printRows(rows, settings, run);
  engine.hooks.add(new ThermoHook({ ...shared, output, atEnd: true, name: "table" }));
  const shown = progressHooks(run, settings, config.steps, clock);
  const progress = shown[0] ??
    new ProgressHook({ write: () => {}, everySeconds: SELDOM, now: clock.now });
  engine.hooks.add(progress as never);
}

function printRows(
  rows: readonly ThermoRow[],
  { json }: MdSettings,
  { terminal }: CommandRun,
): void {
  if (!json) return terminal.print(thermoLine(meanRow(rows)));
  // JSON has no NaN, so that missing values become null.
  for (const row of rows) terminal.print(JSON.stringify({ type: "thermo", ...row }));
}

function newBatch(
  settings: MdSettings,
  { terminal }: CommandRun,
  _config: MdConfig,
  structures: readonly Structure[],
): Batch {
  const batch = batchOf(structures);
  const text = setVelocities(batch, structures, settings);
  if (!settings.quiet && !settings.json) terminal.print(text);
  return batch;
}

function printHead(
  settings: MdSettings,
  { terminal }: CommandRun,
  { config, folder, engine, batch }: {
    readonly config: MdConfig;
    readonly folder: RunFolder;
    readonly engine: Dynamics;
    readonly batch: Batch;
  },
): void {
  if (settings.quiet || settings.json) return;
  const { structures: [first, ...others], potential } = config.facts;
  const what = others.length === 0 ? first!.label : `${batch.size} structures`;
  const { dt } = settings, { steps } = config;
  terminal.print(
    `${what}: ${batch.nodeCount} atoms, potential ${potential}, ${
      ensembleText(settings)
    }, ${steps} steps of ${dt} fs ` +
      `(${+(steps * dt / 1000).toPrecision(6)} ps)`,
  );
  if (engine.stepCount > 0) terminal.print(`Resuming at step ${engine.stepCount}`);
  terminal.print(`Run folder: ${folder.path}`);
  if (others.length > 0) {
    terminal.print(`Means over ${batch.size} structures; log.csv has each of them:`);
  }
  terminal.print(thermoHead());
}

/** Writes the structures as they are after the last step. Returns whether they had to be written elsewhere. */
async function writeFinal(
  folder: string,
  batch: Batch,
  terminal: CommandRun["terminal"],
): Promise<boolean> {
  const systems = resultsOf(batch, true);
  const plan = [{ path: `${folder}/final.xyz`, structures: systems.map((_, i) => i) }];
  const { isElsewhere } = await saveResults(
    plan,
    systems,
    {},
    (message) => terminal.complain(message),
  );
  return isElsewhere;
}

function printEnd(
  settings: MdSettings,
  { terminal, signal, program }: CommandRun,
  { config, folder, engine, steps, seconds }: {
    readonly config: MdConfig;
    readonly folder: RunFolder;
    readonly engine: Dynamics;
    readonly steps: number;
    readonly seconds: number;
  },
): void {
  const isInterrupted = signal.aborted && engine.stepCount < config.steps;
  const perDay = steps * settings.dt / 1e6 / seconds * 86400;
  if (settings.json) {
    terminal.print(JSON.stringify({
      type: "end",
      step: engine.stepCount,
      of: config.steps,
      seconds,
      nsPerDay: perDay,
      folder: folder.path,
      interrupted: isInterrupted,
    }));
  } else if (!settings.quiet) {
    const isOver = steps === 0 && engine.stepCount > 0 && engine.stepCount >= config.steps;
    const speed = isOver
      ? `The run already has ${engine.stepCount} steps; a larger --steps or --time makes it longer`
      : steps === 0
      ? `${steps} steps`
      : `${steps} steps in ${seconds.toFixed(2)} s, ${+perDay.toPrecision(3)} ns/day`;
    terminal.print(
      `${speed}. Wrote ${folder.path}: report.html, log.csv, ${settings.traj}, final.xyz`,
    );
  }
  if (!isInterrupted) return;
  const where = engine.stepCount === 0
    ? "Interrupted before the first step. To begin"
    : `Interrupted at step ${engine.stepCount} of ${config.steps}; a checkpoint is saved. To continue`;
  terminal.complain(`${where}, run: ${resumeLine(program, folder.path)}`);
}
