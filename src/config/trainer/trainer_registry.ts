/**
 * Registry of trainers by name.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { findNavigator } from "../../platform/page.ts";
import type { TrainerParts, TrainingHooks } from "../../training/trainer_options.ts";
import { Trainer } from "./trainer.ts";
import type { HooksConfigOption } from "./trainer_hooks.ts";

/** Options of trainers of every kind. */
export type AnyTrainerOptions = TrainerParts & HooksConfigOption & {
  /** Hooks that the trainer has from the start. */
  readonly hooks?: TrainingHooks;
};

/** Creates a trainer of one kind. */
export type TrainerFactory = (options: AnyTrainerOptions) => Trainer;

/**
 * Registry of kinds of trainers by name. A new registry contains `"simple"` and `"parallel"`, which is also called
 * `"accelerate"`. A parallel trainer divides each batch among Workers. By default there are half as many Workers as
 * processors, but at least two.
 *
 * @example A custom kind in a separate registry
 * ```ts
 * import { TrainerRegistry } from "@hooke/hooke/config";
 * import { Trainer } from "@hooke/hooke/training";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const registry = new TrainerRegistry();
 * registry.register("clipped", (options) => new Trainer({ clip: { norm: 1 }, ...options }));
 * assertEquals(registry.names, ["simple", "parallel", "accelerate", "clipped"]);
 * assertThrows(() => registry.get("cliped"), RangeError, "did you mean clipped?");
 * ```
 */
export class TrainerRegistry {
  readonly #factories = new Map<string, TrainerFactory>([
    ["simple", (options) => new Trainer(options)],
    ["parallel", parallel],
    ["accelerate", parallel],
  ]);

  /** Names of the kinds, in the order of registration. */
  get names(): readonly string[] {
    return [...this.#factories.keys()];
  }

  /**
   * Registers a kind.
   *
   * @throws {TypeError} if the kind is not a string, or the factory is not a function
   * @throws {RangeError} if the name is taken
   */
  register(kind: string, factory: TrainerFactory): this {
    const action = `register trainer ${typeof kind === "string" ? kind : ""}`.trimEnd();
    if (typeof kind !== "string" || kind === "") {
      throw new TypeError(complaint(action, "its kind must be a non-empty string", kind));
    }
    if (typeof factory !== "function") {
      throw new TypeError(complaint(action, "its factory must be a function", factory));
    }
    if (this.#factories.has(kind)) {
      throw new RangeError(
        `Cannot ${action}: a trainer of that kind is already registered. Choose another name`,
      );
    }
    this.#factories.set(kind, factory);
    return this;
  }

  /** Returns the factory of a kind. Throws a RangeError if the kind is unknown. */
  get(kind: string): TrainerFactory {
    const factory = this.#factories.get(kind);
    if (factory !== undefined) return factory;
    const { names } = this;
    throw new RangeError(
      complaint("get a trainer", `its kind must be one of ${names.join(", ")}`, kind, names),
    );
  }
}

/** The default registry of `getTrainer`. */
export const defaultTrainers: TrainerRegistry = new TrainerRegistry();

function parallel(options: AnyTrainerOptions): Trainer {
  return new Trainer({ ...options, workers: options.workers ?? halfOfProcessors() });
}

/** Returns half the number of processors, but at least 2, because a single Worker would have all the work. */
function halfOfProcessors(): number {
  const { hardwareConcurrency = 1 } = findNavigator() ?? {};
  return Math.max(2, Math.floor(hardwareConcurrency / 2));
}
