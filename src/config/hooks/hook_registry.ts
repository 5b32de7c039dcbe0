/**
 * Registry of hooks by name.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { BUILT_IN_HOOKS } from "./built_in_hooks.ts";
import type { HookHandle } from "../../hooks/registry/hook_set.ts";
import { checkKeysOfSchema, type HookSchema } from "./hook_schema.ts";
import type { HooksConfig } from "./hooks_config.ts";
import { type HookDefinition, LoadedHooks } from "./loaded_hooks.ts";
import type { ReadConfig } from "./read_config.ts";
import type { HookFactory, RegisteredHook } from "./registered_hook.ts";

export type { HookDefinition } from "./loaded_hooks.ts";
export type { HookFactory, RegisteredHook } from "./registered_hook.ts";

/**
 * Registry of hooks by name, for configurations. A new registry contains the built-in hooks: `console_log`,
 * `json_log`, `checkpoint`, `logging`, `gradient_monitor`, `model_checkpoint`, `early_stopping` and more, see
 * {@linkcode hooksSchema}.
 *
 * @example Register a custom hook
 * ```ts
 * import { createHooks, HookRegistry } from "@hooke/hooke/config";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * class StopAfter {
 *   readonly stage = "training/STEP_END";
 *   readonly frequency = 1;
 *   readonly #steps: number;
 *   constructor({ steps }: { steps: number }) {
 *     this.#steps = steps;
 *   }
 *   call(ctx: { stepCount: number; stop(reason: string): void }) {
 *     if (ctx.stepCount >= this.#steps) ctx.stop(`${this.#steps} steps`);
 *   }
 * }
 * const registry = new HookRegistry();
 * registry.register("stop_after", (options: { steps: number }) => new StopAfter(options), {
 *   options: { steps: { type: "integer", minimum: 1 } },
 *   required: ["steps"],
 * });
 * const config = { hooks: { other: [{ name: "stop_after", steps: 100 }] } };
 * const [created] = await createHooks(config, { registry });
 * assertEquals(created?.hook.constructor.name, "StopAfter");
 *
 * const misspelt = { hooks: { other: [{ name: "stop_after", step: 100 }] } };
 * await assertRejects(() => createHooks(misspelt, { registry }), TypeError, "did you mean steps?");
 * ```
 *
 * @example Enable and disable the hooks of a configuration by name
 * ```ts
 * import { HookRegistry } from "@hooke/hooke/config";
 * import { assertEquals } from "@std/assert";
 *
 * const registry = new HookRegistry({
 *   hooks: {
 *     forward: [{ name: "activation_stats", enabled: false }],
 *     update: [{ name: "identity" }],
 *   },
 * });
 * registry.enable("activation_stats"); // then new Trainer({ …, hooksConfig: registry })
 * assertEquals(registry.definitions.map(({ name, list, enabled }) => [name, list, enabled]), [
 *   ["activation_stats", "forward", true],
 *   ["identity", "update", true],
 * ]);
 * ```
 */
export class HookRegistry {
  readonly #hooks = new Map<string, RegisteredHook>(
    Object.entries(BUILT_IN_HOOKS).map(([name, hook]) => [name, { ...hook, isBuiltIn: true }]),
  );
  #loaded: LoadedHooks | undefined;

  /** Creates a registry with the built-in hooks, and loads `config`, if it is given; see {@linkcode load}. */
  constructor(config?: HooksConfig) {
    if (config !== undefined) this.load(config);
  }

  /**
   * Loads the definitions of hooks from a configuration. They replace the definitions of an earlier call. The hooks
   * are created when the registry is passed to `createHooks`, to `addHooks`, or to a trainer as its option
   * `hooksConfig`. Only then are the modules of custom hooks checked and imported.
   *
   * @throws {TypeError | RangeError} for an unknown name or option, or a wrong value, with its path in the configuration
   */
  load(config: HooksConfig): this {
    this.#loaded = new LoadedHooks(config, this);
    return this;
  }

  /** Loaded configuration; `undefined` if none was loaded. */
  get config(): HooksConfig | undefined {
    return this.#loaded?.config;
  }

  /** Hooks of the loaded configuration, in the order in which they are created. */
  get definitions(): readonly HookDefinition[] {
    return this.#loaded?.definitions ?? [];
  }

  /**
   * Enables a hook of the loaded configuration, also in the trainers for which it was created. Throws a RangeError
   * for an unknown name, and a TypeError if no configuration is loaded.
   */
  enable(name: string): void {
    this.#loadedFor("enable").toggle(name, true);
  }

  /**
   * Disables a hook of the loaded configuration, also in the trainers for which it was created. Throws a RangeError
   * for an unknown name, and a TypeError if no configuration is loaded.
   */
  disable(name: string): void {
    this.#loadedFor("disable").toggle(name, false);
  }

  /**
   * Returns the loaded configuration, in which each hook is enabled or disabled according to the calls of `enable`
   * and `disable`. Called by `createHooks`.
   */
  read(): ReadConfig {
    return this.#loadedFor("create").read();
  }

  /**
   * Connects the handle of a created hook with the definition at `path`. From now on `enable` and `disable` also act
   * on the handle. Called by trainers.
   */
  join(path: string, handle: HookHandle): void {
    this.#loaded?.join(path, handle);
  }

  #loadedFor(action: string): LoadedHooks {
    if (this.#loaded !== undefined) return this.#loaded;
    throw new TypeError(
      `Cannot ${action} hooks of a registry: the registry has no configuration. Pass one to new HookRegistry(config) or load(config)`,
    );
  }

  /** Registered names, in the order of registration. */
  get names(): readonly string[] {
    return [...this.#hooks.keys()];
  }

  /** All registered hooks, by name. */
  get entries(): ReadonlyMap<string, RegisteredHook> {
    return this.#hooks;
  }

  /** Returns whether a name is registered. */
  has(name: string): boolean {
    return this.#hooks.has(name);
  }

  /**
   * Registers a hook. Without a `schema` its options are not checked or renamed.
   *
   * @throws {TypeError} if the name is not a string, the factory is not a function, or the schema is wrong
   * @throws {RangeError} if the name is taken
   */
  register<O = Readonly<Record<string, unknown>>>(
    name: string,
    factory: HookFactory<O>,
    schema: HookSchema = {},
  ): this {
    const action = `register hook ${typeof name === "string" ? name : ""}`.trimEnd();
    if (typeof name !== "string" || name === "") {
      throw new TypeError(complaint(action, "its name must be a non-empty string", name));
    }
    if (typeof factory !== "function") {
      throw new TypeError(complaint(action, "its factory must be a function", factory));
    }
    if (!isObject(schema)) {
      throw new TypeError(complaint(action, "its schema must be an object", schema));
    }
    checkKeysOfSchema(action, schema);
    if (this.#hooks.has(name)) {
      throw new RangeError(
        `Cannot ${action}: a hook of that name is already registered. Choose another name`,
      );
    }
    this.#hooks.set(name, { ...schema, make: factory as HookFactory, isBuiltIn: false });
    return this;
  }

  /** Returns the registered hook with this name. Throws a RangeError if the name is unknown. */
  get(name: string): RegisteredHook {
    const hook = this.#hooks.get(name);
    if (hook !== undefined) return hook;
    const { names } = this;
    throw new RangeError(
      complaint("get a hook", `its name must be one of ${names.join(", ")}`, name, names),
    );
  }
}
