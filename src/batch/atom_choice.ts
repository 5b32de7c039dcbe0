/**
 * Which atoms of a batch are meant.
 *
 * @module
 */

import { assertStays } from "./changing.ts";
import type { NumericArray } from "./fields/fields.ts";
import type { ResidentBatch } from "./resident/resident_batch.ts";
import { show } from "../base/show.ts";

/** An atom, as a choice sees it. */
export interface AtomView {
  /** Its place in the batch. */
  readonly index: number;
  /** The place of its system. */
  readonly system: number;
  /** What its system is called. */
  readonly systemId: number;
  /** Its place in its system. */
  readonly place: number;
  /** Its atomic number. */
  readonly number: number;
  /** Where it is, Å. */
  readonly position: readonly [x: number, y: number, z: number];
}

/**
 * Atoms of a batch: a function that says which; a flag for each, as booleans or in a Uint8Array; or, as any other
 * numbers, their places in the batch. Where systems come and go only a function means something.
 */
export type AtomChoice = ((atom: AtomView) => boolean) | readonly boolean[] | ArrayLike<number>;

/** Is the value a choice of atoms, as far as can be told without a batch? */
export function isAtomChoice(value: unknown): value is AtomChoice {
  return typeof value === "function" || Array.isArray(value) ||
    (ArrayBuffer.isView(value) && "length" in value);
}

/** 1 for each atom that is meant. Throws a TypeError or RangeError for a choice that does not fit the batch. */
export function chosen(state: ResidentBatch, choice: AtomChoice, action: string): Int32Array {
  if (typeof choice === "function") return asked(state, choice, action);
  assertStays(state.batch, action, "the choice must be a function", choice.length);
  const { nodeCount } = state.batch;
  if (choice instanceof Uint8Array || typeof choice[0] === "boolean") {
    const flags = Array.from(choice as ArrayLike<unknown>);
    if (flags.length === nodeCount) return Int32Array.from(flags, (flag) => flag ? 1 : 0);
    throw new RangeError(
      `Cannot ${action} as there must be a flag for each of ${nodeCount} atoms: current length is ${flags.length}`,
    );
  }
  const mask = new Int32Array(nodeCount);
  for (const place of Array.from(choice as ArrayLike<unknown>)) {
    if (!Number.isInteger(place) || (place as number) < 0 || (place as number) >= nodeCount) {
      throw new RangeError(
        `Cannot ${action} as an atom's place must be 0 … ${nodeCount - 1}: current value is ${
          show(place)
        }`,
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
  const places = state.origins.absolute(positions);
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
      `Cannot ${action} as the function that chooses atoms must answer true or false: current value is ${
        show(answer)
      }`,
    );
  });
}
