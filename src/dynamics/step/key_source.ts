/**
 * Where the values behind the key of a criterion are.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { KeySource } from "../convergence/convergence_hook.ts";
import { CHANGE, CONSERVED, isMeasured, measuredIn, measureOf } from "../engine/measures.ts";

/** Finds a key among the measures and the fields of the batch. Throws a TypeError that names what there is. */
export function keySource(state: ResidentBatch, key: string, keepsMomentum: boolean): KeySource {
  if (isMeasured(key) && key !== CONSERVED) {
    // The change of the energy is measured once in each step, where the energy is new.
    const calls = key === CHANGE ? [] : measureOf(state, key, keepsMomentum)!.calls;
    return { buffer: measuredIn(state, key), calls, level: "system" };
  }
  if (key === "energy") state.field(key); // the first evaluation, which is still to come, would make it
  const info = state.batch.fields().find(({ name }) => name === key);
  if (info === undefined || info.level === "edge") {
    const there = state.batch.fields().filter(({ level }) => level !== "edge").map(({ name }) =>
      name
    );
    throw new TypeError(
      `Cannot judge convergence as the key of a criterion must be a measure or a field of the batch ` +
        `(fmax, energyChange, temperature, kineticEnergy, stress, ${there.join(", ")}): ` +
        `current value is ${JSON.stringify(key)}`,
    );
  }
  return { buffer: state.field(key), calls: [], level: info.level };
}
