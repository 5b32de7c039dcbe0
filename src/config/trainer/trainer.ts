/**
 * Trainers whose hooks may come from a configuration.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import type { HookHandle, Names } from "../../hooks/registry/hook_set.ts";
import { checkTrainerOptions, TRAINER_MEMBERS } from "../../training/check_trainer_options.ts";
import { awaitHooks } from "../../training/engine/requests.ts";
import { plainConfig } from "../../training/engine/run_info.ts";
import { TrainerCore } from "../../training/trainer.ts";
import type {
  TrainerOptions,
  TrainingHooks,
  TrainingHooksOf,
} from "../../training/trainer_options.ts";
import type { CreateHooksOptions } from "../hooks/create_hooks.ts";
import { HookRegistry } from "../hooks/hook_registry.ts";
import type { HooksConfig } from "../hooks/hooks_config.ts";
import { runLog } from "../runs/run_log.ts";
import type { RunLogOptions } from "../runs/run_log_options.ts";
import {
  type CheckpointingOptions,
  type ConsoleLoggingOptions,
  type HooksConfigOption,
  type JsonLoggingOptions,
  TrainerHooks,
} from "./trainer_hooks.ts";

/**
 * Trains the model of an ONNX file. Its float32 tensors are the parameters. The trainer writes the loss into the
 * graph and differentiates the graph. Parameters, gradients and optimizer state stay on the device.
 *
 * A run fires TRAIN_BEGIN, the stages of its epochs, and TRAIN_END. An epoch fires EPOCH_BEGIN, the stages of its
 * batches and of validation, and EPOCH_END. A batch fires BATCH_BEGIN, BEFORE_FORWARD, AFTER_FORWARD, AFTER_LOSS,
 * BEFORE_BACKWARD, AFTER_BACKWARD, the stages of the update if it is the last batch of a step, and BATCH_END. The
 * update fires GRADIENT_CLIP, then BEFORE_OPTIMIZER_STEP and AFTER_OPTIMIZER_STEP for each optimizer, and STEP_END.
 * Each stage that begins a run, an epoch, a validation or a batch is always followed by the stage that ends it, whose context has
 * the outcome.
 *
 * Results are bitwise identical for the same seeds, with or without observers, and after stopping and resuming.
 *
 * @example Fit a line
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const x = builder.input("x", "f32", ["B", 1]);
 * const w = builder.parameter("w", [0], [1, 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 *
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
 *     wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
 *   }, { batchSize: 2, seed: 1 }),
 *   optimizers: sgd({ lr: 0.05 }),
 *   epochs: 20,
 * });
 * await trainer.train();
 * assertAlmostEquals((await trainer.parameter("w"))[0]!, 2, 1e-4);
 * ```
 */
export class Trainer<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends TrainerCore<H, N, W> {
  readonly #added: TrainerHooks;

  /** Creates a trainer. Throws a TypeError or RangeError that names the wrong option or hook. */
  constructor(options: TrainerOptions<H, N, W> & HooksConfigOption) {
    const { hooksConfig, hooksOptions, ...core } = checked(options);
    const added = new TrainerHooks(core.onWarning);
    const more = { config: core.config ?? configOf(hooksConfig), onWarning: added.warn };
    super({ ...core, ...more } as TrainerOptions<H, N, W>);
    this.#added = added;
    if (hooksConfig === undefined) return;
    const making = added.addConfigured(this.hooks, hooksConfig, hooksOptions);
    awaitHooks(this, making, { isRequired: true });
  }

  /** Logs the run on the console by the hook `"console_log"`. Throws a RangeError if that hook exists already. */
  addConsoleLogging(options?: ConsoleLoggingOptions): HookHandle {
    return this.#added.addNamed(this.hooks, "console_log", options);
  }

  /** Writes the run as JSON Lines by the hook `"json_log"`. Throws a RangeError if that hook exists already. */
  addJsonLogging(options?: JsonLoggingOptions): HookHandle {
    return this.#added.addNamed(this.hooks, "json_log", options);
  }

  /** Writes checkpoints after epochs by the hook `"checkpoint"`. Throws a RangeError if that hook exists already. */
  addCheckpointing(options?: CheckpointingOptions): HookHandle {
    return this.#added.addNamed(this.hooks, "checkpoint", options);
  }

  /**
   * Adds a run log as the hook `"runLog"`, which runs before all others. It records all hooks and their changes, so
   * that the run is reproducible. Call this method before a checkpoint is loaded, so that the resumed run keeps its
   * id.
   */
  addRunLog(options: RunLogOptions): HookHandle {
    const config = plainConfig(this.config);
    return this.hooks.add(runLog({ config, ...options }), { order: "first" });
  }

  /**
   * Adds the hooks of a configuration, or of a registry that has loaded one; see `createHooks`. If one of the hooks
   * is refused, all of them are removed. Training waits until the hooks are created.
   */
  addHooks(
    config: HooksConfig | HookRegistry,
    options?: CreateHooksOptions,
  ): Promise<HookHandle[]> {
    return awaitHooks(this, this.#added.addConfigured(this.hooks, config, options));
  }
}

/** Returns the configuration itself, or the one that a registry has loaded. */
function configOf(config: HooksConfig | HookRegistry | undefined): HooksConfig | undefined {
  return config instanceof HookRegistry ? config.config : config;
}

/** Checks the names of the options, and returns the options. The constructor of `TrainerCore` checks their values. */
function checked<O>(options: O): O {
  if (!isObject(options)) checkTrainerOptions(options); // throws
  const names = [...TRAINER_MEMBERS, "hooksConfig", "hooksOptions"];
  checkKeys("make a trainer", "its options", options as Members, names);
  return options;
}
