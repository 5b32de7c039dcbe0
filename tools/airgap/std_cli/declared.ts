/** Declared properties of flags, by any name of a flag. */
export interface Declared {
  /** True if every `--flag` without `=` is boolean. */
  allBoolean: boolean;
  isBoolean(name: string): boolean;
  isString(name: string): boolean;
  isCollected(name: string): boolean;
  isNegatable(name: string): boolean;
  /** Returns true if any option declares the flag. */
  isKnown(name: string): boolean;
  /** All names of a flag, this one first. */
  names(name: string): string[];
  /** The values of the flags that have one without being given. */
  initial(): Array<[name: string, value: unknown]>;
}

type Names = string | readonly string[] | undefined;

/** The part of the options that speaks of flags by name. */
export interface Declarations {
  alias?: Record<string, string | readonly string[]>;
  boolean?: boolean | string | readonly string[];
  string?: string | readonly string[];
  collect?: string | readonly string[];
  negatable?: string | readonly string[];
}

/** Makes the answers ready: a statement about one name of a flag holds for all of them. */
export function declare(options: Declarations): Declared {
  const groups = aliasGroups(options.alias ?? {});
  const names = (name: string): string[] => [
    name,
    ...(groups.get(name) ?? []).filter((other) => other !== name),
  ];
  const all = (given: Names): Set<string> => new Set(list(given).flatMap(names));
  const booleans = all(typeof options.boolean === "boolean" ? undefined : options.boolean);
  const strings = all(options.string);
  const collected = all(options.collect);
  const negatable = all(options.negatable);
  return {
    allBoolean: options.boolean === true,
    isBoolean: (name) => booleans.has(name),
    isString: (name) => strings.has(name),
    isCollected: (name) => collected.has(name),
    isNegatable: (name) => negatable.has(name),
    isKnown: (name) => booleans.has(name) || strings.has(name) || groups.has(name),
    names,
    initial: () => [
      ...[...booleans].map((name): [string, unknown] => [name, false]),
      ...[...collected].map((name): [string, unknown] => [name, []]),
    ],
  };
}

function list(names: Names): readonly string[] {
  return names === undefined ? [] : typeof names === "string" ? [names] : names;
}

/** Each name with all names of its flag. */
function aliasGroups(alias: Record<string, string | readonly string[]>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, others] of Object.entries(alias)) {
    const group = [
      ...new Set([name, ...list(others)].flatMap((one) => [one, ...groups.get(one) ?? []])),
    ];
    for (const one of group) groups.set(one, group);
  }
  return groups;
}
