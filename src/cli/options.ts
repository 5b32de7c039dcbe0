/**
 * Options of commands. One table per command serves parsing, help and error messages.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean, nearest } from "../base/did_you_mean.ts";

/** An option of a command. */
export interface Option {
  /**
   * Placeholder of the option's value in the help, such as `N`. An option without a placeholder is a switch, which
   * takes no value.
   */
  readonly value?: string;
  /** Description in the help, on one line. */
  readonly help: string;
}

/** A command of the program. */
export interface Command {
  /** Name of the command, as the user types it. */
  readonly name: string;
  /** Description in the help, on one line. */
  readonly summary: string;
  /** Options by name. */
  readonly options: Readonly<Record<string, Option>>;
  /** Example command lines without the program's name, each with a description of its effect. */
  readonly examples: readonly (readonly [command: string, shows: string])[];
}

/** Error thrown for a wrong command line. The message says what is allowed. */
export class UsageError extends Error {
  /** Creates the error with the name `"UsageError"`. */
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const HELP: Option = { help: "Show this help" };

/**
 * Parses the arguments of a command, and returns the values of the given options by name. The value of a switch is
 * `"true"`. Throws a UsageError if an option is unknown or lacks its value.
 */
export function readOptions(
  command: Command,
  args: readonly string[],
): ReadonlyMap<string, string> {
  const options: Command["options"] = { ...command.options, help: HELP };
  const names = Object.keys(options);
  const withValue = names.filter((name) => options[name]!.value !== undefined);
  const unknown: string[] = [];
  refuseSwitchValues(args, options);
  const found = parseArgs(separate(args, withValue), {
    // Parse values as text: `parseArgs` would convert them to numbers.
    string: [...withValue, "_"],
    boolean: names.filter((name) => options[name]!.value === undefined),
    alias: { h: "help" },
    unknown: (arg, key) => {
      if (key === undefined) return true; // True keeps the argument in `_`.
      unknown.push(arg);
      return false;
    },
  }) as Readonly<Record<string, unknown>>;
  refuseUnknown(command, unknown[0], found._ as string[], names);
  const values = new Map<string, string>();
  for (const name of names) {
    const value = found[name];
    if (value === "") {
      throw new UsageError(
        `Cannot use --${name}: a value is required, as in --${name} ${options[name]!.value}`,
      );
    }
    if (value !== undefined && value !== false) values.set(name, String(value));
  }
  return values;
}

/**
 * Normalizes arguments: removes the `--` that `deno task demo -- --steps 3` passes on, and joins negative numbers
 * to the option before them, because they would be parsed as options.
 */
function separate(args: readonly string[], withValue: readonly string[]): string[] {
  const separated: string[] = [];
  for (const arg of args[0] === "--" ? args.slice(1) : args) {
    const option = separated.at(-1);
    const isValue = /^-[\d.]/.test(arg) && withValue.some((name) => option === `--${name}`);
    if (isValue) separated[separated.length - 1] = `${option}=${arg}`;
    else separated.push(arg);
  }
  return separated;
}

function refuseSwitchValues(args: readonly string[], options: Command["options"]): void {
  for (const arg of args) {
    const name = /^--([^=]+)=/.exec(arg)?.[1];
    if (name === undefined || options[name] === undefined || options[name].value !== undefined) {
      continue;
    }
    throw new UsageError(`Cannot use ${arg}: --${name} takes no value`);
  }
}

function refuseUnknown(
  { name, options }: Command,
  unknown: string | undefined,
  others: readonly string[],
  names: readonly string[],
): void {
  if (unknown !== undefined) {
    const best = nearest(unknown.replace(/^-+/, "").replace(/=.*$/, ""), names);
    throw new UsageError(
      `Unknown option ${unknown}${best === undefined ? "" : `; did you mean --${best}?`}`,
    );
  }
  if (others.length > 0) {
    throw new UsageError(
      `Cannot use ${others[0]}: ${name} takes only options, which are ${
        Object.keys(options).map((option) => `--${option}`).join(", ")
      }`,
    );
  }
}

/**
 * Returns the value of an option as an integer, or `otherwise` if the option is missing. Throws a UsageError if the
 * value is not an integer of at least `least`.
 */
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
    `Cannot use --${name}: it must be an integer of at least ${least}; got ${text}`,
  );
}

/**
 * Returns the value of an option as a number above 0, or `otherwise` if the option is missing. Throws a UsageError
 * for any other value.
 */
export function readNumber(
  values: ReadonlyMap<string, string>,
  name: string,
  otherwise: number,
): number {
  const text = values.get(name);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (value > 0 && value < Infinity) return value;
  throw new UsageError(
    `Cannot use --${name}: it must be a number above 0; got ${text}`,
  );
}

/**
 * Returns the value of an option that must be one of `choices`, or the first choice if the option is missing. Throws
 * a UsageError for any other value.
 */
export function readChoice<const C extends readonly string[]>(
  values: ReadonlyMap<string, string>,
  name: string,
  choices: C,
): C[number] {
  const text = values.get(name);
  if (text === undefined) return choices[0]!;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw new UsageError(
    `Cannot use --${name}: it must be one of ${choices.join(", ")}; got ${text}${
      didYouMean(text, choices)
    }`,
  );
}

/** Returns the help text of one command. */
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

/** Returns the help text of the program, which lists its commands. */
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
    `${program} COMMAND --help describes a command; ${program} --version prints the version.`,
  ].join("\n");
}
