/**
 * What is in a run folder, and where.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { writeWhole } from "../../checkpoint/mod.ts";
import { emptySinks } from "../../sinks/files/open_sinks.ts";
import { checked, isIsoTime, parseObject } from "../read_json.ts";
import { versions } from "../versions.ts";

/** Where things are in a run folder. */
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

/** The places in a folder. */
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

/** What `config.json` of a run folder says. */
export interface RunIdentity {
  /** The id of the run. */
  readonly id: string;
  /** When the folder was made, ISO 8601 in UTC. */
  readonly begun: string;
  /** The hash of the configuration; `null` where there is none. */
  readonly configHash: string | null;
  /** The configuration; `null` where there is none. */
  readonly config: unknown;
}

/** The version of `config.json`. */
const SCHEMA = 1;

/**
 * What `config.json` says.
 *
 * @throws {SyntaxError} for what is no such file, with the key that is wrong
 * @throws {RangeError} for one of a newer version
 */
export function parseIdentity(text: string, name: string): RunIdentity {
  const of = parseObject(text, { name, schema: SCHEMA }), at = { name, of };
  const isText = (value: unknown) => typeof value === "string" && value !== "";
  return {
    id: checked(at, "id", "a text", isText) as string,
    begun: checked(at, "begun", "a time as ISO 8601 writes it", isIsoTime) as string,
    configHash: checked(at, "configHash", "a text or null", (x) => isText(x) || x === null) as
      | string
      | null,
    config: checked(at, "config", "there", (value) => value !== undefined),
  };
}

/** Writes `config.json`, whole or not at all. */
export async function writeIdentity(path: string, identity: RunIdentity): Promise<void> {
  const text = JSON.stringify({ schema: SCHEMA, hooke: versions().hooke, ...identity }, null, 2);
  await writeWhole(path, new TextEncoder().encode(`${text}\n`), "config");
}

/** The text of a file; `undefined` where it is not there. */
export async function textIn(path: string): Promise<string | undefined> {
  const { readFile } = await import("node:fs/promises");
  try {
    return new TextDecoder().decode(await readFile(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refusal(`Cannot read ${path}`, error);
  }
}

/** The names in a folder; none where it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  const { readdir } = await import("node:fs/promises");
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw refusal(`Cannot read ${folder}`, error);
  }
}

/** Makes a folder, and those it is in. */
export async function makeFolder(folder: string): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw refusal(`Cannot make folder ${folder}`, error);
  }
}

/** Removes a file, if it is there. */
export async function removeFile(path: string): Promise<void> {
  const { rm } = await import("node:fs/promises");
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw refusal(`Cannot remove ${path}`, error);
  }
}

/** Returns the names in a folder that are not of a run, but for the files of open sinks that hold nothing. */
export async function foreignIn(
  folder: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { relative } = await import("node:path");
  const own = emptySinks().map(([{ path }]) => relative(folder, path));
  return names.filter((name) => !own.includes(name));
}

/**
 * Closes the sinks in a folder that hold nothing and have made their file, and removes these files, because the run is
 * refused: the next run would find a folder of something else.
 */
export async function removeEarlySinks(folder: string): Promise<void> {
  const [{ relative, isAbsolute, dirname }, { rm, rmdir }] = await Promise.all([
    import("node:path"),
    import("node:fs/promises"),
  ]);
  for (const [sink, hasMadeFile] of emptySinks()) {
    const name = relative(folder, sink.path);
    if (!hasMadeFile || name === "" || /^\.\.([/\\]|$)/.test(name) || isAbsolute(name)) continue;
    await sink.close();
    await rm(sink.path, { recursive: true, force: true });
    // Folders that were made for it; one that holds something else is not removed.
    for (let above = dirname(name); above !== "."; above = dirname(above)) {
      await rmdir(`${folder}/${above}`).catch(() => {});
    }
  }
}
