/**
 * The state of a trainer in a checkpoint.
 *
 * @module
 */

import type { SavedLoop } from "../../hooks/registry/saved.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Arena } from "../model/arena.ts";
import type { OpenedModel } from "../model/opened_model.ts";
import type { AssignedOptimizer } from "../optimizers/assigned.ts";
import { assertSavedProgress, type SavedProgress } from "../engine/progress.ts";

/** Kind of checkpoints of trainers, which distinguishes them from checkpoints of dynamics engines. */
export const CHECKPOINT_KIND = "training";
/** The version of {@linkcode SavedTrainer}. Version 1 had other names for its members. */
export const SCHEMA = 2;

/** Roles of arrays that each step computes anew. They are not saved. */
const PASSING: readonly string[] = ["gradients", "more", "updates"];

/** State of a parameter group. */
export interface SavedGroup {
  /** The learning rate without the factor of the schedule. */
  readonly base: number;
  /** The weight decay. */
  readonly weightDecay: number;
  /** The momentum. */
  readonly momentum: number;
}

/** State of an optimizer. */
export interface SavedOptimizer {
  /** Name of the optimizer. */
  readonly name: string;
  /** State of its parameter groups, in order. */
  readonly groups: readonly SavedGroup[];
  /** State of its schedule; null if the schedule has no state. */
  readonly schedule: unknown;
}

/** The state of a trainer as plain data, from which a run resumes with bitwise identical results. */
export interface SavedTrainer {
  /** Precision of the device on which the state was saved. */
  readonly real: "f32" | "f64";
  /** Name and number of elements of each parameter. */
  readonly parameters: readonly (readonly [name: string, size: number])[];
  /** Arrays of the parameters, the optimizer state and the averages, by role. */
  readonly arrays: Readonly<Record<string, Float32Array | Float64Array>>;
  /** Number of updates of each parameter, in the order of `parameters`. */
  readonly counts: Int32Array;
  /** Rates of the optimizers, and the state of their schedules. */
  readonly optimizers: readonly SavedOptimizer[];
  /** Position in the data, and sums of the metrics. */
  readonly progress: SavedProgress;
  /** Counters of the loop, and the state of hooks. */
  readonly loop: SavedLoop;
}

/**
 * Returns the state of a model and its optimizers. It is the state at the time of the call, even if copies from a
 * device take longer.
 */
export async function saveModel(
  { arena, updates }: OpenedModel,
  optimizers: readonly AssignedOptimizer[],
): Promise<Omit<SavedTrainer, "progress" | "loop">> {
  const { backend } = arena;
  const names = arena.names.filter((name) => !PASSING.includes(name));
  const copies = Promise.all(names.map((name) => backend.read(arena.array(name))));
  const known = {
    real: backend.real,
    counts: updates.counts.slice(),
    parameters: arena.places.map(({ name, size }) => [name, size] as const),
    optimizers: optimizers.map(({ name, groups, schedule }) => ({
      name,
      groups: groups.map(({ base, weightDecay, momentum }) => ({ base, weightDecay, momentum })),
      schedule: schedule.save?.() ?? null,
    })),
  };
  const numbers = await copies;
  return { ...known, arrays: Object.fromEntries(names.map((name, i) => [name, numbers[i]!])) };
}

/** Restores a saved state that `assertSaved` has checked. */
export function loadModel(
  { arena, updates }: OpenedModel,
  optimizers: readonly AssignedOptimizer[],
  saved: SavedTrainer,
): void {
  for (const [name, numbers] of Object.entries(saved.arrays)) {
    arena.backend.write(arena.array(name), numbers);
  }
  for (const name of arena.names) {
    if (saved.arrays[name] !== undefined) continue;
    // Averages that were not saved begin with the parameters.
    const begin = name === "ema" ? saved.arrays.parameters! : new Float32Array(arena.size);
    arena.backend.write(arena.array(name), begin);
  }
  updates.counts.set(saved.counts);
  for (const [i, { groups, schedule }] of optimizers.entries()) {
    const own = saved.optimizers[i]!;
    for (const [k, group] of groups.entries()) Object.assign(group, own.groups[k]);
    if (own.schedule !== null) schedule.load?.(own.schedule);
  }
}

/**
 * Throws a TypeError or RangeError if `saved` was not saved by a trainer with the same parameters, optimizers and
 * precision. Nothing is changed.
 */
export function assertSaved(
  name: string,
  { arena }: OpenedModel,
  optimizers: readonly AssignedOptimizer[],
  saved: unknown,
): asserts saved is SavedTrainer {
  const action = `load into ${name}`;
  const isSaved = isObject(saved) && isObject(saved.arrays) && isObject(saved.loop) &&
    saved.counts instanceof Int32Array && Array.isArray(saved.optimizers) &&
    Array.isArray(saved.parameters) && saved.counts.length === saved.parameters.length;
  if (!isSaved) {
    throw new TypeError(complaint(action, "the state must be a result of save()", saved));
  }
  assertSavedProgress(action, saved.progress);
  checkModel(action, arena, optimizers, saved as unknown as SavedTrainer);
  checkArrays(action, arena, saved.arrays as SavedTrainer["arrays"]);
}

/**
 * Throws an error if the parameters, the optimizers or the precision of a saved state differ from those of the
 * trainer.
 */
function checkModel(
  action: string,
  arena: Arena,
  optimizers: readonly AssignedOptimizer[],
  saved: SavedTrainer,
): void {
  const own = arena.places.map(({ name, size }) => `${name} (${size})`).join(", ");
  const theirs = saved.parameters.map(([name, size]) => `${name} (${size})`).join(", ");
  if (own !== theirs) {
    throw new TypeError(complaint(action, `its parameters must be ${own}`, theirs));
  }
  const shapeOf = (
    groups: readonly { readonly name: string; readonly groups: readonly unknown[] }[],
  ) => groups.map(({ name, groups }) => `${name} with ${groups.length} groups`).join(", ");
  const wanted = shapeOf(optimizers), given = shapeOf(saved.optimizers);
  if (wanted !== given) {
    throw new TypeError(complaint(action, `its optimizers must be ${wanted}`, given));
  }
  if (saved.real !== arena.backend.real) {
    throw new RangeError(
      complaint(action, `its precision must be ${arena.backend.real}`, saved.real),
    );
  }
}

/** Throws a TypeError unless the saved arrays are the parameters and the state of these optimizers. */
function checkArrays(action: string, arena: Arena, arrays: SavedTrainer["arrays"]): void {
  const isKept = (name: string) => !PASSING.includes(name) && name !== "ema";
  const wanted = arena.names.filter(isKept).sort().join(", ");
  const given = Object.keys(arrays).filter(isKept).sort().join(", ");
  if (wanted !== given) {
    throw new TypeError(complaint(action, `its arrays must be ${wanted}`, given));
  }
  const numbers = arena.backend.real === "f64" ? Float64Array : Float32Array;
  for (const [name, array] of Object.entries(arrays)) {
    if (array instanceof numbers && array.length === arena.size) continue;
    throw new TypeError(
      complaint(action, `its array ${name} must have ${arena.size} numbers`, array),
    );
  }
}
