/**
 * The command `hooke schema`: JSON Schemas of configuration files, made from the tables of commands.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { JsonSchema } from "../../config/json_schema.ts";
import {
  type AnyCommand,
  type CommandRun,
  ExitCode,
  type ListedCommand,
} from "../frame/command.ts";
import type { Option } from "../frame/option.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { SchemaSettings } from "./settings.ts";

/** Prints the schema of configuration files. */
export async function schema(
  { command: names }: SchemaSettings,
  { terminal, commands }: CommandRun,
): Promise<number> {
  terminal.print(JSON.stringify(await configSchema(commands, names), null, 2));
  return ExitCode.DONE;
}

/**
 * Returns the JSON Schema of the configuration files of commands, by default of all that have `--config`.
 *
 * @throws {UsageError} if a command does not exist or reads no configuration
 */
export async function configSchema(
  commands: readonly ListedCommand[],
  names: readonly string[] = [],
): Promise<JsonSchema> {
  const opened = await Promise.all(commands.map(({ open }) => open()));
  const all = opened.filter(({ options }) => "config" in options);
  const known = all.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(
      `Cannot print the schema of ${unknown}: the commands with configuration files are ${
        known.join(", ")
      }${didYouMean(unknown, known)}`,
    );
  }
  const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of a hooke command",
    anyOf: chosen.map(schemaOf),
  };
}

/** Options of the command line that a file does not have. */
const NOT_IN_FILES: ReadonlySet<string> = new Set(["config", "set", "dryRun"]);

function schemaOf({ name, summary, options }: AnyCommand): JsonSchema {
  const members = Object.entries(options).filter(([member]) => !NOT_IN_FILES.has(member));
  return {
    title: name,
    description: `hooke ${name}: ${summary}`,
    type: "object",
    properties: {
      $schema: { type: "string", description: "Address of this schema" },
      command: { const: name },
      ...Object.fromEntries(members.map(([member, option]) => [member, optionSchema(option)])),
    },
    required: ["command"],
    // Files may also use other spellings of options, which the command checks.
    additionalProperties: true,
  };
}

function optionSchema({ form, initial, help, choices, isNumber }: Option<unknown>): JsonSchema {
  const description = help, initially = initial === undefined ? {} : { default: initial };
  switch (form) {
    case "switch":
      return { description, type: "boolean", ...initially };
    case "list":
    case "arguments":
      return { description, type: ["string", "array"], items: { type: "string" } };
    case "members":
      return { description, type: "object" };
    case "value":
      return choices !== undefined
        ? { description, enum: choices, ...initially }
        : { description, type: isNumber === true ? "number" : "string", ...initially };
  }
}
