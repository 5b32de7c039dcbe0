/**
 * A command's options as one table, from which parsing, help and errors follow.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean, nearest } from "../base/did_you_mean.ts";

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
  const withValue = names.filter((name) => options[name]!.value !== undefined);
  const unknown: string[] = [];
  refuseSwitchValues(args, options);
  const found = parseArgs(separate(args, withValue), {
    // Values as text: `parseArgs` would turn what looks like a number into one.
    string: [...withValue, "_"],
    boolean: names.filter((name) => options[name]!.value === undefined),
    alias: { h: "help" },
    unknown: (arg, key) => {
      if (key === undefined) return true; // an argument: it is kept in `_`
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
        `Cannot use --${name} as it must have a value: --${name} ${options[name]!.value}`,
      );
    }
    if (value !== undefined && value !== false) values.set(name, String(value));
  }
  return values;
}

/**
 * The arguments without the `--` that `deno task demo -- --steps 3` hands on, and with negative numbers tied to the
 * option before them, which would look like options themselves.
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
    throw new UsageError(`Cannot use ${arg} as --${name} takes no value`);
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
      `Cannot use ${unknown} as ${name} has no such option${
        best === undefined ? "" : `; did you mean --${best}?`
      }`,
    );
  }
  if (others.length > 0) {
    throw new UsageError(
      `Cannot use ${others[0]} as ${name} takes options only: they are ${
        Object.keys(options).map((option) => `--${option}`).join(", ")
      }`,
    );
  }
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

/** A number above 0 from an option. Throws a UsageError when it is none. */
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
    `Cannot use --${name} as it must be a number above 0: current value is ${text}`,
  );
}

/** One of several words from an option; the first where it is not given. Throws a UsageError for another word. */
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
    `Cannot use --${name} as it must be one of ${choices.join(", ")}: current value is ${text}${
      didYouMean(text, choices)
    }`,
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
