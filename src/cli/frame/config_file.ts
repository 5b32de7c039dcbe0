/**
 * Configuration files: the options of a command as members of an object.
 *
 * @module
 */

import type { NamedConfig } from "./settings.ts";
import { UsageError } from "./usage_error.ts";

/** Parsers by the endings of files. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  ".json": JSON.parse,
};

/**
 * Reads a configuration file. Its member `command` names the command, and is checked.
 *
 * @throws {UsageError} if the file cannot be read, or is not an object
 */
export async function readConfigFile(path: string, command: string): Promise<NamedConfig> {
  const { command: wanted = command, $schema: _, ...members } = await objectIn(path);
  if (wanted === command) return { name: path, members };
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
  const { command } = await objectIn(path);
  if (typeof command === "string") return command;
  throw new UsageError(
    `Cannot use --config ${path} without a command: add "command": "relax" to the file, or pass the command first`,
  );
}

async function objectIn(path: string): Promise<Record<string, unknown>> {
  const ending = /\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? "";
  const parse = PARSERS[ending];
  if (parse === undefined) {
    throw new UsageError(
      `Cannot use --config ${path}: its name must end with ${Object.keys(PARSERS).join(", ")}`,
    );
  }
  const value = await parsed(path, parse);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`Cannot use --config ${path}: it must be an object of options`);
  }
  return value as Record<string, unknown>;
}

async function parsed(path: string, parse: (text: string) => unknown): Promise<unknown> {
  const { findHost } = await import("../../platform/host.ts");
  let text: string;
  try {
    text = await findHost()!.readTextFile(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Cannot use --config ${path}: it cannot be read: ${reason}`);
  }
  try {
    return parse(text);
  } catch (cause) {
    throw new UsageError(`Cannot use --config ${path}: ${(cause as Error).message}`);
  }
}
