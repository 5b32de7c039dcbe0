/**
 * Registry of hooks by name.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { BUILT_IN_HOOKS } from "./built_in_hooks.ts";
import { checkKeysOfSchema, type HookSchema } from "./hook_schema.ts";

/** Creates a hook from the options of a configuration, in camelCase. */
export type HookFactory<O = Readonly<Record<string, unknown>>> = (options: O) => object;

/** A hook in the registry. */
export interface RegisteredHook extends HookSchema {
  /** Creates the hook. */
  readonly make: HookFactory;
  /** True for built-in hooks, which run after hooks of users. */
  readonly isBuiltIn: boolean;
}

/**
 * Registry of hooks by name, for configurations. A new registry contains the built-in hooks: `console_log`,
 * `json_log`, `checkpoint`, `logging`, `gradient_monitor`, `model_checkpoint`, `early_stopping` and more, see
 * {@linkcode hooksSchema}.
 *
 * @example A custom hook, by name
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
 */
export class HookRegistry {
  readonly #hooks = new Map<string, RegisteredHook>(
    Object.entries(BUILT_IN_HOOKS).map(([name, hook]) => [name, { ...hook, isBuiltIn: true }]),
  );

  /** Registered names, in the order of registration. */
  get names(): readonly string[] {
    return [...this.#hooks.keys()];
  }

  /** All hooks by name. */
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
      throw new TypeError(complaint(action, "its name must be a string", name));
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
        `Cannot ${action}: the name is taken`,
      );
    }
    this.#hooks.set(name, { ...schema, make: factory as HookFactory, isBuiltIn: false });
    return this;
  }

  /** Returns the hook of a name. Throws a RangeError if the name is unknown. */
  get(name: string): RegisteredHook {
    const hook = this.#hooks.get(name);
    if (hook !== undefined) return hook;
    const { names } = this;
    throw new RangeError(
      complaint("get a hook", `its name must be one of ${names.join(", ")}`, name, names),
    );
  }
}
