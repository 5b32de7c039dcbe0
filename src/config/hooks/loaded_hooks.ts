/**
 * The hooks of a configuration that a registry has loaded.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { HookHandle } from "../../hooks/registry/hook_set.ts";
import { bareName } from "./hook_module.ts";
import type { HookList } from "./hook_schema.ts";
import type { HooksConfig } from "./hooks_config.ts";
import { type ReadConfig, readConfig, type WantedHook } from "./read_config.ts";
import { findHook, type HookLookup, numbered } from "./registered_hook.ts";

/** A hook of a loaded configuration, and its current state. */
export interface HookDefinition {
  /** Name of the hook. */
  readonly name: string;
  /** List of the hook: `"forward"`, `"update"` or `"other"`. */
  readonly list: HookList;
  /** True if the hook is enabled. */
  readonly enabled: boolean;
  /** Path in the configuration, such as `hooks.forward[0]`. */
  readonly path: string;
}

/** A definition, and the handles of the hooks that were created from it. */
interface LoadedHook {
  readonly name: string;
  readonly list: HookList;
  readonly wanted: WantedHook;
  enabled: boolean;
  readonly handles: HookHandle[];
}

/** The hooks of one configuration. */
export class LoadedHooks {
  /** The configuration. */
  readonly config: HooksConfig;
  readonly #read: ReadConfig;
  readonly #hooks: readonly LoadedHook[];

  /** Reads and checks a configuration. Throws a TypeError or RangeError that has the path of the wrong member. */
  constructor(config: HooksConfig, lookup: HookLookup) {
    this.config = config;
    this.#read = readConfig(config);
    const names = new Map<string, number>();
    const found = this.#read.wanted.map((wanted) => {
      const { spec, isModule } = wanted;
      const list = isModule ? undefined : findHook(wanted, lookup).registered.list;
      return {
        wanted,
        list: wanted.list ?? list ?? "other",
        base: isModule ? bareName(spec) : spec,
      };
    });
    this.#hooks = found.filter(({ wanted }) => !wanted.isOff).map(({ wanted, list, base }) => ({
      name: numbered(wanted.name ?? base, names),
      list,
      wanted,
      enabled: wanted.enabled,
      handles: [],
    }));
  }

  /** The definitions of the hooks, in the order in which the hooks are created. */
  get definitions(): HookDefinition[] {
    return this.#hooks.map(({ name, list, enabled, wanted: { path } }) => ({
      name,
      list,
      enabled,
      path,
    }));
  }

  /** Returns the configuration, in which each hook is enabled or disabled according to the calls of `toggle`. */
  read(): ReadConfig {
    const enabled = new Map(this.#hooks.map(({ wanted, enabled }) => [wanted, enabled]));
    const wanted = this.#read.wanted.map((one) => ({
      ...one,
      enabled: enabled.get(one) ?? one.enabled,
    }));
    return { ...this.#read, wanted };
  }

  /** Enables or disables a definition, and the hooks that were created from it. */
  toggle(name: string, enabled: boolean): void {
    const hook = this.#hooks.find((one) => one.name === name);
    if (hook === undefined) {
      const names = this.#hooks.map((one) => one.name), action = enabled ? "enable" : "disable";
      const requirement = `its name must be one of ${names.join(", ")}`;
      throw new RangeError(complaint(`${action} a hook`, requirement, name, names));
    }
    hook.enabled = enabled;
    for (const handle of hook.handles) enabled ? handle.enable() : handle.disable();
  }

  /**
   * Connects the handle of a created hook with the definition at `path`. From now on `toggle` also acts on the
   * handle.
   */
  join(path: string, handle: HookHandle): void {
    this.#hooks.find(({ wanted }) => wanted.path === path)?.handles.push(handle);
  }
}
