/**
 * The hooks that a trainer adds by name, or from a configuration.
 *
 * @module
 */

import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import { printFirst } from "../../hooks/registry/error_reports.ts";
import type { HookHandle, HookSet } from "../../hooks/registry/hook_set.ts";
import type { ConsoleLogOptions, JsonLogOptions } from "../../observe/mod.ts";
import type { TrainingStage } from "../../training/stages.ts";
import { createHooks, type CreateHooksOptions } from "../hooks/create_hooks.ts";
import { HookRegistry } from "../hooks/hook_registry.ts";
import { readHookOptions } from "../hooks/hook_schema.ts";
import type { HooksConfig } from "../hooks/hooks_config.ts";

/** Options of `addConsoleLogging`. By default a row is written every 10 batches. */
export type ConsoleLoggingOptions = Omit<ConsoleLogOptions, "name">;

/**
 * Options of `addJsonLogging`. By default a row is written every 100 batches, to the folder `logs` in the current
 * directory.
 */
export type JsonLoggingOptions = Omit<Partial<JsonLogOptions>, "name">;

/** Options of `addCheckpointing`. By default a checkpoint is written to `checkpoints` after every epoch. */
export interface CheckpointingOptions {
  /**
   * Folder for the checkpoints. It is created if it does not exist.
   *
   * @default "checkpoints"
   */
  readonly outputDir?: string | URL;
  /**
   * Number of epochs between two checkpoints.
   *
   * @default 1
   */
  readonly saveEveryNEpochs?: number;
  /**
   * Also writes a checkpoint of the best epoch.
   *
   * @default true
   */
  readonly saveBest?: boolean;
}

/** Options of a trainer that add hooks from a configuration. */
export interface HooksConfigOption {
  /**
   * Configuration of hooks, or a registry that has loaded one, as for `addHooks`. The hooks are created before
   * training begins. If one of them is refused, training throws.
   *
   * @default undefined
   */
  readonly hooksConfig?: HooksConfig | HookRegistry;
  /**
   * Options of `createHooks`, such as the registry and the modules that are allowed.
   *
   * @default the defaults of `createHooks`
   */
  readonly hooksOptions?: CreateHooksOptions;
}

type Hooks = HookSet<typeof TrainingStage>;

/** Adds hooks to one trainer, and forwards the warnings of hooks except those that are silenced. */
export class TrainerHooks {
  readonly #onWarning: (warning: HookWarning) => void;
  readonly #registry = new HookRegistry();
  /** Names of the hooks whose errors are not reported. */
  readonly #silent = new Set<string>();

  /** Creates an instance that forwards warnings to `onWarning`. */
  constructor(onWarning: (warning: HookWarning) => void = printFirst) {
    this.#onWarning = onWarning;
  }

  /** Reports a warning, unless its hook is silenced. */
  readonly warn = (warning: HookWarning): void => {
    if (!this.#silent.has(warning.hook)) this.#onWarning(warning);
  };

  /** Adds a built-in hook by its name. It runs after hooks that are added directly. */
  addNamed(hooks: Hooks, name: string, options: object = {}): HookHandle {
    const registered = this.#registry.get(name);
    const hook = registered.make(readHookOptions(registered, { ...options }, name));
    return hooks.add(hook as never, { name, order: "last" });
  }

  /** Adds all hooks of a configuration. If one is refused, none is added. */
  async addConfigured(
    hooks: Hooks,
    config: HooksConfig | HookRegistry,
    options: CreateHooksOptions | undefined,
  ): Promise<HookHandle[]> {
    const handles: HookHandle[] = [];
    const created = await createHooks(config, { onWarning: this.warn, ...options });
    try {
      for (const { hook, options: how, logErrors, path } of created) {
        const handle = hooks.add(hook as never, how);
        handles.push(handle);
        if (config instanceof HookRegistry) config.join(path, handle);
        if (!logErrors) this.#silent.add(handle.name);
      }
    } catch (error) {
      for (const handle of handles) handle.remove();
      throw error;
    }
    return handles;
  }
}
