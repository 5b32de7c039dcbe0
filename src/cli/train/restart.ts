/**
 * Continuation of a training in its run folder.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { parseIdentity, pathsIn, textIn } from "../../config/runs/run_files.ts";
import type { CommandRun } from "../frame/command.ts";
import { shellWord } from "../frame/permission.ts";
import { UsageError } from "../frame/usage_error.ts";
import { changesText, findTrainingChanges } from "../resume/changes.ts";
import type { TrainSettings } from "./settings.ts";

/**
 * Throws a UsageError if the training in a folder has other options than `config`, except those that only make the
 * run longer, faster or safer.
 */
export async function checkRestart(
  folder: string,
  config: Readonly<Record<string, unknown>>,
  { program }: CommandRun,
): Promise<void> {
  const { config: path } = pathsIn(folder), text = await textIn(path);
  if (text === undefined) return; // a new run
  const { config: known } = parseIdentity(text, path);
  if (!isObject(known) || !isTraining(known.command)) {
    throw new UsageError(
      `Cannot restart ${folder}: it has a run of another command. Pass another folder by --out`,
    );
  }
  const serious = findTrainingChanges(known, config).filter(({ changesResults }) => changesResults);
  if (serious.length === 0) return;
  throw new UsageError(
    `Cannot restart ${folder} with other options: ${changesText(serious)}. ` +
      `To go on with the options of the run, run: ${program} resume ${shellWord(folder)}. ` +
      "For a new run, pass another folder by --out, without --restart-latest",
  );
}

/** Returns whether a run of this command is a training. */
export function isTraining(command: unknown): command is "train" | "fine-tune" {
  return command === "train" || command === "fine-tune";
}

/** Returns the settings with which the training in a folder continues, from the configuration in the folder. */
export function restartSettings(
  folder: string,
  known: Readonly<Record<string, unknown>>,
  changed: Partial<TrainSettings>,
): TrainSettings {
  const { command: _, modelSha256: __, ...kept } = known;
  return {
    ...kept,
    trainFile: [],
    set: [],
    overwrite: false,
    restartLatest: true,
    out: folder,
    ...changed,
  } as unknown as TrainSettings;
}
