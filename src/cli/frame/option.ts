/**
 * Options of commands. One table per command serves parsing, help, defaults, completions and configuration files.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";

/** Properties that all kinds of options share. */
export interface OptionFacts {
  /** Description in the help, on one line, with the unit of the value. */
  readonly help: string;
  /** Placeholder of the value in the help, such as `N`. */
  readonly value?: string;
  /** Further spellings of the option, such as those of other programs, without the leading `--`. */
  readonly also?: readonly string[];
  /** Letter of the short form, such as `o` for `-o`. */
  readonly letter?: string;
  /** Description of the default in the help, if it is not the value itself. */
  readonly otherwise?: string;
}

/** An option of a command, whose values have type `T`. */
export interface Option<T> extends OptionFacts {
  /**
   * Form in the command line: without a value (`"switch"`), with one (`"value"`), given several times (`"list"`), only
   * by `--set` and configuration files (`"members"`), or by the arguments that are not options (`"arguments"`).
   */
  readonly form: "switch" | "value" | "list" | "members" | "arguments";
  /** Value if the option is missing. */
  readonly initial: T;
  /** Requirement on each value, for error messages: "it must be …". */
  readonly requirement: string;
  /** Allowed values, if there are only a few. */
  readonly choices?: readonly string[];
  /** Names of members that have another option, which must be used instead, and the name of that option. */
  readonly flags?: Readonly<Record<string, string>>;
  /** True if values are numbers. */
  readonly isNumber?: boolean;
  /**
   * Converts a text of the command line, or a value of a configuration file. Returns `undefined` if the value does not
   * meet the requirement. For the forms `"list"` and `"arguments"`, it converts a list.
   */
  read(value: unknown): T | undefined;
}

/** Options of a command, by the members of its settings. A flag is the name of the member in kebab case. */
export type OptionsOf<S> = { readonly [K in keyof S]-?: Option<S[K]> };

/** Returns an option without a value: `false`, or `true` if it is given. */
export function flag(facts: OptionFacts): Option<boolean> {
  return {
    ...facts,
    form: "switch",
    initial: false,
    requirement: "true or false",
    read: (value) =>
      value === true || value === "true"
        ? true
        : value === false || value === "false"
        ? false
        : undefined,
  };
}

/** Returns an option for an integer of at least `least`. */
export function count<I extends number | undefined>(
  { initial, least, ...facts }: OptionFacts & { readonly initial: I; readonly least: number },
): Option<number | I> {
  return numeric(
    { value: "N", ...facts },
    initial,
    `an integer of at least ${least}`,
    (x) => Number.isSafeInteger(x) && x >= least,
  );
}

/** Returns an option for a number: above 0, or of at least `least` if that is given. */
export function number<I extends number | undefined>(
  { initial, least, ...facts }: OptionFacts & { readonly initial: I; readonly least?: number },
): Option<number | I> {
  const isAbove = least === undefined;
  const requirement = isAbove
    ? "a number above 0"
    : least === -Infinity
    ? "a number"
    : `a number of at least ${least}`;
  const holds = (x: number) => Math.abs(x) < Infinity && (isAbove ? x > 0 : x >= least);
  return numeric({ value: "X", ...facts }, initial, requirement, holds);
}

function numeric<I extends number | undefined>(
  facts: OptionFacts,
  initial: I,
  requirement: string,
  holds: (x: number) => boolean,
): Option<number | I> {
  return {
    ...facts,
    form: "value",
    initial,
    requirement,
    isNumber: true,
    read(value) {
      const isNumber = typeof value === "number" ||
        typeof value === "string" && value.trim() !== "";
      const x = isNumber ? Number(value) : NaN;
      return holds(x) ? x : undefined;
    },
  };
}

/** Returns an option whose value is one of `choices`. Case is ignored. */
export function choice<const C extends readonly string[], I extends C[number] | undefined>(
  choices: C,
  { initial, ...facts }: OptionFacts & { readonly initial: I },
): Option<C[number] | I> {
  return {
    value: "NAME",
    ...facts,
    form: "value",
    initial,
    choices,
    requirement: `one of ${choices.join(", ")}`,
    read: (value) => choices.find((each) => each === String(value).toLowerCase()),
  };
}

/** Returns an option for a text that is not empty. */
export function text<I extends string | undefined>(
  { initial, ...facts }: OptionFacts & { readonly initial: I },
): Option<string | I> {
  return {
    value: "TEXT",
    ...facts,
    form: "value",
    initial,
    requirement: "a text that is not empty",
    read: (value) => isText(value) ? value : undefined,
  };
}

/** Returns an option that may be given several times: a list of texts. */
export function texts(facts: OptionFacts): Option<readonly string[]> {
  return {
    value: "TEXT",
    ...facts,
    form: "list",
    initial: [],
    requirement: "a text that is not empty, or a list of these",
    read: readTexts,
  };
}

/** Returns the option for the arguments that are not options. */
export function files(facts: OptionFacts): Option<readonly string[]> {
  return { ...texts(facts), form: "arguments" };
}

/**
 * Returns an option that only `--set NAME.MEMBER=VALUE` and configuration files give: an object. `flags` are the
 * members that have an option of their own, with the name of that option.
 */
export function members(
  facts: OptionFacts & { readonly flags?: Readonly<Record<string, string>> },
): Option<Readonly<Record<string, unknown>>> {
  return {
    ...facts,
    form: "members",
    initial: {},
    requirement: "an object",
    read: (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? value as Record<string, unknown>
        : undefined,
  };
}

function readTexts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.every(isText) ? list : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Returns the flag of a member: `stopSignal` becomes `stop-signal`. */
export function flagOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the end of an error message about a wrong value. */
export function gotInstead(
  { choices = [] }: Pick<Option<unknown>, "choices">,
  value: unknown,
): string {
  const shown = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return `; got ${shown}${didYouMean(shown, choices)}`;
}
