/**
 * What is known of a trainer at a moment: for its state, its fields, and the context that hooks see.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { TrainingMoment } from "./field_source.ts";
import type { ObservedTensors } from "./observed_tensors.ts";
import type { ModelPlan } from "../model/opened_model.ts";
import { Progress } from "../engine/progress.ts";
import type { OpenedParts } from "../engine/training_run.ts";
import type { FilledContext } from "../engine/training_step.ts";

/** What a trainer has by now. */
export interface Having {
  readonly name: string;
  /** What it was told to run on. */
  readonly wanted: string;
  /** Once the model is read. */
  readonly plan: ModelPlan | undefined;
  /** Once the device is open. */
  readonly backend: Backend | undefined;
  /** Once all is open. */
  readonly parts: OpenedParts | undefined;
  readonly stepCount: number;
}

/** How far a trainer has come. */
export function progressOf(has: Having): Progress {
  return new Progress({
    get model() {
      return has.plan?.loaded.name ?? has.name;
    },
    get optimizer() {
      return has.plan?.optimizers ?? [];
    },
    get device() {
      return has.backend?.name ?? has.wanted;
    },
    get modelParams() {
      return has.plan?.initial.length ?? 0;
    },
    get step() {
      return has.stepCount;
    },
  });
}

/** What its fields are at a moment. */
export function momentOf(
  has: Having,
  progress: Progress,
  observed: ObservedTensors,
): TrainingMoment {
  return {
    get arena() {
      if (has.parts !== undefined) return has.parts.host.model.arena;
      throw new Error(
        `Cannot read the state of ${has.name} as its model must be open: run it first`,
      );
    },
    get loss() {
      return progress.latestLoss;
    },
    get gradNorm() {
      return has.parts?.steps.norm ?? NaN;
    },
    get lr() {
      return has.plan?.optimizers[0]?.groups[0]?.lr ?? NaN;
    },
    get optimizers() {
      return has.plan?.optimizers ?? [];
    },
    get known() {
      return has.parts?.steps.known ?? Promise.resolve({ loss: NaN });
    },
    seen: (field) => observed.get(field),
  };
}

/** Gives a context what is found when it is asked for: most hooks do not. */
export function fillContext(context: FilledContext, has: Having, moment: TrainingMoment): void {
  Object.defineProperties(context, {
    optimizers: { get: () => has.plan?.optimizers ?? [], enumerable: true },
    lrSchedulers: {
      get: () => has.plan?.optimizers.map(({ schedule }) => schedule) ?? [],
      enumerable: false,
    },
    gradNorm: { get: () => moment.gradNorm, enumerable: false },
    gradients: { get: () => gradientsOf(moment), enumerable: false },
  });
}

function gradientsOf({ arena }: TrainingMoment): ReadonlyMap<string, Float32Array> {
  if (!arena.backend.isHost) {
    throw new TypeError(
      'Cannot read gradients as they must be declared where they are on a GPU, reads: ["gradients"]: they are not',
    );
  }
  const all = arena.backend.view(arena.array("gradients"));
  return new Map(arena.places.map(({ name, from, size }) => [
    name,
    all.subarray(from, from + size) as Float32Array,
  ]));
}
