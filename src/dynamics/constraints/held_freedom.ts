import type { Batch } from "../../batch/batch.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import type { BondList } from "./bond_list.ts";

/** Atoms, bonds and centers of mass of a batch that constraints and hooks hold. */
interface HeldParts {
  /** Directions in which atoms are fixed, one number per atom: the sum of 1 for x, 2 for y and 4 for z. */
  readonly fixed: ArrayLike<number> | undefined;
  /** Atoms that hooks hold: arrays with a nonzero number for each held atom. */
  readonly masks: readonly ArrayLike<number>[];
  /** True if the center of mass of each system is kept at rest. */
  readonly hasCenter: boolean;
  /** Bonds of fixed length, if any. */
  readonly bonds: BondList | undefined;
  /** Number of degrees of freedom that the bonds of each system remove. */
  readonly ranks: ArrayLike<number>;
}

/**
 * Counts the removed degrees of freedom of each system, and writes them to `constrained` and `anchored` of the batch.
 * It counts each fixed direction of an atom, each independent bond, and each direction in which the center of mass
 * could move. Throws a TypeError or RangeError if constraints contradict one another.
 */
export function countHeld(
  state: ResidentBatch,
  { fixed, masks, hasCenter, bonds, ranks }: HeldParts,
): void {
  const { constrained, anchored, batch } = state, { nodeOffsets, size } = batch;
  anchored.fill(0);
  if (fixed === undefined && masks.length === 0 && !hasCenter) {
    // The usual case counts no atoms: each change of the hooks makes a new plan, for which it is counted again.
    constrained.set(ranks);
    return;
  }
  constrained.fill(0);
  const isHeld = (atom: number) => masks.some((mask) => mask[atom] !== 0);
  const bitsOf = (atom: number) => isHeld(atom) ? 7 : fixed?.[atom] ?? 0;
  if (bonds !== undefined) assertFree(bonds, batch, { bitsOf, isHeld, hasCenter });
  for (let s = 0; s < size; s++) {
    const [from, to] = [nodeOffsets[s]!, nodeOffsets[s + 1]!];
    const free = [to - from, to - from, to - from];
    for (let atom = from; atom < to; atom++) {
      const bits = bitsOf(atom);
      anchored[s]! |= bits;
      for (let axis = 0; axis < 3; axis++) free[axis]! -= bits >> axis & 1;
    }
    const left = free.reduce((sum, n) => sum + n, 0);
    constrained[s]! = 3 * (to - from) - left;
    constrained[s]! += ranks[s]!;
    if (!hasCenter) continue;
    constrained[s]! += free.filter((n) => n > 0).length;
    anchored[s]! |= 8;
  }
}

/**
 * Throws if a hook holds an atom that has a bond, or if the center of mass is fixed and an atom with a bond is fixed,
 * too.
 */
function assertFree(
  { starts, clusters, bonds }: BondList,
  { nodeOffsets: offsets, infos }: Pick<Batch, "nodeOffsets" | "infos">,
  { bitsOf, isHeld, hasCenter }: {
    bitsOf(atom: number): number;
    isHeld(atom: number): boolean;
    hasCenter: boolean;
  },
): void {
  for (let s = 0; s + 1 < offsets.length; s++) {
    for (let k = 2 * clusters[starts[s]!]!; k < 2 * clusters[starts[s + 1]!]!; k++) {
      const atom = offsets[s]! + bonds[k]!;
      if (isHeld(atom)) {
        throw new TypeError(
          `Cannot fix bonds: a hook holds atom ${bonds[k]} of system ${
            systemName(infos, s)
          }, which has a bond. Hold it by fixAtoms instead`,
        );
      }
      if (!hasCenter || bitsOf(atom) === 0) continue;
      throw new RangeError(
        `Cannot fix the center of mass: atom ${bonds[k]} of system ${
          systemName(infos, s)
        } is fixed and has a bond. Leave out one of fixAtoms, fixBonds and fixCenterOfMass`,
      );
    }
  }
}
