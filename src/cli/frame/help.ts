/**
 * Help texts of commands, made from their tables.
 *
 * @module
 */

import type { AnyCommand } from "./command.ts";
import { flagOf, type Option } from "./option.ts";

/** Returns the help text of one command. */
export function commandHelp(program: string, command: AnyCommand): string {
  const { name, summary, options, notes = [], examples } = command;
  const argument = Object.values(options).find(({ form }) => form === "arguments");
  const rows = optionRows(command);
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return [
    `${program} ${name}: ${summary}`,
    "",
    `Usage: ${program} ${name}${argument === undefined ? "" : ` ${argument.value}`} [options]`,
    "",
    "Options",
    ...rows.map(([left, right]) => left.padEnd(width) + right),
    ...notes.flatMap((note) => ["", note]),
    "",
    "Examples",
    ...examples.flatMap(([example, shows]) => [`  ${program} ${example}`, `      ${shows}`]),
  ].join("\n");
}

/** Returns the options of a command as rows of the help: flags and description. */
export function optionRows({ options }: AnyCommand): (readonly [flags: string, help: string])[] {
  const rows = Object.entries(options).map(([member, option]) =>
    [
      `  ${flagsOf(member, option)}`,
      `${option.help}${defaultOf(option)}${spellings(option)}`,
    ] as const
  );
  return [...rows, ["  -h, --help", "Show this help"]];
}

function flagsOf(member: string, option: Option<unknown>): string {
  const { form, value, letter } = option;
  if (form === "arguments") return value ?? "";
  if (form === "members") return `--set ${member}.NAME=VALUE`;
  const short = letter === undefined ? "" : `-${letter}, `;
  return `${short}--${flagOf(member)}${
    value === undefined || form === "switch" ? "" : ` ${value}`
  }`;
}

function defaultOf({ initial, otherwise, form }: Option<unknown>): string {
  if (otherwise !== undefined) return ` (default: ${otherwise})`;
  const isShown = form === "value" && initial !== undefined;
  return isShown ? ` (default ${initial})` : "";
}

function spellings({ also = [], form }: Option<unknown>): string {
  if (also.length === 0 || form === "members") return "";
  return `; also ${also.map((name) => `--${name}`).join(", ")}`;
}
