/**
 * The configuration of a training as it is stored in the run folder.
 *
 * @module
 */

import { versions } from "../../config/versions.ts";
import { builtin } from "../../platform/process.ts";
import { MACHINE_NAMES } from "./machine_options.ts";
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
  "watch",
  "watchPort",
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
    !OF_CALL.has(name) && !MACHINE_NAMES.has(name) && value !== undefined
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

/** Names of settings that may differ between the machines of a training. */
const OWN_OF_MACHINE: ReadonlySet<string> = new Set([
  "model",
  "files",
  "validFile",
  "checkpointEvery",
]);

/** Returns the settings that must be equal on all machines of a training. Files count by their content, or by name. */
export function sameOnMachines(
  config: Readonly<Record<string, unknown>>,
  { hooks, hooksSha256, framesSha256 }: {
    readonly hooks: readonly string[];
    readonly hooksSha256: readonly (string | null)[];
    readonly framesSha256: string;
  },
): Readonly<Record<string, unknown>> {
  const { basename } = builtin("node:path");
  const kept = Object.entries(config).filter(([name]) => !OWN_OF_MACHINE.has(name));
  return {
    ...Object.fromEntries(kept),
    hooks: hooks.map((path) => basename(path)),
    hooksSha256,
    framesSha256,
    hooke: versions().hooke,
  };
}
