// The JSON Schema of configurations of hooks, compared with the hooks and with examples.
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  createHooks,
  HookRegistry,
  hooksSchema,
  type JsonSchema,
  registrySchema,
} from "@hooke/hooke/config";

/** Returns whether a value matches a schema: the part of draft 2020-12 in use, independent of the code under test. */
function fits(schema: JsonSchema, value: unknown): boolean {
  const { type, properties = {}, required = [], items, additionalProperties = true } = schema;
  const types = type === undefined ? undefined : [type].flat();
  if (types !== undefined && !types.some((each) => isOf(each as string, value))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.const !== undefined && schema.const !== value) return false;
  if (typeof value === "number") {
    if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity)) return false;
    if (value <= (schema.exclusiveMinimum ?? -Infinity)) return false;
  }
  if (schema.anyOf !== undefined && !schema.anyOf.some((each) => fits(each, value))) return false;
  if (schema.oneOf !== undefined && schema.oneOf.filter((each) => fits(each, value)).length !== 1) {
    return false;
  }
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(items, item));
  if (typeof value !== "object" || value === null) return true;
  if (required.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    if (properties[name] !== undefined) return fits(properties[name], member);
    return typeof additionalProperties === "boolean"
      ? additionalProperties
      : fits(additionalProperties, member);
  });
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    default:
      return typeof value === "string";
  }
}

/** Returns a value that matches the schema of an option. */
function example(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  switch ([schema.type].flat()[0]) {
    case "string":
      return "text";
    case "boolean":
      return true;
    case "array":
      return [];
    case "integer":
      return Math.max(2, schema.minimum ?? 0);
    default:
      return Math.min(schema.maximum ?? 1, 1);
  }
}

const registry = new HookRegistry();

/** Returns the options that a class accepts, according to its error for an unknown option. */
function takenBy(name: string): string[] {
  const error = assertThrows(() => registry.get(name).make({ noSuchOption: 1 }), Error);
  return /must be among ([^;]*); got/.exec(error.message)![1]!.split(", ");
}

/** Required options of each hook. */
function neededBy(name: string): Record<string, unknown> {
  const { options = {}, required = [], anyOf = [] } = registry.get(name);
  const needed = [...required, ...anyOf.slice(0, 1)];
  return Object.fromEntries(needed.map((option) => [option, example(options[option]!)]));
}

/** Options given by the entry of a list, or by an option of another name. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  console_log: ["frequency"],
  json_log: ["frequency"],
  logging: ["frequency"],
  gradient_monitor: ["frequency"],
  activation_stats: ["frequency"],
  validation: ["frequency"],
};

for (const [name, { options = {}, inCode = [] }] of registry.entries) {
  if (name === "identity") continue; // takes no options
  Deno.test(`configurations of ${name} have all options of its class, and no others`, () => {
    const left = ["name", ...ELSEWHERE[name] ?? []];
    const wanted = takenBy(name).filter((option) => !left.includes(option)).sort();
    assertEquals([...Object.keys(options), ...inCode].sort(), wanted);
  });

  Deno.test(`the class of ${name} accepts the defaults in the schema`, () => {
    const needed = neededBy(name);
    for (const option of Object.keys(options)) {
      if (options[option]!.default === undefined) continue;
      assert(registry.get(name).make({ ...needed, [option]: example(options[option]!) }));
    }
  });

  Deno.test(`the schema accepts ${name} with each of its options, and refuses misspelled ones`, () => {
    const list = registry.get(name).list!;
    const needed = neededBy(name);
    const takes = (more: object) =>
      fits(hooksSchema, { hooks: { [list]: [{ name, ...needed, ...more }] } });
    assert(takes({}));
    if (Object.keys(needed).length > 0) {
      assert(!fits(hooksSchema, { hooks: { [list]: [{ name }] } }), "without what is needed");
    }
    for (const [option, schema] of Object.entries(options)) {
      assert(takes({ [option]: example(schema) }), option);
      assert(takes({ enabled: false, on_error: "warn" }));
      assert(!takes({ [`${option}x`]: example(schema) }), option);
      if (schema.type === "boolean") assert(!takes({ [option]: "yes" }), option);
    }
  });
}

Deno.test("the schema accepts what createHooks accepts, and refuses what it refuses", async () => {
  const good = [
    {},
    { hooks: null },
    { enableLoggingHook: true, logging_config: { log_every_n_batches: 5, level: "warning" } },
    { enable_early_stopping_hook: true, earlyStoppingConfig: { minDelta: 0, patience: 3 } },
    { hooks: { update: [{ name: "identity", enabled: false, onError: "throw" }] } },
    { hooks: { other: [{ name: "json_log", output_dir: "out", config: { seed: 7 } }] } },
    { continueOnHookError: true, log_hook_errors: false, hookClasses: [], hook_configs: {} },
  ];
  const bad = [
    { enableLoggingHok: true },
    { enableLoggingHook: "yes" },
    { earlyStoppingConfig: { patience: 1.5 } },
    { early_stopping_config: { mode: "mim" } },
    { hooks: { forward: [{ name: "identity" }] } },
    { hooks: { update: [{ name: "identiy" }] } },
    { hooks: { other: [{ name: "console_log", logEveryNBatches: 0 }] } },
    { hooks: { others: [] } },
    { hooks: { other: [{}] } },
    { hookClasses: [3] },
    { hooks: { other: [{ name: "heartbeat" }] } },
    { hooks: { other: [{ name: "webhook" }] } },
    { hooks: { other: [{ name: "webhook", url: "http://[::1]/", notify_on: ["training_ends"] }] } },
  ];
  for (const config of good) {
    assert(fits(hooksSchema, config), JSON.stringify(config));
    await createHooks(config as never);
  }
  for (const config of bad) {
    assert(!fits(hooksSchema, config), JSON.stringify(config));
    const refused = await createHooks(config as never).then(() => false, () => true);
    assert(refused, JSON.stringify(config));
  }
});

Deno.test("each built-in training hook has a name", () => {
  assertEquals(registry.names, [
    "console_log",
    "json_log",
    "checkpoint",
    "logging",
    "gradient_monitor",
    "model_checkpoint",
    "early_stopping",
    "lr_monitor",
    "activation_stats",
    "identity",
    "validation",
    "ema",
    "accumulate_gradients",
    "clip_gradients",
    "nan_guard",
    "webhook",
    "checkpoint_upload",
    "heartbeat",
  ]);
});

Deno.test("the schema is JSON of the draft that it declares", () => {
  assertEquals(JSON.parse(JSON.stringify(hooksSchema)), hooksSchema);
  assertEquals(hooksSchema.$schema, "https://json-schema.org/draft/2020-12/schema");
});

Deno.test("custom hooks are in the schema of their registry only", () => {
  const own = new HookRegistry();
  own.register("mine", () => ({}), { options: { rate: { type: "number" } }, required: ["rate"] });
  const config = (entry: object) => ({ hooks: { forward: [{ name: "mine", ...entry }] } });
  assert(fits(registrySchema(own), config({ rate: 1 })));
  assert(!fits(registrySchema(own), config({})));
  assert(!fits(registrySchema(own), config({ rate: "fast" })));
  assert(!fits(hooksSchema, config({ rate: 1 })));
});
