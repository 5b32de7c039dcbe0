/**
 * JSON Schema of the configuration of hooks, for editors and for checks before a run.
 *
 * @module
 */

import { ERROR_POLICIES } from "../../hooks/protocol/protocol.ts";
import { HookRegistry, type RegisteredHook } from "./hook_registry.ts";
import { bothSpellings, type HookList, type HookSchema, spellings } from "./hook_schema.ts";
import { LISTS, SWITCHES } from "./hooks_config.ts";
import type { JsonSchema } from "../json_schema.ts";

const FLAG: JsonSchema = { type: "boolean" };

/**
 * Returns the JSON Schema (draft 2020-12) of configurations that use the hooks of a registry. It contains every name
 * of a hook and every option, in both spellings. Options that JSON cannot express, such as functions, are left out.
 *
 * @example
 * ```ts
 * import { HookRegistry, registrySchema } from "@hooke/hooke/config";
 * import { assertEquals } from "@std/assert";
 *
 * const registry = new HookRegistry();
 * registry.register("mine", () => ({}), { list: "update", options: { rate: { type: "number" } } });
 * const entries = registrySchema(registry).properties?.hooks?.properties?.update?.items?.oneOf;
 * const mine = entries?.find(({ properties }) => properties?.name?.const === "mine");
 * assertEquals(mine?.properties?.rate, { type: "number" });
 * ```
 */
export function registrySchema(registry: HookRegistry): JsonSchema {
  const hooks = [...registry.entries];
  const lists = LISTS.map((list) =>
    [list, { type: "array", items: entryIn(list, hooks) }] as const
  );
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Hooks of a training run",
    type: "object",
    properties: {
      ...bothSpellings({
        ...Object.fromEntries(SWITCHES.flatMap(([enable, config, name]) => [
          [enable, { ...FLAG, default: false }],
          ...(registry.has(name) ? [[config, optionsOf(registry.get(name))]] : []),
        ])),
        hookClasses: { type: "array", items: { type: "string" } },
        hookConfigs: { type: "object", additionalProperties: { type: "object" } },
        continueOnHookError: FLAG,
        logHookErrors: { ...FLAG, default: true },
      }),
      hooks: {
        type: ["object", "null"],
        properties: Object.fromEntries(lists),
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  };
}

/** JSON Schema of a configuration with the built-in hooks; see {@linkcode registrySchema}. */
export const hooksSchema: JsonSchema = registrySchema(new HookRegistry());

/** Returns the JSON Schema of the options of a hook. */
function optionsOf(schema: HookSchema): JsonSchema {
  const { description, options, aliases = {} } = schema;
  const properties = { ...options };
  for (const [alias, name] of Object.entries(aliases)) properties[alias] = options![name]!;
  const needed = requirements(schema);
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: bothSpellings(properties),
    ...(needed.length > 1 && { anyOf: needed }),
    ...(needed.length === 1 && needed[0]),
    additionalProperties: options === undefined,
  };
}

/**
 * Returns a schema for each combination of required members and their spellings; a configuration must match one of
 * them. Options that JSON cannot express are not required.
 */
function requirements({ required = [], anyOf = [], inCode = [] }: HookSchema): JsonSchema[] {
  const any = anyOf.filter((name) => !inCode.includes(name));
  const groups = [...required.map((name) => [name]), ...(any.length === 0 ? [] : [any])];
  if (groups.length === 0) return [];
  const spelt = groups.map((names) => names.flatMap((name) => [...spellings(name)]));
  return spelt.reduce<string[][]>(
    (lists, names) => lists.flatMap((list) => names.map((name) => [...list, name])),
    [[]],
  ).map((list) => ({ required: list }));
}

function entryIn(
  list: HookList,
  hooks: readonly (readonly [string, RegisteredHook])[],
): JsonSchema {
  const common = {
    enabled: { ...FLAG, default: true },
    ...bothSpellings({ onError: { enum: ERROR_POLICIES } }),
  };
  const fitting = hooks.filter(([, hook]) => hook.list === undefined || hook.list === list);
  return {
    oneOf: [
      ...fitting.map(([name, hook]): JsonSchema => {
        const options = optionsOf(hook);
        const properties = { name: { const: name }, ...common, ...options.properties };
        return { ...options, properties, required: ["name", ...options.required ?? []] };
      }),
      {
        type: "object",
        properties: { module: { type: "string" }, name: { type: "string" }, ...common },
        required: ["module"],
        additionalProperties: true,
      },
    ],
  };
}
