/**
 * Settings of a command: defaults, a configuration file, `--set`, and the command line, of which later ones win.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { AnyCommand } from "./command.ts";
import { flagOf, gotInstead, type Option } from "./option.ts";
import type { Given } from "./parse.ts";
import { UsageError } from "./usage_error.ts";

/** Settings of a command, and the members that the user has given. */
export interface ReadSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly given: ReadonlySet<string>;
}

/** Members of a configuration, and its name in messages. */
export interface NamedConfig {
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Returns the line and column of a member in the file, as in `:3:1`; "" if they are not known. */
  readonly placeOf?: (name: string) => string;
}

/**
 * Combines the settings of a command.
 *
 * @param config members of a configuration file, if there is one
 * @throws {UsageError} if a name is unknown or a value does not meet its requirement; the message names the source
 */
export function settle(
  command: AnyCommand,
  line: Given,
  config: NamedConfig = { name: "", members: {} },
): ReadSettings {
  const { options } = command;
  const settings: Record<string, unknown> = {};
  const given = new Set<string>();
  for (const [member, option] of Object.entries(options)) settings[member] = option.initial;
  const put = (member: string, value: unknown, source: string) => {
    settings[member] = checked(options[member]!, value, source);
    given.add(member);
  };
  const spellings = new Map<string, string>();
  for (const [name, value] of Object.entries(config.members)) {
    const source = `${name} in ${config.name}${config.placeOf?.(name) ?? ""}`;
    const member = memberOf(command, name, source);
    const earlier = spellings.get(member);
    if (earlier !== undefined) {
      throw new UsageError(`Cannot use ${source}: ${earlier} in the file is the same option`);
    }
    spellings.set(member, name);
    if (member === "set" || member === "config") {
      throw new UsageError(`Cannot use ${source}: --${member} works only in the command line`);
    }
    // A key that is null is as good as missing.
    if (value !== null && value !== undefined) put(member, value, source);
  }
  for (const assignment of line.get("set") ?? []) assign(command, assignment, settings, put);
  for (const [member, texts] of line) {
    const { form } = options[member]!;
    const isList = form === "list" || form === "arguments";
    put(member, isList ? texts : texts[0], `--${flagOf(member)}`);
  }
  return { settings, given };
}

function checked(option: Option<unknown>, value: unknown, source: string): unknown {
  const read = option.read(value);
  if (option.flags !== undefined) refuseFlags(option.flags, read ?? {}, source);
  if (read !== undefined) return read;
  throw new UsageError(
    `Cannot use ${source}: it must be ${option.requirement}${gotInstead(option, value)}${
      unitHint(option, value)
    }`,
  );
}

/** Returns a sentence about a number with a unit, such as `40K`; "" for other values. */
function unitHint({ help, isNumber }: Option<unknown>, value: unknown): string {
  const hasUnit = isNumber && typeof value === "string" && /^\s*-?[\d.]+\s*[a-zA-Zµ°Å]/.test(value);
  return hasUnit ? `. Pass the number without a unit: ${help}` : "";
}

/** Throws a UsageError for a member that has an option of its own, which would have no effect or print another value. */
function refuseFlags(
  flags: Readonly<Record<string, string>>,
  value: object,
  source: string,
): void {
  const name = Object.keys(value).find((each) => Object.hasOwn(flags, each));
  if (name === undefined) return;
  throw new UsageError(
    `Cannot use ${source}: ${name} has an option of its own; pass --${flagOf(flags[name]!)}`,
  );
}

/** Returns the member of the settings that a name in a configuration means, in any spelling. */
function memberOf({ options, name: command }: AnyCommand, name: string, source: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, "");
  const member = Object.keys(options).find((each) =>
    [each, ...options[each]!.also ?? []].some((spelling) => plain(spelling) === plain(name))
  );
  if (member !== undefined) return member;
  throw new UsageError(
    `Cannot use ${source}: ${command} has no such option${didYouMean(name, Object.keys(options))}`,
  );
}

/** Performs one `--set a.b=1`. The value is JSON, or a text if it is not JSON. */
function assign(
  command: AnyCommand,
  assignment: string,
  settings: Readonly<Record<string, unknown>>,
  put: (member: string, value: unknown, source: string) => void,
): void {
  const [, path, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (path === undefined || text === undefined) {
    throw new UsageError(
      `Cannot use --set ${assignment}: it must be NAME=VALUE, as in --set fmax=0.01`,
    );
  }
  const [name, ...rest] = path.split("."), source = `--set ${path}`;
  const member = memberOf(command, name!, source), option = command.options[member]!;
  if (option.form !== "members" && rest.length > 0) {
    throw new UsageError(`Cannot use ${source}: ${name} has no members; pass --set ${name}=VALUE`);
  }
  const value = jsonOr(text);
  if (rest.length === 0) return put(member, option.form === "members" ? value : text, source);
  put(member, withMember(settings[member] as Record<string, unknown>, rest, value), source);
}

/** Returns an object with the value at a path of members. */
function withMember(
  object: Readonly<Record<string, unknown>>,
  [first, ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const inner = object[first!];
  const next = typeof inner === "object" && inner !== null ? inner as Record<string, unknown> : {};
  return { ...object, [first!]: rest.length === 0 ? value : withMember(next, rest, value) };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // --set modelOptions.energyUnit=eV
  }
}
