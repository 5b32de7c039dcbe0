/**
 * Creation of trainers by the name of their kind, such as `"simple"`.
 *
 * @module
 */

import type { Names } from "../../hooks/registry/hook_set.ts";
import type { DeviceName } from "../../backend/devices.ts";
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
import type { Trainer } from "./trainer.ts";
import type { HooksConfigOption } from "./trainer_hooks.ts";
import {
  type AnyTrainerOptions,
  defaultTrainers,
  type TrainerFactory,
  TrainerRegistry,
} from "./trainer_registry.ts";

/** Option for the registry of trainers. */
export interface TrainerRegistryOption {
  /**
   * Registry of the known kinds of trainers.
   *
   * @default `defaultTrainers`
   */
  readonly registry?: TrainerRegistry;
}

/** Options of a trainer besides model, data, optimizers and device, which are separate arguments. */
export type OtherTrainerOptions<
  H extends TrainingHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> =
  & Omit<TrainerOptions<H, N, W>, "model" | "data" | "optimizers" | "device">
  & TrainerRegistryOption
  & HooksConfigOption;

/**
 * Creates a `Trainer` of a kind: `"simple"`, `"parallel"`, or a registered one. The factory of a registered kind
 * receives all options, including `hooksConfig`, and must pass them to the trainer that it creates.
 *
 * @param kind name of the kind; `"accelerate"` is the same as `"parallel"`
 * @throws {RangeError} if the kind is unknown; the message suggests the most similar one
 * @throws {TypeError | RangeError} if an option of the trainer is wrong
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
): Trainer<H, N, W>;
/** Creates a trainer with model, data and optimizers as separate arguments. */
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
): Trainer<H, N, W>;
/** Creates a trainer with model, data, optimizers and device as separate arguments. */
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
): Trainer<H, N, W>;
export function getTrainer(kind: string, ...given: readonly unknown[]): Trainer {
  const { registry = defaultTrainers, ...options } = given.length > 1
    ? inOrder(given)
    : optionsOf(given[0]);
  if (!(registry instanceof TrainerRegistry)) {
    throw new TypeError(
      complaint("get a trainer", "its registry must be a TrainerRegistry", registry),
    );
  }
  return registry.get(kind)(options);
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
 * Registers a kind of trainers for {@linkcode getTrainer}.
 *
 * @throws {TypeError} if the kind is not a string, or the factory is not a function
 * @throws {RangeError} if the name is taken
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
 *   "a trainer of that kind is already registered",
 * );
 * ```
 */
export function registerTrainer(
  kind: string,
  factory: TrainerFactory,
  { registry = defaultTrainers }: TrainerRegistryOption = {},
): void {
  registry.register(kind, factory);
}
