/**
 * Hooks of a registry, and their lookup by a configuration.
 *
 * @module
 */

import { type HookSchema, readHookOptions } from "./hook_schema.ts";
import { wrong } from "../json_schema.ts";
import type { WantedHook } from "./read_config.ts";

/** Creates a hook from the options of a configuration, in camelCase. */
export type HookFactory<O = Readonly<Record<string, unknown>>> = (options: O) => object;

/** A hook in the registry. */
export interface RegisteredHook extends HookSchema {
  /** Creates the hook. */
  readonly make: HookFactory;
  /** True for built-in hooks, which run after hooks of users. */
  readonly isBuiltIn: boolean;
}

/** The lookup of registered hooks by name. */
export interface HookLookup {
  /** Returns whether a name is registered. */
  has(name: string): boolean;
  /** Returns the registered hook with this name. Throws a RangeError if the name is unknown. */
  get(name: string): RegisteredHook;
}

/** A hook of a registry, with checked options. */
export interface FoundHook {
  /** Entry in the registry. */
  readonly registered: RegisteredHook;
  /** Options in camelCase. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns the registered hook that a configuration names, with its checked options.
 *
 * @throws {TypeError | RangeError} for an unknown name or option, a wrong value, or a hook that belongs to another
 * list; the message has the path in the configuration
 */
export function findHook(wanted: WantedHook, hooks: HookLookup): FoundHook {
  const { path, spec, options } = wanted, registered = registeredOf(wanted, hooks);
  const { list } = registered;
  if (wanted.list !== undefined && list !== undefined && list !== wanted.list) {
    throw new TypeError(
      wrong(`${path}.name`, `a hook for hooks.${wanted.list}`, spec) +
        `, which belongs to hooks.${list}`,
    );
  }
  return { registered, options: readHookOptions(registered, options, path) };
}

function registeredOf({ path, spec, list }: WantedHook, hooks: HookLookup): RegisteredHook {
  if (hooks.has(spec)) return hooks.get(spec);
  const place = list === undefined ? path : `${path}.name`;
  try {
    return hooks.get(spec);
  } catch (error) {
    const rest = (error as Error).message.replace(/^Cannot get a hook: its name/, "");
    const instead = spec.includes(".") ? '; write a custom hook as "./module.ts#Name"' : "";
    throw new RangeError(`Cannot configure hooks: ${place}${rest}${instead}`);
  }
}

/**
 * Returns a unique name for a hook: `name` the first time, then `name-2`, `name-3` and so on. `names` counts the uses
 * of each name.
 */
export function numbered(name: string, names: Map<string, number>): string {
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name}-${count}`;
}
