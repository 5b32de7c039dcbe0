/**
 * Batches of systems, into which replayed systems are mixed.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { ATOMS_OPTIONS, type AtomsDataOptions } from "./atoms_options.ts";
import { type BatchPlan, planBatches } from "./batch_plan.ts";
import { permutation } from "./permutation.ts";

const ACTION = "make data of atoms";

/**
 * Assigns samples to the batches of each epoch: all of the first `count` samples, and some of the `others` replayed
 * samples, whose indices follow. An epoch has `ratio` times as many replayed samples as others. They are taken in a
 * random order that depends only on the seed, and over the epochs each is used equally often.
 */
export function mixedBatches(count: number, others: number, options: AtomsDataOptions): BatchPlan {
  const { replay, seed = 0 } = options;
  const known = [...ATOMS_OPTIONS, "replay"];
  if (replay === undefined) return planBatches(ACTION, count, options, known);
  const { ratio = 1 } = replay;
  if (!(ratio > 0 && ratio < Infinity)) {
    throw new RangeError(complaint(ACTION, "replay.ratio must be a finite number above 0", ratio));
  }
  const more = Math.max(1, Math.round(ratio * count));
  const plan = planBatches(ACTION, count + more, options, known);
  const orders = new Map<number, Uint32Array>();
  const orderOf = (round: number) => {
    const order = orders.get(round) ?? permutation(others, seed, round);
    return orders.set(round, order).get(round)!;
  };
  const chosen = (turn: number) => count + orderOf(Math.floor(turn / others))[turn % others]!;
  return {
    length: plan.length,
    places: (epoch, from) => {
      const batches = plan.places(epoch, from);
      orders.clear(); // drops the orders of earlier epochs
      return mapped(
        batches,
        (places) => places.map((i) => i < count ? i : chosen(epoch * more + i - count)),
      );
    },
  };
}

function* mapped<A, B>(values: Iterable<A>, of: (value: A) => B): Generator<B, void, undefined> {
  for (const value of values) yield of(value);
}
