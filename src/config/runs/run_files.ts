/**
 * What is in a run folder, and where.
 *
 * @module
 */

import { writeWhole } from "../../checkpoint/mod.ts";
import { codeOf } from "../../checkpoint/replace_file.ts";
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
    throw refusal(`Cannot read ${path} as it must be a file that can be read`, error);
  }
}

/** The names in a folder; none where it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  const { readdir } = await import("node:fs/promises");
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw refusal(`Cannot read ${folder} as it must be a folder that can be read`, error);
  }
}

/** Makes a folder, and those it is in. */
export async function makeFolder(folder: string): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw refusal(`Cannot make folder ${folder} as the file system must let it`, error);
  }
}

/** Removes a file, if it is there. */
export async function removeFile(path: string): Promise<void> {
  const { rm } = await import("node:fs/promises");
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw refusal(`Cannot remove ${path} as the file system must let it`, error);
  }
}

/** The error of a file system, with what it was about; callers tell it by its `code`. */
export function refusal(message: string, cause: unknown): Error {
  const error = new Error(`${message}: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });
  const code = codeOf(cause);
  return code === undefined ? error : Object.assign(error, { code });
}
