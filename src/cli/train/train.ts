/**
 * The commands `hooke train` and `hooke fine-tune`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import { openRunFolder } from "../../config/runs/run_folder.ts";
import type { RunFolder } from "../../config/runs/run_folder_protocol.ts";
import { resume } from "../../config/runs/resume.ts";
import { EarlyStopping } from "../../observe/training/early_stopping.ts";
import { NanGuard } from "../../observe/training/nan_guard.ts";
import type { TrainingGroup } from "../../training/group/training_group.ts";
import { fineTune } from "../../training/tuning/fine_tune.ts";
import type { FineTuned, FineTuneOptions } from "../../training/tuning/fine_tune_options.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { flagOf } from "../frame/option.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { withOptionsNamed } from "../run/missing_options.ts";
import { findModelFile } from "../run/model_file.ts";
import { notice } from "../run/notices.ts";
import { inNewRun } from "../run/new_run.ts";
import { inputsOf } from "../run/table.ts";
import { chooseFolder, resumeLine } from "../run/run_path.ts";
import { checkFolderPermission } from "../run/writable.ts";
import { readAllStructures, type Structure } from "../run/structures.ts";
import { userHooks } from "../run/user_hooks.ts";
import { folderName, warnOf, watched } from "../watch/watch.ts";
import { sameOnMachines, trainingConfig } from "./config.ts";
import { EpochTable } from "./epoch_table.ts";
import { onMachines, planMachines } from "./machines.ts";
import { checkRestart } from "./restart.ts";
import { checkTargets } from "./targets.ts";
import { tuneOptions } from "./tune_options.ts";
import type { TrainSettings } from "./settings.ts";
import { hashFrames, hashHooks, shareState } from "./shared_state.ts";

/** Trains a potential in a run folder. `command` is `train` or `fine-tune`. */
export async function train(
  command: string,
  settings: TrainSettings,
  run: CommandRun,
): Promise<number> {
  checkUsed(settings, run);
  const { model, frames } = modelAndFrames(command, settings);
  if (settings.validFraction >= 1) {
    throw new UsageError(
      `Cannot use --valid-fraction ${settings.validFraction}: it must be below 1, so that frames are left to train`,
    );
  }
  const warn = (message: string) => run.terminal.complain(message);
  const formats = await formatOptionsOf(settings, warn);
  const structures = await readAllStructures(frames, formats, run.signal);
  const valid = settings.validFile.length > 0
    ? await readAllStructures(settings.validFile, formats, run.signal)
    : settings.validFraction;
  checkTargets(command, structures, settings);
  const { source, sha256 } = await findModelFile(model, settings.modelOptions);
  const machines = planMachines(settings, run);
  const config = trainingConfig(
    command,
    machines === undefined ? settings : { ...settings, shards: machines.shards },
    { model, sha256, frames },
  );
  if (settings.dryRun) {
    const { modelSha256: _, ...all } = config; // `--config` refuses facts that are not options
    const shown = readableTraining(all);
    run.terminal.print(JSON.stringify(shown, null, 2));
    return ExitCode.DONE;
  }
  const all = Array.isArray(valid) ? [...structures, ...valid] : structures;
  const same = machines === undefined ? {} : sameOnMachines(config, {
    hooks: settings.hooks,
    hooksSha256: await hashHooks(settings.hooks),
    framesSha256: hashFrames(all),
  });
  const workOf = (run: CommandRun): TrainingWork => ({
    settings,
    run,
    inputs: { structures, valid },
    model: source,
    onMachines: (body) => onMachines(machines, { settings, same, run }, body),
  });
  if (machines !== undefined && machines.rank > 0) return await follow(workOf(run));
  const path = await folderFor(command, model, settings, run);
  checkFolderPermission(path, run);
  if (settings.restartLatest) await checkRestart(path, config, run);
  notice(run, settings, `Opening ${model}`);
  const { overwrite, restartLatest } = settings;
  const replacement = {
    overwrite: overwrite && !restartLatest,
    inputs: [model, ...inputsOf(settings)],
  };
  const title = `${command} ${model}: ${structures.length} frames, run folder ${path}`;
  const facts = { name: folderName(path), kind: "train", config } as const;
  return await watched(
    settings,
    run,
    facts,
    (run) => inNewRun(path, replacement, () => lead(workOf(run), { path, config, title })),
  );
}

/** Everything that a training needs on any machine. */
interface TrainingWork {
  readonly settings: TrainSettings;
  readonly run: CommandRun;
  readonly inputs: {
    readonly structures: readonly Structure[];
    readonly valid: readonly Structure[] | number;
  };
  readonly model: string;
  /** Calls a function with the group of machines, if there are several; again if a machine is lost. */
  readonly onMachines: (
    body: (group: TrainingGroup | undefined) => Promise<number>,
  ) => Promise<number>;
}

/** Trains in a run folder: alone, or as machine 0. */
async function lead(
  work: TrainingWork,
  { path, config, title }: {
    readonly path: string;
    readonly config: Readonly<Record<string, unknown>>;
    readonly title: string;
  },
): Promise<number> {
  const { settings, run } = work;
  return await work.onMachines(async (group) => {
    const folder = await openRunFolder(path, {
      config,
      override: settings.restartLatest, // checkRestart has refused changes of results
      checkpoints: { every: settings.checkpointEvery },
    });
    await run.page?.openFolder(path);
    return await disposing(folder, async (folder) => {
      const table = new EpochTable(settings, run, { title });
      const tuned = await tune(settings.modelOptions, {
        ...await tuning(work, group, [table]),
        out: `${path}/model.onnx`,
        prepare: async (trainer) => {
          folder.attach(trainer);
          run.page?.attach(trainer, group !== undefined && group.nodes > 1);
          const found = await resume(folder, trainer);
          if (found !== undefined) table.resumed(trainer.stepCount);
          if (group !== undefined) await shareState(group, trainer);
        },
      });
      const isStopped = group?.stopped.aborted === true;
      return printEnd(settings, run, { tuned, folder, table, isStopped });
    });
  });
}

