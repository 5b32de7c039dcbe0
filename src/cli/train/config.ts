/**
 * The configuration of a training as it is stored in the run folder.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import type { TrainSettings } from "./settings.ts";

/** Names of the settings that belong to one call of the command, or that `files` and `model` replace. */
const OF_CALL: ReadonlySet<string> = new Set([
  "config",
  "set",
  "dryRun",
  "json",
  "quiet",
  "overwrite",
  "out",
  "restartLatest",
  "trainFile",
]);

/** Returns all settings as they apply. Paths are absolute. */
export function trainingConfig(
  command: string,
  settings: TrainSettings,
  { model, sha256, frames }: {
    readonly model: string;
    readonly sha256: string;
    readonly frames: readonly string[];
  },
): Readonly<Record<string, unknown>> {
  const { resolve } = builtin("node:path");
  const kept = Object.entries(settings).filter(([name, value]) =>
    !OF_CALL.has(name) && value !== undefined
  );
  return {
    command,
    ...Object.fromEntries(kept),
    model: /^https?:/i.test(model) ? model : resolve(model),
    modelSha256: sha256,
    files: frames.map((file) => resolve(file)),
    validFile: settings.validFile.map((file) => resolve(file)),
    hooks: settings.hooks.map((file) => resolve(file)),
  };
}
