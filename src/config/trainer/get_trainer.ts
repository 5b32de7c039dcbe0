/**
 * A trainer by the name of its kind.
 *
 * @module
 */

import type { Names } from "../../hooks/registry/hook_set.ts";
import type { DeviceName } from "../../backend/devices.ts";
import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import { printFirst } from "../../hooks/registry/error_reports.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { ModelSource } from "../../onnx/session/session_source.ts";
import type { Optimizer } from "../../training/optimizers/optimizer.ts";
import type {
  TrainerOptions,
  TrainingData,
  TrainingHooks,
  TrainingHooksOf,
} from "../../training/trainer_options.ts";
import { awaitHooks } from "../../training/engine/requests.ts";
import type { CreateHooksOptions } from "../hooks/create_hooks.ts";
import type { HooksConfig } from "../hooks/hooks_config.ts";
import { type ConfiguredTrainer, withConveniences } from "./configured_trainer.ts";
import {
  type AnyTrainerOptions,
  type TrainerFactory,
  TrainerRegistry,
  trainers,
} from "./trainer_registry.ts";

/** The configuration of the hooks of a trainer. */
export interface HooksConfigOption {
  /**
   * Configuration of hooks, as for `addHooks`. They are made before training begins; if one is refused, training throws.
   *
   * @default none
   */
  readonly hooksConfig?: HooksConfig;
  /**
   * How the hooks of that configuration are made: names, and modules.
   *
   * @default as `createHooks` makes them
   */
  readonly hooksOptions?: CreateHooksOptions;
}

/** Which kinds of trainers there are. */
export interface TrainerRegistryOption {
  /**
   * The kinds.
   *
   * @default `trainers`
   */
  readonly registry?: TrainerRegistry;
}

/** What a trainer is made of that model, data, optimizer and device are given before. */
export type OtherTrainerOptions<
  H extends TrainingHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> =
  & Omit<TrainerOptions<H, N, W>, "model" | "data" | "optimizers" | "device">
  & TrainerRegistryOption
  & HooksConfigOption;

/**
 * Makes a trainer of a kind: `"simple"`, `"parallel"`, or one that was registered. It is a `Trainer`, with a method for
 * each of the usual hooks.
 *
 * @param kind its name; `"accelerate"` is the same as `"parallel"`
 * @throws {RangeError} for a kind that there is not, naming the nearest
 * @throws {TypeError | RangeError} for options that no trainer takes
 *
 * @example
 * ```ts
 * import { getTrainer } from "@hooke/hooke/config";
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanSquaredError, sgd, tensorData } from "@hooke/hooke/training";
 * import { assertAlmostEquals, assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const x = builder.input("x", "f32", ["B", 1]);
 * const w = builder.parameter("w", [0], [1, 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 *
 * await using trainer = getTrainer("simple", {
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 2 }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   epochs: 50,
 * });
 * const lines: string[] = [];
 * trainer.addRunLog({ write: (line) => void lines.push(line), config: { lr: 0.1 } });
 * await trainer.train();
 * assertAlmostEquals((await trainer.parameter("w"))[0]!, 2, 1e-4);
 * assertEquals(lines.map((line) => JSON.parse(line).type), ["start", "end"]);
 * ```
 */
export function getTrainer<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
>(
  kind: string,
  options: TrainerOptions<H, N, W> & TrainerRegistryOption & HooksConfigOption,
): ConfiguredTrainer<H, N, W>;
/** The same with model, data and optimizer one after another. */
export function getTrainer<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
>(
  kind: string,
  model: ModelSource,
  data: TrainingData,
  optimizers: Optimizer | readonly Optimizer[],
  options: OtherTrainerOptions<H, N, W>,
): ConfiguredTrainer<H, N, W>;
/** The same with the device, too. */
export function getTrainer<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
>(
  kind: string,
  model: ModelSource,
  data: TrainingData,
  optimizers: Optimizer | readonly Optimizer[],
  device: DeviceName | undefined,
  options: OtherTrainerOptions<H, N, W>,
): ConfiguredTrainer<H, N, W>;
export function getTrainer(kind: string, ...given: readonly unknown[]): ConfiguredTrainer {
  const { registry = trainers, hooksConfig, hooksOptions, ...options } = given.length > 1
    ? inOrder(given)
    : optionsOf(given[0]);
  if (!(registry instanceof TrainerRegistry)) {
    throw new TypeError(
      complaint("get a trainer", "its registry must be a TrainerRegistry", registry),
    );
  }
  const silent = new Set<string>(), { onWarning = printFirst } = options;
  const tell = (warning: HookWarning) => silent.has(warning.hook) ? undefined : onWarning(warning);
  const trainer = registry.get(kind)({ ...options, onWarning: tell });
  const configured = withConveniences(trainer, { silent, tell });
  if (hooksConfig !== undefined) {
    awaitHooks(trainer, configured.addHooks(hooksConfig, hooksOptions), { isRequired: true });
  }
  return configured;
}

type GivenOptions = AnyTrainerOptions & TrainerRegistryOption & HooksConfigOption;

function optionsOf(given: unknown): GivenOptions {
  if (isObject(given)) return given as unknown as GivenOptions;
  throw new TypeError(complaint("get a trainer", "its options must be an object", given));
}

function inOrder([model, data, optimizers, ...rest]: readonly unknown[]): GivenOptions {
  const [device, options] = rest.length > 1 ? rest : [undefined, rest[0]];
  return {
    ...optionsOf(options),
    model,
    data,
    optimizers,
    ...(device !== undefined && { device }),
  } as GivenOptions;
}

/**
 * Adds a kind of trainers to those that {@linkcode getTrainer} knows.
 *
 * @throws {TypeError} for a kind that is no text, and a factory that is no function
 * @throws {RangeError} for a name that is taken
 *
 * @example
 * ```ts
 * import { registerTrainer, TrainerRegistry } from "@hooke/hooke/config";
 * import { Trainer } from "@hooke/hooke/training";
 * import { assertThrows } from "@std/assert";
 *
 * const registry = new TrainerRegistry();
 * registerTrainer("patient", (options) => new Trainer({ epochs: 1000, ...options }), { registry });
 * assertThrows(
 *   () => registerTrainer("simple", (options) => new Trainer(options), { registry }),
 *   RangeError,
 *   "kinds must differ",
 * );
 * ```
 */
export function registerTrainer(
  kind: string,
  factory: TrainerFactory,
  { registry = trainers }: TrainerRegistryOption = {},
): void {
  registry.register(kind, factory);
}
