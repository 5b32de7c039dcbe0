import { call } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import { assertStays } from "../../batch/changing.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { unwrapped } from "../../kernels/cells/unwrapped.ts";
import { tethers as kernel } from "../../kernels/bonded/tethers.ts";
import { type Model, valuesOf } from "../model.ts";
import { checkNumber, POSITIVE } from "../../base/check_number.ts";
import { bondedModel } from "./bonded_model.ts";

/** Options of {@linkcode tethers}. */
export interface TethersOptions {
  /**
   * Force constant k in eV/Å²: one number above 0, or one number per atom of the batch. An atom with the number 0 has
   * no spring.
   */
  readonly stiffness: number | ArrayLike<number>;
  /**
   * Anchor points of the springs in Å: three numbers for all atoms, or three numbers per atom of the batch.
   *
   * @default the position of each atom when the model is opened on the batch
   */
  readonly anchors?: ArrayLike<number>;
}

const NAME = "tethers";

/**
 * Returns a model of a spring between each atom and an anchor point, E = Σ ½ k |x − x₀|², with energies, forces and
 * stresses.
 *
 * @throws {RangeError} if `stiffness` is out of range. When the model is opened, also if a parameter does not fit the
 * batch
 *
 * @example
 * ```ts
 * import { lennardJones, sum, tethers } from "@hooke/hooke/models";
 *
 * const argon = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const pinned = sum(argon, tethers({ stiffness: 0.1 }));
 * console.log(pinned.name);
 * ```
 */
export function tethers(options: TethersOptions): Model {
  checkOptions(`make ${NAME}`, options, ["stiffness", "anchors"]);
  const { stiffness } = options;
  if (typeof stiffness === "number" || stiffness === undefined) {
    checkNumber(`make ${NAME}`, "stiffness", stiffness, POSITIVE);
  }
  return bondedModel(NAME, (state) => {
    const springs = springsOn(state, options);
    return (args) => call(kernel, { ...springs, ...args });
  });
}

/**
 * Uploads the springs to the backend, and returns them as arguments of the kernel. Throws a RangeError if the
 * parameters do not fit the batch.
 */
function springsOn(state: ResidentBatch, { stiffness, anchors }: TethersOptions) {
  const { batch, batch: { nodeCount } } = state;
  assertOfAll(batch, "stiffness", stiffness, 0);
  assertOfAll(batch, "anchors", anchors, 3);
  const k = typeof stiffness === "number"
    ? new Float64Array(nodeCount).fill(stiffness)
    : checkedValues("stiffness", stiffness, [nodeCount]);
  const ends = anchors === undefined
    ? places(state)
    : checkedValues("anchors", anchors, [3, 3 * nodeCount]);
  const initial = ends.length === 3 * nodeCount
    ? ends
    : Float64Array.from({ length: 3 * nodeCount }, (_, i) => ends[i % 3]!);
  return {
    anchors: state.state(nameOn(state), { dtype: "real", level: "node", width: 3, initial }),
    stiffness: state.constants("real", k, "node"),
  };
}

/**
 * Throws a TypeError if a parameter has one value per atom of the batch although systems join or leave the batch.
 * `width` is the length of a parameter that has a single value for all atoms.
 */
function assertOfAll(
  batch: Batch,
  name: string,
  value: number | ArrayLike<number> | undefined,
  width: number,
): void {
  if (typeof value !== "object" || value.length === width) return;
  assertStays(batch, `use ${NAME}`, `${name} must be one value for all atoms`, value.length);
}

/** Returns the positions of the atoms without wrapping, Å, three per atom. */
function places(state: ResidentBatch): Float64Array {
  const { batch: { systemOfNode } } = state;
  const [positions, cells] = [valuesOf(state, "positions"), valuesOf(state, "cell")];
  const images = state.images && valuesOf(state, "images") as Int32Array;
  return Float64Array.from(positions, (_, k) => {
    const atom = Math.floor(k / 3);
    return unwrapped(positions, atom, k % 3, images, cells, 9 * systemOfNode[atom]!);
  });
}

const opened = new WeakMap<ResidentBatch, number>();

/** Returns a name for the state that holds the anchors, which no other tethers on the batch use. */
function nameOn(state: ResidentBatch): string {
  const count = (opened.get(state) ?? 0) + 1;
  opened.set(state, count);
  return count === 1 ? "anchors" : `anchors ${count}`;
}

function checkedValues(
  what: string,
  values: ArrayLike<number>,
  lengths: readonly number[],
): Float64Array {
  const wrong = Array.from(values).findIndex((value) => !Number.isFinite(value));
  if (lengths.includes(values.length) && wrong === -1) return Float64Array.from(values);
  throw new RangeError(
    `Cannot use ${NAME}: ${what} must have ${lengths.join(" or ")} finite values; got ` +
      (wrong === -1 ? `${values.length} values` : `${values[wrong]} at index ${wrong}`),
  );
}
