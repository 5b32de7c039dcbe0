/**
 * The command `hooke resume`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import { isObject } from "../../base/object.ts";
import { reasonOf } from "../../base/show.ts";
import { checkpointsIn } from "../../checkpoint/mod.ts";
import { parseIdentity, pathsIn, textIn } from "../../config/runs/run_files.ts";
import { builtin } from "../../platform/process.ts";
import { currentFolder, enterFolder } from "../../platform/program.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { flagOf } from "../frame/option.ts";
import { UsageError } from "../frame/usage_error.ts";
import { configOf, factsOf, type MdConfig, type RunFacts, stepsOf } from "../md/config.ts";
import { stressOption } from "../md/engine.ts";
import { checkSettings } from "../md/md.ts";
import { runDynamics } from "../md/run_dynamics.ts";
import type { MdSettings } from "../md/settings.ts";
import { notice } from "../run/notices.ts";
import { kindOf } from "../run/path_kind.ts";
import { openPotential } from "../run/potential.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { checkFolderPermission } from "../run/writable.ts";
import { readAllStructures, type Structure } from "../run/structures.ts";
import { isTraining, restartSettings } from "../train/restart.ts";
import type { ScreenSettings } from "../screen/settings.ts";
import { type Change, changesText, findChanges } from "./changes.ts";
import type { ResumeSettings } from "./settings.ts";

/** Continues the run of a folder. */
export async function resumeRun(settings: ResumeSettings, run: CommandRun): Promise<number> {
  const folder = folderOf(settings);
  const stored = await storedConfig(folder);
  if (stored.command === "screen") return await resumeScreen(folder, stored, settings, run);
  if (isTraining(stored.command)) return await resumeTraining(folder, stored, settings, run);
  const known = stored as unknown as MdConfig;
  checkFolderPermission(folder, run);
  refuseOptions(folder, run, (name) => !["epochs", "patience"].includes(name), "md has no epochs");
  const wanted = mergedSettings(known, settings, run);
  checkSettings(wanted, run);
  const { facts } = known;
  if (wanted.model !== undefined) {
    const isKnown = wanted.model === known.model;
    notice(run, settings, `Opening ${isKnown ? facts.potential : wanted.model}`);
  }
  const warn = (message: string) => run.terminal.complain(message);
  const potential = await openPotential(wanted, facts.elements, {
    warn,
    stressFor: stressOption(wanted),
  });
  return await disposing(potential, async (potential) => {
    const checkpoints = await checkpointsIn(pathsIn(folder).checkpoints);
    const isBegun = checkpoints.length > 0;
    if (isBegun && run.given.has("drawVelocities")) {
      throw new UsageError(
        "Cannot use --draw-velocities: the run continues from a checkpoint, which has its velocities",
      );
    }
    // A run that was killed before its first checkpoint begins again, with the structures of its files.
    const structures = isBegun ? undefined : labeled(
      await readAllStructures(wanted.files, await formatOptionsOf(wanted, warn), run.signal),
      facts,
    );
    const now = structures === undefined
      ? { ...facts, potential: potential.name, modelSha256: potential.sha256 ?? null }
      : factsOf(structures, potential);
    const config = {
      ...configOf(wanted, withKnownName(now, wanted, known)),
      // A begun run does not read its files again: they may have no path, as those of a run in a page.
      ...isBegun && wanted.files === known.files && { files: known.files },
    };
    const changes = findChanges(known, config);
    refuseNewEngine(changes, run, folder);
    refuseChanges(changes, settings, run, folder);
    checkSteps(config, Math.max(0, ...checkpoints.map(({ step }) => step)), folder);
    if (settings.dryRun) {
      run.terminal.print(JSON.stringify(config, null, 2));
      return ExitCode.DONE;
    }
    return await runDynamics(wanted, run, {
      potential,
      folder,
      config,
      structures,
      isResumed: true,
    });
  });
}

/**
 * Returns structures with the labels that they had when the run began: the stored paths of files are absolute, and
 * labels have paths as the user has given them.
 */
function labeled(structures: readonly Structure[], { structures: known }: RunFacts): Structure[] {
  const isSame = structures.length === known.length;
  return structures.map((one, i) => isSame ? { ...one, label: known[i]!.label } : one);
}

/** Returns facts with the name of the potential as the user has given it, if the potential is the same. */
function withKnownName(now: RunFacts, { model }: MdSettings, known: MdConfig): RunFacts {
  const { modelSha256, potential } = known.facts;
  const isSame = model === known.model || modelSha256 !== null && now.modelSha256 === modelSha256;
  return isSame ? { ...now, potential } : now;
}

function folderOf({ folder }: ResumeSettings): string {
  if (folder.length === 1) return folder[0]!.replace(/(.)[/\\]+$/, "$1");
  throw new UsageError(
    folder.length === 0
      ? "Cannot resume without a run folder: pass the folder that the run has written"
      : `Cannot resume ${folder.length} runs at once: pass one run folder; got ${
        folder.join(", ")
      }`,
  );
}

