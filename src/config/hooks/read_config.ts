/**
 * From a configuration of hooks to what is to be made, each with its place in the configuration.
 *
 * @module
 */

import { ERROR_POLICIES } from "../../hooks/protocol/protocol.ts";
import { isObject, type Members } from "../../base/object.ts";
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

/** A hook that is to be made. */
export interface WantedHook {
  /** Where it stands: `hooks.forward[0]`. */
  readonly path: string;
  /** A name in the registry, or a module. */
  readonly spec: string;
  /** Is it a module? */
  readonly isModule: boolean;
  /** What it is called, where that is said. */
  readonly name: string | undefined;
  /** Its options, as they are written. */
  readonly options: Members;
  /** The list it stands in. */
  readonly list: HookList | undefined;
  /** Is it only checked, and not made? */
  readonly isOff: boolean;
  /** Is it added, but not running? */
  readonly enabled: boolean;
  /** What happens when it throws. */
  readonly onError: "throw" | "warn" | "disable" | undefined;
}

/** A configuration that was read. */
export interface ReadConfig {
  /** The hooks, in order. */
  readonly wanted: readonly WantedHook[];
  /** Do errors leave the run going? */
  readonly continues: boolean | undefined;
  /** Are they told? */
  readonly logs: boolean;
}

const PLAIN = { name: undefined, list: undefined, isOff: false, enabled: true, onError: undefined };
const FLAG: JsonSchema = { type: "boolean" };
const TEXTS: JsonSchema = { type: "array", items: { type: "string" } };
const OBJECT: JsonSchema = { type: "object" };

/**
 * Reads a configuration.
 *
 * @throws {TypeError} for members that there are not, and for what is of another type
 * @throws {RangeError} for a value that is none of those there are
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

/** Members in camelCase, and how each was written. */
function camelMembers(config: Members): [members: HooksConfigMembers, paths: Paths] {
  const members: Record<string, unknown> = {}, paths: Record<string, string> = {};
  for (const [key, value] of Object.entries(config)) {
    const name = camelCase(key);
    if (!(CONFIG_MEMBERS as readonly string[]).includes(name)) {
      throw new TypeError(unknownMember(key, key, CONFIG_MEMBERS));
    }
    if (name in members) throw new TypeError(wrong(key, "said once", value));
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
    if (fitting > 1) throw new RangeError(wrong(`${configs}.${key}`, "of one hook only", options));
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

/** A hook behind a switch. What is off is checked all the same. */
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
