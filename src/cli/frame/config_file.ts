/**
 * Configuration files: the options of a command as members of an object.
 *
 * @module
 */

import { CONFIG_PARSERS, type ConfigParser, type ConfigText } from "./config_text.ts";
import type { NamedConfig } from "./settings.ts";
import { UsageError } from "./usage_error.ts";

/** Members of a configuration file, and the places of their names. */
interface ConfigObject {
  readonly members: Readonly<Record<string, unknown>>;
  readonly placeOf: (name: string) => string;
}

/**
 * Reads a configuration file. Its member `command` names the command, and is checked.
 *
 * @throws {UsageError} if the file cannot be read, or is not an object
 */
export async function readConfigFile(path: string, command: string): Promise<NamedConfig> {
  const { members: all, placeOf } = await objectIn(path);
  const { command: wanted = command, $schema: _, ...members } = all;
  if (wanted === command) return { name: path, members, placeOf };
  throw new UsageError(
    `Cannot use --config ${path}: it belongs to the command ${wanted}; got ${command}`,
  );
}

/**
 * Returns the command that a configuration file names.
 *
 * @throws {UsageError} if the file cannot be read, is not an object, or names no command
 */
export async function commandIn(path: string): Promise<string> {
  const { command } = (await objectIn(path)).members;
  if (typeof command === "string") return command;
  const added = /\.json$/i.test(path)
    ? '"command": "relax"'
    : /\.toml$/i.test(path)
    ? 'command = "relax"'
    : "command: relax";
  throw new UsageError(
    `Cannot use --config ${path} without a command: add ${added} to the file, or pass the command first`,
  );
}

async function objectIn(path: string): Promise<ConfigObject> {
  const ending = /\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? "";
  const parse = CONFIG_PARSERS[ending];
  if (parse === undefined) {
    throw new UsageError(
      `Cannot use --config ${path}: its name must end with ${
        Object.keys(CONFIG_PARSERS).join(", ")
      }`,
    );
  }
  const { value, placeOf } = await parsed(path, parse);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`Cannot use --config ${path}: it must be an object of options`);
  }
  return { members: value as Record<string, unknown>, placeOf };
}

async function parsed(path: string, parse: ConfigParser): Promise<ConfigText> {
  const { findHost } = await import("../../platform/host.ts");
  let text: string;
  try {
    text = await findHost()!.readTextFile(path);
  } catch (cause) {
    const { refusal } = await import("../../base/file_refusal.ts");
    throw new UsageError(refusal(`Cannot use --config ${path}`, cause).message);
  }
  return await parse(text, `--config ${path}`);
}
