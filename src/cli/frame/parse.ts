/**
 * Parsing of command lines by the table of a command.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { nearest } from "../../base/did_you_mean.ts";
import type { AnyCommand } from "./command.ts";
import { flagOf, type Option } from "./option.ts";
import { UsageError } from "./usage_error.ts";

/** Texts of the options that a command line gives, by the members of the settings. */
export type Given = ReadonlyMap<string, readonly string[]>;

/** Result of parsing a command line. */
export interface ParsedLine {
  readonly given: Given;
  /** True if the help is asked for. */
  readonly wantsHelp: boolean;
}

/**
 * Parses the arguments of a command.
 *
 * @throws {UsageError} if an option is unknown, lacks its value, or has a value although it is a switch
 */
export function parseLine(command: AnyCommand, args: readonly string[]): ParsedLine {
  const table = flagTable(command);
  const takesValue = (name: string) => table.get(name)?.option.form !== "switch";
  const flags = [...new Set(Array.from(table.values(), ({ flag }) => flag))];
  const unknown: string[] = [];
  const found = parseArgs(normalized(args, table), {
    // Parse values as text: `parseArgs` would convert them to numbers.
    string: [...flags.filter(takesValue), "_"],
    boolean: [...flags.filter((name) => !takesValue(name)), "help"],
    collect: flags.filter(takesValue),
    unknown: (arg, key) => {
      if (key === undefined) return true; // True keeps the argument in `_`.
      unknown.push(arg);
      return false;
    },
  }) as Readonly<Record<string, unknown>>;
  if (unknown[0] !== undefined) throw unknownOption(unknown[0], table);
  const given = new Map<string, readonly string[]>();
  for (const [member, option] of Object.entries(command.options)) {
    const values = valuesOf(found[flagOf(member)], member, option);
    if (values.length > 0) given.set(member, values);
  }
  addArguments(command, given, found._ as readonly string[]);
  return { given, wantsHelp: found.help === true };
}

function valuesOf(found: unknown, member: string, option: Option<unknown>): readonly string[] {
  if (option.form === "switch") return found === true ? ["true"] : [];
  const values = (found ?? []) as readonly string[];
  if (values.includes("")) {
    const flag = `--${flagOf(member)}`;
    throw new UsageError(
      `Cannot use ${flag}: a value is required, as in ${flag} ${option.value ?? "VALUE"}`,
    );
  }
  // An option that is not a list has its last value.
  return option.form === "value" ? values.slice(-1) : values;
}

/** Adds the arguments that are not options. They precede those that were given by the flag, such as `--struct`. */
function addArguments(
  { name, options }: AnyCommand,
  given: Map<string, readonly string[]>,
  rest: readonly string[],
): void {
  const member = Object.keys(options).find((each) => options[each]!.form === "arguments");
  if (rest.length === 0) return;
  if (member !== undefined) return void given.set(member, [...rest, ...given.get(member) ?? []]);
  const flags = Object.keys(options).map((each) => `--${flagOf(each)}`);
  throw new UsageError(
    flags.length === 0
      ? `Cannot use ${rest[0]}: ${name} takes no arguments`
      : `Cannot use ${rest[0]}: ${name} takes only options, which are ${flags.join(", ")}`,
  );
}

/** Options by all spellings of their flags, with the flag that is used inside. */
type FlagTable = ReadonlyMap<string, { readonly flag: string; readonly option: Option<unknown> }>;

function flagTable({ options }: AnyCommand): FlagTable {
  const table = new Map<string, { readonly flag: string; readonly option: Option<unknown> }>();
  for (const [member, option] of Object.entries(options)) {
    if (option.form === "members") continue;
    const entry = { flag: flagOf(member), option };
    for (const name of [entry.flag, ...option.also ?? []]) table.set(name, entry);
    if (option.letter !== undefined) table.set(`-${option.letter}`, entry);
  }
  return table;
}

/**
 * Returns arguments with the flag's own spelling, and each value joined to its flag. Removes the `--` that `deno task
 * hooke -- relax` passes on.
 */
function normalized(args: readonly string[], table: FlagTable): string[] {
  const result: string[] = [];
  const all = args[0] === "--" ? args.slice(1) : args;
  for (let i = 0; i < all.length; i++) {
    const arg = all[i]!;
    if (arg === "--") return [...result, ...all.slice(i)];
    const [, dashes, name = "", value] = /^(--?)([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const entry = dashes === "--" ? table.get(name.replaceAll("_", "-")) : table.get(`-${name}`);
    if (dashes === undefined || entry === undefined) {
      result.push(arg === "-h" ? "--help" : arg);
      if (/^--help=/.test(arg)) throw new UsageError(`Cannot use ${arg}: --help takes no value`);
      continue;
    }
    const { flag, option } = entry;
    if (option.form === "switch") {
      if (value !== undefined) {
        throw new UsageError(`Cannot use ${arg}: ${dashes}${name} takes no value`);
      }
      result.push(`--${flag}`);
      continue;
    }
    const next = all[i + 1];
    // A negative number is a value, although it begins with a dash.
    const isNext = value === undefined && next !== undefined && /^(-$|[^-]|-[\d.])/.test(next);
    result.push(`--${flag}=${value ?? (isNext ? next : "")}`);
    if (isNext) i++;
  }
  return result;
}

function unknownOption(arg: string, table: FlagTable): UsageError {
  const name = arg.replace(/^-+/, "").replace(/=.*$/, "");
  const best = nearest(name, [...table.keys(), "help"].filter((each) => !each.startsWith("-")));
  return new UsageError(
    `Unknown option ${arg}${best === undefined ? "" : `; did you mean --${best}?`}`,
  );
}
