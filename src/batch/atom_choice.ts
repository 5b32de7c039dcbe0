/**
 * Selections of atoms of a batch.
 *
 * @module
 */

import { assertStays } from "./changing.ts";
import type { NumericArray } from "./fields/fields.ts";
import type { ResidentBatch } from "./resident/resident_batch.ts";
import { show } from "../base/show.ts";

/** An atom, as a selection function receives it. */
export interface AtomView {
  /** Index of the atom in the batch, from 0. */
  readonly index: number;
  /** Slot of the atom's system in the batch. */
  readonly system: number;
  /** Id of the atom's system. */
  readonly systemId: number;
  /** Index of the atom within its system, from 0. */
  readonly place: number;
  /** Atomic number. */
  readonly number: number;
  /** Position, Å. */
  readonly position: readonly [x: number, y: number, z: number];
}

/**
 * Selection of atoms of a batch, in one of three forms: a function that returns true for selected atoms; one flag per
 * atom, as booleans or in a Uint8Array; or the indices of the selected atoms in the batch, in an array or any other
 * typed array. If systems are replaced during a run, only a function can be used.
 */
export type AtomChoice = ((atom: AtomView) => boolean) | readonly boolean[] | ArrayLike<number>;

/**
 * Returns whether a value may be a selection of atoms. Lengths and indices cannot be checked
 * without a batch.
 */
export function isAtomChoice(value: unknown): value is AtomChoice {
  return typeof value === "function" || Array.isArray(value) ||
    (ArrayBuffer.isView(value) && "length" in value);
}

/**
 * Returns 1 for each selected atom and 0 for each other atom of a batch.
 *
 * @throws {TypeError} if a selection function does not return a boolean, or if a list is given for a batch whose
 * systems are replaced during the run
 * @throws {RangeError} if the number of flags differs from the number of atoms, or an index is out of range
 */
export function chosen(state: ResidentBatch, choice: AtomChoice, action: string): Int32Array {
  if (typeof choice === "function") return asked(state, choice, action);
  assertStays(state.batch, action, "atoms must be selected by a function", choice.length);
  const { nodeCount } = state.batch;
  if (choice instanceof Uint8Array || typeof choice[0] === "boolean") {
    const flags = Array.from(choice as ArrayLike<unknown>);
    if (flags.length === nodeCount) return Int32Array.from(flags, (flag) => flag ? 1 : 0);
    throw new RangeError(
      `Cannot ${action}: the selection must have one flag for each of ${nodeCount} atoms; got ${flags.length} flags`,
    );
  }
  const mask = new Int32Array(nodeCount);
  for (const place of Array.from(choice as ArrayLike<unknown>)) {
    if (!Number.isInteger(place) || (place as number) < 0 || (place as number) >= nodeCount) {
      throw new RangeError(
        `Cannot ${action}: the index of an atom must be an integer from 0 to ${
          nodeCount - 1
        }; got ${show(place)}`,
      );
    }
    mask[place as number] = 1;
  }
  return mask;
}

function asked(
  state: ResidentBatch,
  choice: (atom: AtomView) => boolean,
  action: string,
): Int32Array {
  const { nodeCount, nodeOffsets, systemOfNode } = state.batch;
  const [positions, numbers, ids] = ["positions", "numbers", "systemId"].map((field) =>
    state.mirroredField(field)
  ) as [NumericArray, NumericArray, NumericArray];
  const places = state.origins.absolute(positions, state.origins.values);
  return Int32Array.from({ length: nodeCount }, (_, index) => {
    const system = systemOfNode[index]!;
    const answer: unknown = choice({
      index,
      system,
      systemId: ids[system]!,
      place: index - nodeOffsets[system]!,
      number: numbers[index]!,
      position: [places[3 * index]!, places[3 * index + 1]!, places[3 * index + 2]!],
    });
    if (typeof answer === "boolean") return answer ? 1 : 0;
    throw new TypeError(
      `Cannot ${action}: the function that selects atoms must return true or false; got ${
        show(answer)
      }`,
    );
  });
}
