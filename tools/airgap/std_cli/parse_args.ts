import { declare, type Declared } from "./declared.ts";
import { Result } from "./result.ts";

/** One name or several. */
type Names<T extends string> = T | ReadonlyArray<T>;

/** Options of {@linkcode parseArgs}, which declare the flags. */
export interface ParseOptions<
  B extends string = string,
  S extends string = string,
  C extends string = string,
  D extends Record<string, unknown> = Record<string, unknown>,
  DD extends boolean | undefined = boolean | undefined,
> {
  /** Keep what follows `--` apart, under `"--"`. @default false */
  "--"?: DD;
  /** Other names of a flag; every name gets the value. */
  alias?: Record<string, Names<string>>;
  /** Flags without a value; `true` makes every `--flag` without `=` one. They are false unless given. */
  boolean?: boolean | Names<B>;
  /** Values of flags that are not given. */
  default?: D;
  /** Stop at the first argument that is not a flag. @default false */
  stopEarly?: boolean;
  /** Flags whose value stays a string, even when it looks like a number. `"_"` for the arguments themselves. */
  string?: Names<S>;
  /** Flags that may be given several times, each value kept. They are `[]` unless given. */
  collect?: Names<C>;
  /** Flags that `--no-flag` sets to false. */
  negatable?: Names<string>;
  /** Called for each argument nothing was said about; returning `false` leaves it out. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** One flag's value: as declared, or its default's type when it has one, or possibly missing. */
type Value<K extends string, T, Missing, C extends string, D> = K extends C ? T[]
  : K extends keyof D ? T | D[K]
  : T | Missing;

/** Parsed values by flag, with the other arguments under `_`. */
export type Args<
  B extends string,
  S extends string,
  C extends string,
  D extends Record<string, unknown>,
  DD extends boolean | undefined,
> =
  & { _: Array<string | number> }
  & (true extends DD ? { "--": string[] } : unknown)
  & ([B | S | C] extends [never]
    // deno-lint-ignore no-explicit-any -- nothing was declared, so nothing is known, as in the original
    ? { [flag: string]: any }
    :
      & { [K in B]: Value<K, boolean, never, C, D> }
      & { [K in Exclude<S, B>]: Value<K, string, undefined, C, D> }
      & { [K in Exclude<C, B | S>]: unknown[] }
      & { [K in Exclude<keyof D, B | S | C>]: unknown });

/**
 * Parses command line arguments. Numeric values become numbers, the value of a flag given twice is the last
 * one, `-abc` is three flags, `--` ends the flags, and a dotted name makes nested objects.
 */
export function parseArgs<
  const B extends string = never,
  const S extends string = never,
  const C extends string = never,
  const D extends Record<string, unknown> = Record<never, never>,
  const DD extends boolean | undefined = undefined,
>(args: readonly string[], options: ParseOptions<B, S, C, D, DD> = {}): Args<B, S, C, D, DD> {
  const declared = declare(options);
  const result = new Result(declared, options.unknown);
  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? [] : args.slice(end + 1);
  for (let i = 0; i < flags.length; i++) {
    const arg = flags[i]!;
    if (!isFlag(arg)) {
      if (!options.stopEarly) {
        result.addArgument(arg);
        continue;
      }
      for (const later of flags.slice(i)) result.addArgument(later);
      break;
    }
    i += arg.startsWith("--")
      ? parseLong(arg, flags[i + 1], declared, result)
      : parseShort(arg, flags[i + 1], declared, result);
  }
  if (options["--"]) result.values["--"] = [...rest];
  else result.values._.push(...rest);
  // deno-lint-ignore no-explicit-any -- the declared types are what the loop above has just filled in
  return result.finish(options.default ?? {}) as any;
}

/** A lone dash is an argument: it names standard input. */
function isFlag(arg: string): boolean {
  return arg.startsWith("-") && arg !== "-";
}

/** Parses `--name`, `--name=value`, `--name value` and `--no-name`; returns how many more arguments it took. */
function parseLong(
  arg: string,
  next: string | undefined,
  declared: Declared,
  result: Result,
): 0 | 1 {
  const split = arg.indexOf("=");
  if (split > 0) {
    const name = arg.slice(2, split);
    const value = arg.slice(split + 1);
    result.set(name, declared.isBoolean(name) ? value !== "false" : value, arg);
    return 0;
  }
  const name = arg.slice(2);
  if (name.startsWith("no-") && declared.isNegatable(name.slice(3))) {
    result.set(name.slice(3), false, arg);
    return 0;
  }
  return takeNext(
    name,
    next,
    declared.isBoolean(name) || declared.allBoolean,
    arg,
    declared,
    result,
  );
}

/** Parses `-abc`, `-n5`, `-n=5`, `-f/path` and `-n 5`; returns how many more arguments it took. */
function parseShort(
  arg: string,
  next: string | undefined,
  declared: Declared,
  result: Result,
): 0 | 1 {
  const letters = arg.slice(1);
  for (let j = 0; j < letters.length - 1; j++) {
    const letter = letters[j]!;
    const value = attachedValue(letter, letters.slice(j + 1));
    if (value !== undefined) {
      result.set(letter, declared.isBoolean(letter) ? value !== "false" : value, arg);
      return 0;
    }
    result.set(letter, declared.isString(letter) ? "" : true, arg);
  }
  const last = letters.at(-1)!;
  return takeNext(last, next, declared.isBoolean(last), arg, declared, result);
}

/** The value written right behind a letter: a number, something after `=`, or anything that is no letter. */
function attachedValue(letter: string, rest: string): string | undefined {
  if (!/[a-z]/i.test(letter)) return undefined;
  if (rest.startsWith("=")) return rest.slice(1);
  return /^\W/.test(rest) || /^\d+(\.\d*)?(e-?\d+)?$/.test(rest) ? rest : undefined;
}

/** Gives the flag the next argument when it wants one and there is one. */
function takeNext(
  name: string,
  next: string | undefined,
  isBoolean: boolean,
  arg: string,
  declared: Declared,
  result: Result,
): 0 | 1 {
  if (next !== undefined && !isFlag(next) && !isBoolean) {
    result.set(name, next, arg);
    return 1;
  }
  if (next === "true" || next === "false") {
    result.set(name, next === "true", arg);
    return 1;
  }
  result.set(name, declared.isString(name) ? "" : true, arg);
  return 0;
}
