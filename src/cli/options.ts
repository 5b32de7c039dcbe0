/**
 * A command's options as one table, from which parsing, help and errors follow.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean } from "../hooks/nearest.ts";

/** One option. */
export interface Option {
  /** What stands for its value in the help; an option without one is a switch. */
  readonly value?: string;
  /** What it does, in a line. */
  readonly help: string;
}

/** One command. */
export interface Command {
  /** What it is typed as. */
  readonly name: string;
  /** What it does, in a line. */
  readonly summary: string;
  /** Its options, by name. */
  readonly options: Readonly<Record<string, Option>>;
  /** Commands to try, with what they show. */
  readonly examples: readonly (readonly [command: string, shows: string])[];
}

/** The user typed something that cannot be; the message says what can. */
export class UsageError extends Error {
  /** Sets the name, by which the command knows it. */
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const HELP: Option = { help: "Show this help" };

/** The values given to a command's options. Throws a UsageError for what it has not, or what lacks its value. */
export function readOptions(
  command: Command,
  args: readonly string[],
): ReadonlyMap<string, string> {
  const options: Command["options"] = { ...command.options, help: HELP };
  const names = Object.keys(options);
  const unknown: string[] = [];
  const found = parseArgs([...args], {
    // Values as text: `parseArgs` would turn what looks like a number into one.
    string: names.filter((name) => options[name]!.value !== undefined),
    boolean: names.filter((name) => options[name]!.value === undefined),
    alias: { h: "help" },
    unknown: (arg) => {
      unknown.push(arg);
      return false;
    },
  }) as Readonly<Record<string, unknown>>;
  if (unknown.length > 0) {
    const word = unknown[0]!.replace(/^-+/, "").replace(/=.*$/, "");
    throw new UsageError(
      `Cannot use ${unknown[0]} as ${command.name} has no such option${didYouMean(word, names)}`,
    );
  }
  const values = new Map<string, string>();
  for (const name of names) {
    const value = found[name];
    if (value === "") {
      throw new UsageError(
        `Cannot use --${name} as it must have a value: --${name} ${options[name]!.value}`,
      );
    }
    if (value !== undefined && value !== false) values.set(name, String(value));
  }
  return values;
}

/** A whole number from an option. Throws a UsageError when it is none, or below `least`. */
export function readCount(
  values: ReadonlyMap<string, string>,
  name: string,
  otherwise: number,
  least: number,
): number {
  const text = values.get(name);
  if (text === undefined) return otherwise;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new UsageError(
    `Cannot use --${name} as it must be a whole number from ${least} on: current value is ${text}`,
  );
}

/** The help of one command. */
export function commandHelp(program: string, command: Command): string {
  const options = Object.entries({ ...command.options, help: HELP }).map((
    [name, { value, help }],
  ) => [`  --${name}${value === undefined ? "" : ` ${value}`}`, help] as const);
  const width = Math.max(...options.map(([left]) => left.length)) + 2;
  return [
    `${program} ${command.name}: ${command.summary}`,
    "",
    "Options",
    ...options.map(([left, help]) => left.padEnd(width) + help),
    "",
    "Examples",
    ...command.examples.flatMap((
      [example, shows],
    ) => [`  ${program} ${example}`, `      ${shows}`]),
  ].join("\n");
}

/** The help of the program: its commands. */
export function programHelp(program: string, about: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return [
    about,
    "",
    `Usage: ${program} COMMAND [options]`,
    "",
    "Commands",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "",
    `${program} COMMAND --help tells what a command can do; ${program} --version which version this is.`,
  ].join("\n");
}
