/**
 * Reading of a configuration: the hooks to create, each with its path in the configuration.
 *
 * @module
 */

import { ERROR_POLICIES } from "../../hooks/protocol/protocol.ts";
import { isObject, type Members } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import { bareName, isModule } from "./hook_module.ts";
import { type HookList, unknownMember } from "./hook_schema.ts";
import {
  CONFIG_MEMBERS,
  type HooksConfig,
  type HooksConfigMembers,
  LISTS,
  type Switch,
  SWITCHES,
} from "./hooks_config.ts";
import { checkValue, type JsonSchema, wrong } from "../json_schema.ts";
import { camelCase } from "../letter_case.ts";

/** A hook that a configuration asks for. */
export interface WantedHook {
  /** Path of the hook in the configuration, such as `hooks.forward[0]`. */
  readonly path: string;
  /** Name in the registry, or module spec. */
  readonly spec: string;
  /** True if `spec` is a module spec. */
  readonly isModule: boolean;
  /** Name that the hook gets; undefined if the configuration does not name it. */
  readonly name: string | undefined;
  /** Options of the hook as the configuration spells them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** List that contains the hook; undefined for hooks of `hookClasses` and of switches. */
  readonly list: HookList | undefined;
  /** True if the options of the hook are only checked, and the hook is not created. */
  readonly isOff: boolean;
  /** False if the hook is added, but disabled. */
  readonly enabled: boolean;
  /** Reaction to an error that the hook throws; undefined if the entry has no `onError`. */
  readonly onError: "throw" | "warn" | "disable" | undefined;
}

/** A checked configuration. */
export interface ReadConfig {
  /** The hooks, in the order in which they are created. */
  readonly wanted: readonly WantedHook[];
  /**
   * Value of `continueOnHookError`: true if the run continues after errors of hooks. If it is undefined, the error
   * policy of each hook decides.
   */
  readonly continues: boolean | undefined;
  /** Value of `logHookErrors`: true if errors of hooks that do not stop the run are reported. */
  readonly logs: boolean;
}

const PLAIN = { name: undefined, list: undefined, isOff: false, enabled: true, onError: undefined };
const FLAG: JsonSchema = { type: "boolean" };
const TEXTS: JsonSchema = { type: "array", items: { type: "string" } };
const OBJECT: JsonSchema = { type: "object" };

/**
 * Reads and checks a configuration.
 *
 * @throws {TypeError} if a member is unknown, or if its value has the wrong type
 * @throws {RangeError} if the value of a member is not allowed
 */
export function readConfig(config: HooksConfig): ReadConfig {
  if (!isObject(config)) throw new TypeError(wrong("the configuration", "an object", config));
  const [members, paths] = camelMembers(config);
  return {
    wanted: [
      ...classesOf(members, paths),
      ...SWITCHES.flatMap((each) => switched(members, paths, each)),
      ...listed(members),
    ],
    continues: flagOf(members, paths, "continueOnHookError"),
    logs: flagOf(members, paths, "logHookErrors") ?? true,
  };
}

type Paths = Readonly<Record<string, string>>;

/** Returns the members with names in camelCase, and a map from each name to its spelling in the configuration. */
function camelMembers(config: Members): [members: HooksConfigMembers, paths: Paths] {
  const members: Record<string, unknown> = {}, paths: Record<string, string> = {};
  for (const [key, value] of Object.entries(config)) {
    const name = camelCase(key);
    if (!(CONFIG_MEMBERS as readonly string[]).includes(name)) {
      throw new TypeError(unknownMember(key, key, CONFIG_MEMBERS));
    }
    if (name in members) {
      throw new TypeError(wrong(key, "given once, in camelCase or in snake_case", value));
    }
    if (value === undefined) continue;
    members[name] = value;
    paths[name] = key;
  }
  return [members, paths];
}

function flagOf(
  members: HooksConfigMembers,
  paths: Paths,
  name: keyof HooksConfigMembers,
): boolean | undefined {
  const value = members[name];
  if (value !== undefined) checkValue(FLAG, value, paths[name]!);
  return value as boolean | undefined;
}

function classesOf(members: HooksConfigMembers, paths: Paths): WantedHook[] {
  const { hookClasses = [], hookConfigs = {} } = members;
  const at = paths.hookClasses ?? "hookClasses", configs = paths.hookConfigs ?? "hookConfigs";
  checkValue(TEXTS, hookClasses, at);
  checkValue(OBJECT, hookConfigs, configs);
  const bare = hookClasses.map(bareName);
  for (const [key, options] of Object.entries(hookConfigs)) {
    checkValue(OBJECT, options, `${configs}.${key}`);
    if (hookClasses.includes(key)) continue;
    const fitting = bare.filter((name) => name === key).length;
    if (fitting === 1) continue;
    if (fitting > 1) {
      throw new RangeError(
        `Cannot configure hooks: ${configs}.${key} must match one entry of ${at}; it matches ${fitting}. ` +
          `Use the full entry as the key, such as ${show(hookClasses[bare.indexOf(key)])}`,
      );
    }
    throw new RangeError(unknownMember(`${configs}.${key}`, key, [...hookClasses, ...bare]));
  }
  return hookClasses.map((spec, i) => ({
    ...PLAIN,
    path: `${at}[${i}]`,
    spec,
    isModule: isModule(spec),
    options: hookConfigs[spec] ?? hookConfigs[bare[i]!] ?? {},
  }));
}

/**
 * Returns a list with the hook of a switch; an empty list if the switch is off and has no options. The options of a
 * disabled hook are checked, too.
 */
function switched(
  members: HooksConfigMembers,
  paths: Paths,
  [enable, config, spec]: Switch,
): WantedHook[] {
  const isOn = flagOf(members, paths, enable) ?? false, options = members[config] ?? {};
  checkValue(OBJECT, options, paths[config] ?? config);
  if (!isOn && members[config] === undefined) return [];
  const path = paths[config] ?? paths[enable]!;
  return [{ ...PLAIN, path, spec, isModule: false, options, isOff: !isOn }];
}

function listed({ hooks }: HooksConfigMembers): WantedHook[] {
  if (hooks === undefined || hooks === null) return [];
  checkValue(OBJECT, hooks, "hooks");
  for (const key of Object.keys(hooks)) {
    if (LISTS.includes(key as HookList)) continue;
    throw new TypeError(unknownMember(`hooks.${key}`, key, LISTS));
  }
  return LISTS.flatMap((list) => {
    const entries = hooks[list] ?? [];
    checkValue({ type: "array" }, entries, `hooks.${list}`);
    return entries.map((entry, i) => entryOf(entry, list, `hooks.${list}[${i}]`));
  });
}

function entryOf(entry: unknown, list: HookList, path: string): WantedHook {
  checkValue(OBJECT, entry, path);
  const { name, module, enabled = true, onError, on_error, ...options } = entry as Members;
  const policy = onError ?? on_error, spec = module ?? name;
  checkValue({ type: "string" }, spec, `${path}.${module === undefined ? "name" : "module"}`);
  if (name !== undefined) checkValue({ type: "string" }, name, `${path}.name`);
  checkValue(FLAG, enabled, `${path}.enabled`);
  if (policy !== undefined) checkValue({ enum: ERROR_POLICIES }, policy, `${path}.onError`);
  return {
    path,
    spec: spec as string,
    isModule: module !== undefined,
    options,
    list,
    isOff: false,
    name: name as string | undefined,
    enabled: enabled as boolean,
    onError: policy as WantedHook["onError"],
  };
}