/** Trains as a machine other than the first, which writes nothing. */
async function follow(work: TrainingWork): Promise<number> {
  const { settings, run } = work;
  return await work.onMachines(async (group) => {
    await tune(settings.modelOptions, {
      ...await tuning(work, group, []),
      prepare: (trainer) => shareState(group!, trainer),
    });
    const isStopped = group!.stopped.aborted;
    notice(run, settings, `Machine ${group!.rank} ${isStopped ? "was stopped" : "is done"}`);
    return isStopped ? ExitCode.INCOMPLETE : ExitCode.DONE;
  });
}

/** Returns the options that all machines share. `more` are hooks in addition to those of the settings. */
async function tuning(
  { settings, run, inputs, model }: TrainingWork,
  group: TrainingGroup | undefined,
  more: readonly unknown[],
): Promise<FineTuneOptions & { readonly model: string }> {
  return {
    ...tuneOptions(settings, inputs),
    model,
    ...(group !== undefined && { group }),
    signal: group?.stopped ?? run.signal,
    onWarning: ({ error }) => warnOf(run, error),
    hooks: [
      new NanGuard(),
      ...settings.patience === undefined
        ? []
        : [new EarlyStopping({ patience: settings.patience })],
      ...(await userHooks(settings.hooks)) as [],
      ...more as [],
    ],
  };
}

/** Returns the model and the files of frames: from options, or else from the arguments in this order. */
function modelAndFrames(
  command: string,
  { model, files, trainFile }: TrainSettings,
): { readonly model: string; readonly frames: readonly string[] } {
  const [first, ...rest] = model === undefined ? files : [model, ...files];
  const frames = [...rest, ...trainFile];
  if (first === undefined) {
    throw new UsageError(
      `Cannot ${command} without a model: pass an .onnx file, and then files of frames`,
    );
  }
  if (frames.length === 0) {
    throw new UsageError(`Cannot ${command} without frames: pass files of frames after ${first}`);
  }
  return { model: first, frames };
}

async function folderFor(
  command: string,
  model: string,
  settings: TrainSettings,
  { program }: CommandRun,
): Promise<string> {
  const { out, overwrite, restartLatest } = settings;
  if (restartLatest) {
    if (out !== undefined) return out;
    throw new UsageError(
      "Cannot restart without a folder: pass --out FOLDER with --restart-latest",
    );
  }
  const name = model.replace(/[#?].*$/, "").replace(/^.*[/\\]/, "").replace(/\.onnx$/, "");
  return await chooseFolder(out, {
    name: `${name}-${command}`,
    overwrite,
    inputs: [model, ...inputsOf(settings)],
    program: `${program} ${command}`,
  });
}

/** Throws a UsageError if the user has given an option that has no effect. */
function checkUsed(
  { stressWeight, ema }: TrainSettings,
  { given }: Pick<CommandRun, "given">,
): void {
  const unused: Readonly<Record<string, string | false>> = {
    stressKey: stressWeight === 0 && "a --stress-weight above 0",
    virialKey: stressWeight === 0 && "a --stress-weight above 0",
    emaDecay: !ema && "--ema",
  };
  for (const [name, needed] of Object.entries(unused)) {
    if (needed === false || !given.has(name)) continue;
    throw new UsageError(`Cannot use --${flagOf(name)}: it has no effect without ${needed}`);
  }
}

/** Returns a configuration without options that have no effect, which would be refused if a file had them. */
function readableTraining(config: Readonly<Record<string, unknown>>): object {
  const unused = [
    ...config.stressWeight === 0 ? ["stressKey", "virialKey"] : [],
    ...config.ema === true ? [] : ["emaDecay"],
  ];
  return Object.fromEntries(Object.entries(config).filter(([name]) => !unused.includes(name)));
}

/** Tunes a model. If it lacks options, the error names all of them. */
async function tune(
  modelOptions: TrainSettings["modelOptions"],
  options: FineTuneOptions & { readonly model: string },
): Promise<FineTuned> {
  return await withOptionsNamed(options.model, modelOptions, () => fineTune(options));
}

function printEnd(
  settings: TrainSettings,
  { terminal, signal, program }: CommandRun,
  { tuned, folder, table, isStopped }: {
    readonly tuned: FineTuned;
    readonly folder: RunFolder;
    readonly table: EpochTable;
    /** True if one of many machines was interrupted. */
    readonly isStopped: boolean;
  },
): number {
  const { outcome, before, after } = tuned;
  if (settings.json) {
    terminal.print(JSON.stringify({ type: "end", outcome, before, after, folder: folder.path }));
  } else if (!settings.quiet) {
    table.printSummary(before, after);
    terminal.print(`Wrote ${folder.path}: model.onnx, report.html`);
  }
  if (signal.aborted || isStopped) {
    terminal.complain(
      `${
        signal.aborted ? "Interrupted" : "Another machine was interrupted"
      }; a checkpoint is saved. To continue, run: ${resumeLine(program, folder.path)}`,
    );
  }
  return isStopped ? ExitCode.INCOMPLETE : ExitCode.DONE;
}
