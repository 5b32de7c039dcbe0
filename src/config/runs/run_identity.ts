/**
 * Identity of run folders, and removal of files that a killed process has left behind.
 *
 * @module
 */

import { checkpointsIn } from "../../checkpoint/mod.ts";
import { LineFile } from "../../sinks/mod.ts";
import { canonicalText } from "../../base/canonical_json.ts";
import { configHash } from "../../base/config_hash.ts";
import { isObject } from "../../base/object.ts";
import {
  foreignNames,
  namesIn,
  parseIdentity,
  removeFile,
  type RunIdentity,
  type RunPaths,
  textIn,
  writeIdentity,
} from "./run_files.ts";
import { parseRunLog } from "./parse_run_log.ts";
import { newRunId } from "./run_log_options.ts";

/** Pattern of files that a killed process may leave in a folder before it has written `config.json`. */
const LEFTOVERS = /^(lock|lock\.lock|config\.json\..*\.tmp)$/;

/** Throws a RangeError if a folder contains files and is not a run folder. Nothing is written to the folder. */
export async function assertRunFolder(folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (names.includes("config.json")) return;
  const foreign = foreignNames(folder, names.filter((name) => !LEFTOVERS.test(name)));
  if (foreign.length === 0) return;
  throw new RangeError(
    `Cannot open run folder ${folder}: it has no config.json, and contains other files: ${
      foreign.slice(0, 5).join(", ")
    }. Remove them, or use another folder: nextRunFolder() finds a free one`,
  );
}

/**
 * Returns the identity that is stored in a run folder. If the folder has no identity, or the identity of another
 * configuration with which no run has done a step, stores and returns a new one. If a run has done a step with another
 * configuration, throws a RangeError, or with `override` returns the identity with the new configuration, which is not
 * stored yet, and the identity that it replaces.
 */
export async function identify(
  paths: RunPaths,
  config: unknown,
  override: boolean = false,
): Promise<{ readonly identity: RunIdentity; readonly replaced?: RunIdentity }> {
  const text = await textIn(paths.config);
  const hash = config === undefined ? null : await configHash(config);
  const known = text === undefined ? undefined : parseIdentity(text, paths.config);
  const isOther = known !== undefined && config !== undefined && known.configHash !== hash;
  if (isOther && override) {
    return { identity: { ...known, configHash: hash, config: plainOf(config) }, replaced: known };
  }
  if (known === undefined || isOther && !await hasSteps(paths)) {
    // Checkpoints of step 0 contain the structure of the old configuration, so they are removed.
    if (isOther) {
      for (const { path } of await checkpointsIn(paths.checkpoints)) await removeFile(path);
    }
    const begun = new Date().toISOString();
    const plain = config === undefined ? null : plainOf(config);
    const identity = { id: newRunId(), begun, configHash: hash, config: plain };
    await writeIdentity(paths.config, identity);
    return { identity };
  }
  if (!isOther) return { identity: known };
  throw new RangeError(
    `Cannot open run folder ${paths.folder}: the configuration must be that of the run in it; ` +
      `got one that differs${differing(known.config, config)} (hash ${hash}, the run has ` +
      `${
        known.configHash ?? "no configuration"
      }). Use another folder: nextRunFolder() finds a free one`,
  );
}

/** Returns a configuration in the form that was hashed: typed arrays, dates and the like in their form in JSON. */
function plainOf(config: unknown): unknown {
  return JSON.parse(canonicalText(config, "config"));
}

/**
 * Returns whether a run in the folder has done a step. A part that never ended counts as one with a step, because a
 * killed process may not have logged its last steps.
 */
export async function hasSteps(paths: RunPaths): Promise<boolean> {
  if ((await checkpointsIn(paths.checkpoints)).some(({ step }) => step > 0)) return true;
  if ((await textIn(paths.scalars) ?? "") !== "") return true;
  const records = parseRunLog(await textIn(paths.runs) ?? "", paths.runs);
  const count = (wanted: string) => records.filter(({ type }) => type === wanted).length;
  return records.some(({ step }) => step > 0) || count("start") !== count("end");
}

/**
 * Returns the end of an error message, which lists the members in which two configurations differ. Returns an empty
 * text unless both are objects.
 */
function differing(known: unknown, config: unknown): string {
  const now: unknown = JSON.parse(canonicalText(config, "config"));
  if (!isObject(known) || !isObject(now)) return "";
  const names = [...new Set([...Object.keys(known), ...Object.keys(now)])]
    .filter((name) => textOf(known[name]) !== textOf(now[name]));
  return ` in ${names.join(", ")}`;
}

function textOf(value: unknown): string {
  return value === undefined ? "" : canonicalText(value, "config");
}

/** Removes the temporary files of a killed process, and a partial last line of the run log. */
export async function clean(paths: RunPaths): Promise<void> {
  for (const folder of [paths.folder, paths.checkpoints, paths.logs]) {
    for (const name of await namesIn(folder)) {
      if (/\.[0-9a-f-]{36}\.tmp$/.test(name)) await removeFile(`${folder}/${name}`);
    }
  }
  if (await textIn(paths.runs) === undefined) return;
  const log = new LineFile(paths.runs);
  await log.open();
  await log.close();
}
