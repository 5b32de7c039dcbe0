/**
 * Values of a trainer that are computed when they are read: for its state, for the fields of hooks, and for the
 * context of hooks.
 *
 * @module
 */

import { readView } from "../../hooks/run/read_view.ts";
import type { OptimizerView } from "../context.ts";
import type { Progress, ProgressHost } from "../engine/progress.ts";
import type { TrainerResources } from "../engine/resources.ts";
import type { FilledContext } from "../engine/step_host.ts";
import type { TrainingSteps } from "../engine/training_step.ts";
import type { TrainingValues } from "./field_source.ts";
import type { ObservedTensors } from "./observed_tensors.ts";

/** Access to values that change while a trainer runs. */
export interface Running {
  /** Returns the number of steps done. */
  step(): number;
  /** Returns the object that runs the steps; undefined until the model is open. */
  steps(): TrainingSteps | undefined;
}

/** The state of a trainer, which can be read before its model is open. */
export class TrainerView implements ProgressHost {
  readonly #name: string;
  readonly #wanted: string;
  readonly #resources: TrainerResources;
  readonly #running: Running;

  /** Creates the view. `wanted` is the device of the options, which is shown until the device is open. */
  constructor(name: string, wanted: string, resources: TrainerResources, running: Running) {
    this.#name = name;
    this.#wanted = wanted;
    this.#resources = resources;
    this.#running = running;
  }

  get model(): string {
    return this.#resources.plan?.loaded.name ?? this.#name;
  }

  get optimizer(): readonly OptimizerView[] {
    return this.#resources.plan?.optimizers ?? [];
  }

  get device(): string {
    return this.#resources.backend?.name ?? this.#wanted;
  }

  get modelParams(): number {
    return this.#resources.plan?.initial.length ?? 0;
  }

  get step(): number {
    return this.#running.step();
  }

  /** Returns the values of the fields that hooks read. */
  values(progress: Progress, observed: ObservedTensors): TrainingValues {
    const resources = this.#resources, name = this.#name, { steps } = this.#running;
    return {
      get arena() {
        if (resources.model !== undefined) return resources.model.arena;
        throw new Error(
          `Cannot read the state of ${name}: its model is not open yet. Run it, or await open(), first`,
        );
      },
      get loss() {
        return progress.latestLoss;
      },
      get gradNorm() {
        return steps()?.norm.value ?? NaN;
      },
      get lr() {
        return resources.plan?.optimizers[0]?.groups[0]?.lr ?? NaN;
      },
      get optimizers() {
        return resources.plan?.optimizers ?? [];
      },
      get known() {
        return steps()?.results.known ?? Promise.resolve({ loss: NaN });
      },
      seen: (field) => observed.get(field),
    };
  }

  /** Returns the schedules of the optimizers. */
  get schedules(): FilledContext["lrSchedulers"] {
    return this.#resources.plan?.optimizers.map(({ schedule }) => schedule) ?? [];
  }
}

/** Adds fields to a context that are computed when a hook reads them, because most hooks do not. */
export function addLazyFields(
  context: FilledContext,
  view: TrainerView,
  values: TrainingValues,
): void {
  Object.defineProperties(context, {
    optimizers: { get: () => view.optimizer, enumerable: true },
    lrSchedulers: { get: () => view.schedules, enumerable: false },
    gradNorm: { get: () => values.gradNorm, enumerable: false },
    gradients: { get: () => gradientsOf(values), enumerable: false },
  });
}

function gradientsOf({ arena }: TrainingValues): FilledContext["gradients"] {
  if (!arena.backend.isHost) {
    throw new TypeError(
      'Cannot read gradients: they are on a GPU. Declare them in the hook: reads: ["gradients"]',
    );
  }
  const all = arena.backend.view(arena.array("gradients"));
  return new Map(arena.places.map(({ name, from, size }) => [
    name,
    readView(all.subarray(from, from + size)),
  ]));
}
