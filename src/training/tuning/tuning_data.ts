/**
 * The data of a fine-tuning.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { System } from "../../batch/system.ts";
import type { TrainablePotential } from "../potential/potential.ts";
import { atomsSource } from "../data/atoms_data.ts";
import type { AtomsDataOptions } from "../data/atoms_options.ts";
import type { DataSource } from "../data/data_source.ts";
import { permutation } from "../data/permutation.ts";
import { systemsList } from "../data/systems_list.ts";
import { type FineTuneOptions, weightsOf } from "./fine_tune_options.ts";
import { noEnergies } from "./tuned_energies.ts";

const ACTION = "fine-tune a potential";

/** Returns the frames for training and those for validation. If `valid` is a fraction, divides `train` at random. */
export function splitFrames({ train, valid = 0.1, seed = 0 }: FineTuneOptions): {
  readonly train: readonly System[];
  readonly valid: readonly System[];
} {
  const list = systemsList(ACTION, train);
  if (typeof valid !== "number") return { train: list, valid: systemsList(ACTION, valid) };
  if (!(valid >= 0 && valid < 1)) {
    throw new RangeError(
      complaint(
        ACTION,
        "valid must be an iterable of systems, or a fraction from 0 to below 1",
        valid,
      ),
    );
  }
  const count = Math.round(valid * list.length);
  const order = Array.from(permutation(list.length, seed, 0), (place) => list[place]!);
  return { train: order.slice(count), valid: order.slice(0, count) };
}

/** Returns the options of `atomsData` that training and validation share. */
function sharedOptions(
  potential: TrainablePotential,
  options: FineTuneOptions,
  elementEnergies: Readonly<Record<string, number>> | undefined,
): Omit<AtomsDataOptions, "batchSize"> {
  const { energy, forces, stress, virial } = options, weights = weightsOf(options);
  // Fields are named, so that a target with a weight that no training frame has is an error.
  const place = (name: "energy" | "forces" | "stress", given: string | false | undefined) => ({
    [name]: weights[name] === 0 ? false : given ?? name,
  });
  return {
    potential,
    partial: true,
    ...place("energy", energy),
    ...place("forces", forces),
    ...place("stress", stress),
    ...(virial !== undefined && { virial }),
    ...(elementEnergies !== undefined && { elementEnergies }),
  };
}

/** Default number of frames per batch. */
const BATCH_SIZE = 4;

/** Returns the number of frames per batch. It is 1 for a graph that takes one system at a time. */
function batchSizeOf(
  { isSingle }: TrainablePotential,
  { batchSize = BATCH_SIZE }: FineTuneOptions,
): number {
  return isSingle ? 1 : batchSize;
}

/** Returns the number of batches per step. It is such that a step has the same number of frames for every graph. */
export function batchesPerStep(
  { isSingle }: TrainablePotential,
  { batchSize = BATCH_SIZE, accumulate = 1 }: FineTuneOptions,
): number {
  return isSingle ? batchSize * accumulate : accumulate;
}

/** Returns the source of training batches, with replayed frames mixed in. */
export function dataOf(
  potential: TrainablePotential,
  options: FineTuneOptions,
  train: readonly System[],
  elementEnergies: Readonly<Record<string, number>> | undefined,
): DataSource {
  const { replay, seed = 0, weight } = options;
  const own = potential.manifest.atomEnergies;
  return atomsSource(train, {
    ...sharedOptions(potential, options, elementEnergies),
    batchSize: batchSizeOf(potential, options),
    seed,
    ...(weight !== undefined && { weight }),
    ...(replay !== undefined && {
      replay: {
        elementEnergies: own ?? noEnergies(systemsList(ACTION, replay.systems)),
        ...replay,
      },
    }),
  }, true);
}

/** Returns the source of validation batches. */
export function validationOf(
  potential: TrainablePotential,
  options: FineTuneOptions,
  valid: readonly System[],
  elementEnergies: Readonly<Record<string, number>> | undefined,
): DataSource {
  const shared = sharedOptions(potential, options, elementEnergies);
  return atomsSource(
    valid,
    { ...shared, batchSize: batchSizeOf(potential, options), shuffle: false },
    false,
  );
}
