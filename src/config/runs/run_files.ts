/**
 * Files of a run folder.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { writeWhole } from "../../checkpoint/mod.ts";
import { emptySinks } from "../../sinks/files/open_sinks.ts";
import { checked, isIsoTime, parseObject } from "../read_json.ts";
import { versions } from "../versions.ts";
import { builtin } from "../../platform/process.ts";

/** Paths of the files in a run folder. */
export interface RunPaths {
  readonly folder: string;
  readonly config: string;
  readonly runs: string;
  readonly logs: string;
  readonly scalars: string;
  readonly profile: string;
  readonly board: string;
  readonly checkpoints: string;
  readonly plots: string;
}

/** Returns the paths of the files in a folder. */
export function pathsIn(folder: string): RunPaths {
  const logs = `${folder}/logs`;
  return {
    folder,
    logs,
    config: `${folder}/config.json`,
    runs: `${folder}/runs.jsonl`,
    scalars: `${logs}/scalars.jsonl`,
    profile: `${logs}/profile.json`,
    board: `${logs}/tensorboard`,
    checkpoints: `${folder}/checkpoints`,
    plots: `${folder}/plots`,
  };
}

/** Content of `config.json` in a run folder. */
export interface RunIdentity {
  /** Id of the run. */
  readonly id: string;
  /** Time when the folder was created, ISO 8601 in UTC. */
  readonly begun: string;
  /** Hash of the configuration; `null` if there is no configuration. */
  readonly configHash: string | null;
  /** Configuration; `null` if there is no configuration. */
  readonly config: unknown;
}

/** Version of the format of `config.json`. */
const SCHEMA = 1;

/**
 * Parses the text of a `config.json`.
 *
 * @throws {SyntaxError} if the text is not the `config.json` of a run folder; the message names the wrong key
 * @throws {RangeError} if a newer version has written the file
 */
export function parseIdentity(text: string, name: string): RunIdentity {
  const of = parseObject(text, { name, schema: SCHEMA }), at = { name, of };
  const isText = (value: unknown) => typeof value === "string" && value !== "";
  return {
    id: checked(at, "id", "a non-empty string", isText) as string,
    begun: checked(at, "begun", "a time in ISO 8601", isIsoTime) as string,
    configHash: checked(
      at,
      "configHash",
      "a non-empty string or null",
      (x) => isText(x) || x === null,
    ) as
      | string
      | null,
    config: checked(at, "config", "there", (value) => value !== undefined),
  };
}

/** Replaces `config.json` atomically. */
export async function writeIdentity(path: string, identity: RunIdentity): Promise<void> {
  await writeWhole(path, new TextEncoder().encode(identityText(identity)), "config");
}

/** Returns the text of a `config.json`. */
export function identityText(identity: RunIdentity): string {
  const text = JSON.stringify({ schema: SCHEMA, hooke: versions().hooke, ...identity }, null, 2);
  return `${text}\n`;
}

/** Returns the text of a file; `undefined` if it does not exist. */
export async function textIn(path: string): Promise<string | undefined> {
  const { readFile } = builtin("node:fs/promises");
  try {
    return new TextDecoder().decode(await readFile(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refusal(`Cannot read ${path}`, error);
  }
}

/** Returns the names of the files in a folder, sorted; an empty list if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  const { readdir } = builtin("node:fs/promises");
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw refusal(`Cannot read ${folder}`, error);
  }
}

/** Creates a folder and the folders above it. */
export async function makeFolder(folder: string): Promise<void> {
  const { mkdir } = builtin("node:fs/promises");
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw refusal(`Cannot create folder ${folder}`, error);
  }
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  const { rm } = builtin("node:fs/promises");
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw refusal(`Cannot remove ${path}`, error);
  }
}

/** Returns the given names of files in a folder, without those of open sinks that have no content yet. */
export function foreignNames(
  folder: string,
  names: readonly string[],
): readonly string[] {
  const { relative } = builtin("node:path");
  const own = emptySinks().map(([{ path }]) => relative(folder, path));
  return names.filter((name) => !own.includes(name));
}

/**
 * Closes the open sinks in a folder that have no content, and removes the files that they have created. It is called
 * when a run is refused, because the next run would refuse a folder that contains such files.
 */
export async function removeEmptySinks(folder: string): Promise<void> {
  const [{ relative, isAbsolute, dirname }, { rm, rmdir }] = [
    builtin("node:path"),
    builtin("node:fs/promises"),
  ];
  for (const [sink, hasMadeFile] of emptySinks()) {
    const name = relative(folder, sink.path);
    if (!hasMadeFile || name === "" || /^\.\.([/\\]|$)/.test(name) || isAbsolute(name)) continue;
    await sink.close();
    await rm(sink.path, { recursive: true, force: true });
    // Remove the folders that were created for the file. Folders with other files are not removed.
    for (let above = dirname(name); above !== "."; above = dirname(above)) {
      await rmdir(`${folder}/${above}`).catch(() => {});
    }
  }
}
