/**
 * A trainer with a method for each of the usual hooks.
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

/** What the console is told: every 10 batches, where that is not said. */
export type ConsoleLoggingOptions = Omit<ConsoleLogOptions, "name">;

/** Where a run is logged: in `logs` of the current directory, every 100 batches, where that is not said. */
export type JsonLoggingOptions = Omit<Partial<JsonLogOptions>, "name">;

/** Where checkpoints are written, and when: into `checkpoints`, after every epoch, where that is not said. */
export type CheckpointingOptions = Omit<Partial<CheckpointOptions>, "name">;

/** What {@linkcode getTrainer} adds to a trainer. All hooks but the run log run after those that are added by hand. */
export interface TrainerConveniences {
  /** Tells of the run on the console, by the hook `"console_log"`. Throws a RangeError where there is one already. */
  addConsoleLogging(options?: ConsoleLoggingOptions): HookHandle;
  /** Writes the run as JSON Lines, by the hook `"json_log"`. Throws a RangeError where there is one already. */
  addJsonLogging(options?: JsonLoggingOptions): HookHandle;
  /** Writes checkpoints after epochs, by the hook `"checkpoint"`. Throws a RangeError where there is one already. */
  addCheckpointing(options?: CheckpointingOptions): HookHandle;
  /**
   * Logs what must be known to do the run again, with all hooks and their changes, by the hook `"runLog"`, which is first.
   * Before a checkpoint is loaded, so that the resumed run is known as the same.
   */
  addRunLog(options: RunLogOptions): HookHandle;
  /**
   * Adds the hooks of a configuration, see {@linkcode createHooks}; all of them or, where one is refused, none. Training
   * waits for hooks that are still being made.
   */
  addHooks(config: HooksConfig, options?: CreateHooksOptions): Promise<HookHandle[]>;
}

/** A trainer with a method for each of the usual hooks. */
export type ConfiguredTrainer<
  H extends TrainingHooksOf<H> = TrainingHooks,
  N extends Names = Names,
  W extends Names = Names,
> =
  & Trainer<H, N, W>
  & TrainerConveniences;

/** Who is told of errors, and of which hooks nobody is. */
export interface Listening {
  readonly silent: Set<string>;
  readonly tell: (warning: HookWarning) => void;
}

/** Gives a trainer those methods. */
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
