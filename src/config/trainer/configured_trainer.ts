/**
 * A trainer with methods for common hooks.
 *
 * @module
 */

import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import type { HookHandle, Names } from "../../hooks/registry/hook_set.ts";
import type { CheckpointOptions, ConsoleLogOptions, JsonLogOptions } from "../../observe/mod.ts";
import type { Trainer } from "../../training/trainer.ts";
import type { TrainingHooks, TrainingHooksOf } from "../../training/trainer_options.ts";
import { awaitHooks } from "../../training/engine/requests.ts";
import { createHooks, type CreateHooksOptions } from "../hooks/create_hooks.ts";
import { HookRegistry } from "../hooks/hook_registry.ts";
import { readHookOptions } from "../hooks/hook_schema.ts";
import type { HooksConfig } from "../hooks/hooks_config.ts";
import { runLog } from "../runs/run_log.ts";
import type { RunLogOptions } from "../runs/run_log_options.ts";

/** Options of `addConsoleLogging`. By default every 10 batches have a row. */
export type ConsoleLoggingOptions = Omit<ConsoleLogOptions, "name">;

/**
 * Options of `addJsonLogging`. By default every 100 batches have a row, in the folder `logs` of the current
 * directory.
 */
export type JsonLoggingOptions = Omit<Partial<JsonLogOptions>, "name">;

/** Options of `addCheckpointing`. By default a checkpoint is written to `checkpoints` after every epoch. */
export type CheckpointingOptions = Omit<Partial<CheckpointOptions>, "name">;

/**
 * Methods that {@linkcode getTrainer} adds to a trainer. All their hooks, except the run log, run after hooks that
 * are added directly.
 */
export interface TrainerConveniences {
  /** Logs the run on the console by the hook `"console_log"`. Throws a RangeError if that hook exists already. */
  addConsoleLogging(options?: ConsoleLoggingOptions): HookHandle;
  /** Writes the run as JSON Lines by the hook `"json_log"`. Throws a RangeError if that hook exists already. */
  addJsonLogging(options?: JsonLoggingOptions): HookHandle;
  /** Writes checkpoints after epochs by the hook `"checkpoint"`. Throws a RangeError if that hook exists already. */
  addCheckpointing(options?: CheckpointingOptions): HookHandle;
  /**
   * Adds a run log as the hook `"runLog"`, which runs first: records that make the run reproducible, with all hooks
   * and their changes. Call it before a checkpoint is loaded, so that the resumed run keeps its id.
   */
  addRunLog(options: RunLogOptions): HookHandle;
  /**
   * Adds the hooks of a configuration, see {@linkcode createHooks}. If one of them is refused, all are removed.
   * Training waits until the hooks are created.
   */
  addHooks(config: HooksConfig, options?: CreateHooksOptions): Promise<HookHandle[]>;
}

/** A trainer with methods for common hooks. */
export type ConfiguredTrainer<
  H extends TrainingHooksOf<H> = TrainingHooks,
  N extends Names = Names,
  W extends Names = Names,
> =
  & Trainer<H, N, W>
  & TrainerConveniences;

/** Receiver of warnings, and the names of the hooks whose warnings it ignores. */
export interface Listening {
  readonly silent: Set<string>;
  readonly tell: (warning: HookWarning) => void;
}

/** Adds the methods to a trainer. */
export function withConveniences<T extends Trainer>(
  trainer: T,
  listening: Listening,
): T & TrainerConveniences {
  const registry = new HookRegistry();
  const add = (name: string, options: object = {}) => {
    const registered = registry.get(name);
    const hook = registered.make(readHookOptions(registered, { ...options }, name));
    return trainer.hooks.add(hook as never, { name, order: "last" });
  };
  const methods: TrainerConveniences = {
    addConsoleLogging: (options) => add("console_log", options),
    addJsonLogging: (options) => add("json_log", options),
    addCheckpointing: (options) => add("checkpoint", options),
    addRunLog: (options) => trainer.hooks.add(runLog(options), { order: "first" }),
    addHooks: (config, options) => {
      const making = addHooks(trainer, listening, { config, options });
      awaitHooks(trainer, making);
      return making;
    },
  };
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(trainer, name, { value });
  }
  return trainer as T & TrainerConveniences;
}

async function addHooks(
  trainer: Trainer,
  { silent, tell }: Listening,
  { config, options }: {
    readonly config: HooksConfig;
    readonly options: CreateHooksOptions | undefined;
  },
): Promise<HookHandle[]> {
  const handles: HookHandle[] = [];
  const created = await createHooks(config, { onWarning: tell, ...options });
  try {
    for (const { hook, options: how, logErrors } of created) {
      const handle = trainer.hooks.add(hook as never, how);
      handles.push(handle);
      if (!logErrors) silent.add(handle.name);
    }
  } catch (error) {
    for (const handle of handles) handle.remove();
    throw error;
  }
  return handles;
}
