/**
 * Names of trainers.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { findNavigator } from "../../platform/host.ts";
import { Trainer } from "../../training/trainer.ts";
import type { TrainerParts, TrainingHooks } from "../../training/trainer_options.ts";

/** What a trainer of any kind is made of. */
export type AnyTrainerOptions = TrainerParts & {
  /** Hooks to begin with. */
  readonly hooks?: TrainingHooks;
};

/** Makes a trainer of one kind. */
export type TrainerFactory = (options: AnyTrainerOptions) => Trainer;

/**
 * Kinds of trainers by name: `"simple"`, and `"parallel"` (also called `"accelerate"`), which shares each batch among
 * Workers, by default half as many as there are processors and two at least.
 *
 * @example A kind of one's own, in a registry of one's own
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

  /** The kinds there are, in the order in which they were registered. */
  get names(): readonly string[] {
    return [...this.#factories.keys()];
  }

  /**
   * Adds a kind.
   *
   * @throws {TypeError} for a kind that is no text, and a factory that is no function
   * @throws {RangeError} for a name that is taken
   */
  register(kind: string, factory: TrainerFactory): this {
    const action = `register trainer ${typeof kind === "string" ? kind : ""}`.trimEnd();
    if (typeof kind !== "string" || kind === "") {
      throw new TypeError(complaint(action, "its kind must be a text", kind));
    }
    if (typeof factory !== "function") {
      throw new TypeError(complaint(action, "its factory must be a function", factory));
    }
    if (this.#factories.has(kind)) {
      throw new RangeError(
        `Cannot ${action}: kinds must differ: there is one of that name already`,
      );
    }
    this.#factories.set(kind, factory);
    return this;
  }

  /** What makes trainers of a kind. Throws a RangeError for a kind that there is not. */
  get(kind: string): TrainerFactory {
    const factory = this.#factories.get(kind);
    if (factory !== undefined) return factory;
    const { names } = this;
    throw new RangeError(
      complaint("get a trainer", `its kind must be one of ${names.join(", ")}`, kind, names),
    );
  }
}

/** The kinds that `getTrainer` knows when it is not told others. */
export const trainers: TrainerRegistry = new TrainerRegistry();

function parallel(options: AnyTrainerOptions): Trainer {
  return new Trainer({ ...options, workers: options.workers ?? halfOfProcessors() });
}

/** At least two: a single Worker would share nothing. */
function halfOfProcessors(): number {
  const { hardwareConcurrency = 1 } = findNavigator() ?? {};
  return Math.max(2, Math.floor(hardwareConcurrency / 2));
}