/** Continues a screening with the options that it has. */
async function resumeScreen(
  folder: string,
  { command: _, modelSha256: __, cwd, ...known }: Readonly<Record<string, unknown>>,
  { json, quiet, watch, watchPort }: ResumeSettings,
  run: CommandRun,
): Promise<number> {
  const isKnown = (name: string) => ["folder", "json", "quiet", ...WATCH].includes(name);
  refuseOptions(folder, run, isKnown, "a screening goes on with the options that it has");
  const { screenInto } = await import("../screen/screen.ts");
  const settings = { ...known, json, quiet, watch, watchPort, overwrite: false, dryRun: false };
  const here = currentFolder(), path = cwd === here ? folder : builtin("node:path").resolve(folder);
  // The ledger has the paths as the user has given them, which are relative to that folder.
  enter(String(cwd), folder);
  try {
    return await screenInto(path, settings as unknown as ScreenSettings, run);
  } finally {
    enterFolder(here);
  }
}

function enter(cwd: string, folder: string): void {
  if (cwd === currentFolder()) return;
  try {
    enterFolder(cwd);
  } catch (error) {
    throw new UsageError(
      `Cannot resume ${folder}: its files are relative to ${cwd}, which cannot be opened: ${
        reasonOf(error)
      }`,
    );
  }
}

/** Throws a UsageError if the user has given an option that the run in the folder does not take. */
function refuseOptions(
  folder: string,
  { given }: CommandRun,
  isKnown: (name: string) => boolean,
  reason: string,
): void {
  const other = [...given].find((name) => !isKnown(name));
  if (other === undefined) return;
  throw new UsageError(`Cannot resume ${folder} with --${flagOf(other)}: ${reason}`);
}

/** Options of the page, which belong to no run. */
const WATCH: readonly string[] = ["watch", "watchPort"];

/** Options of a training that may change when it continues. */
const OF_TRAINING = ["epochs", "patience", "threads", "checkpointEvery"] as const;

/** Continues a training. */
async function resumeTraining(
  folder: string,
  known: Readonly<Record<string, unknown>>,
  settings: ResumeSettings,
  run: CommandRun,
): Promise<number> {
  const { given } = run, { json, quiet, dryRun, config, watch, watchPort } = settings;
  const may: readonly string[] = ["folder", "json", "quiet", "dryRun", ...WATCH, ...OF_TRAINING];
  refuseOptions(
    folder,
    run,
    (name) => may.includes(name),
    "a training goes on with its options, except --epochs, --patience, --threads and --checkpoint-every",
  );
  const changed = Object.fromEntries(
    OF_TRAINING.filter((name) => given.has(name)).map((name) => [name, settings[name]]),
  );
  const { train } = await import("../train/train.ts");
  const all = restartSettings(folder, known, {
    ...changed,
    json,
    quiet,
    dryRun,
    config,
    watch: watch ?? false,
    watchPort,
  });
  return await train(String(known.command), all, run);
}

/** Returns the configuration of a run of a command that can be resumed. */
async function storedConfig(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const { config: path } = pathsIn(folder), text = await textIn(path);
  if (text === undefined) {
    throw new UsageError(
      kindOf(folder) === undefined
        ? `Cannot resume ${folder}: there is no such folder`
        : kindOf(`${folder}/campaign.json`) === "file"
        ? `Cannot resume ${folder}: it is a campaign. hooke work computes what is missing`
        : `Cannot resume ${folder}: it is not a run folder, because it has no config.json`,
    );
  }
  const { config } = parseIdentity(text, path);
  if (isObject(config) && ["md", "screen", "train", "fine-tune"].includes(String(config.command))) {
    return config;
  }
  throw new UsageError(
    `Cannot resume ${folder}: another program has made its run; it can be continued by a program that calls resume()`,
  );
}

/** Returns the settings of the run, with those that the user has given. */
function mergedSettings(
  { command: _, facts: __, ...known }: MdConfig,
  settings: ResumeSettings,
  { given }: CommandRun,
): MdSettings {
  const { folder: ___, override: ____, epochs: _____, patience: ______, ...own } = settings;
  const isGiven = (name: string) =>
    given.has(name) || ["json", "quiet", "dryRun", "config", "set"].includes(name);
  const changed = Object.fromEntries(Object.entries(own).filter(([name]) => isGiven(name)));
  const merged = { ...known, overwrite: false, out: undefined, ...changed } as MdSettings;
  if (given.has("steps") || !given.has("time")) return merged;
  return { ...merged, steps: stepsOf({ ...merged, steps: undefined }), time: undefined };
}

/** Options that the files of a run depend on. No run continues with others. */
const FIXED: ReadonlySet<string> = new Set(["ensemble", "thermostat", "traj"]);

function refuseNewEngine(
  changes: readonly Change[],
  { program }: CommandRun,
  folder: string,
): void {
  const fixed = changes.filter(({ name }) => FIXED.has(name));
  if (fixed.length === 0) return;
  throw new UsageError(
    `Cannot resume ${folder}: ${changesText(fixed)}, and a run keeps its ${
      [...FIXED].join(", ")
    }. ` +
      `Start a new run from its last structures by ${program} md`,
  );
}

/** Throws a UsageError if a run shall end before the step that it has reached. */
function checkSteps({ steps }: MdConfig, done: number, folder: string): void {
  if (steps >= done) return;
  throw new UsageError(
    `Cannot resume ${folder} until step ${steps}: the run has done ${done} steps. ` +
      `--steps and --time count from the beginning of the run`,
  );
}

function refuseChanges(
  changes: readonly Change[],
  { override }: ResumeSettings,
  { program }: CommandRun,
  folder: string,
): void {
  const serious = changes.filter(({ changesResults }) => changesResults);
  if (serious.length === 0 || override) return;
  throw new UsageError(
    `Cannot resume ${folder} with other options: ${changesText(serious)}. ` +
      `Pass --override to go on with them, or start a new run by ${program} md`,
  );
}
