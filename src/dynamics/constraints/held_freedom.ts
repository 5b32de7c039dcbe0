import type { Batch } from "../../batch/batch.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import type { BondList } from "./bond_list.ts";

/** The degrees of freedom that constraints and hooks hold in a batch. */
interface HeldParts {
  /** The directions in which atoms are fixed. */
  readonly fixed: ArrayLike<number> | undefined;
  /** Atoms that hooks hold: not 0 for each. */
  readonly masks: readonly ArrayLike<number>[];
  /** True if the center of mass of each system is held at rest. */
  readonly hasCenter: boolean;
  /** Bonds of fixed length. */
  readonly bonds: BondList | undefined;
  /** The number of degrees of freedom of each system that the bonds hold. */
  readonly ranks: ArrayLike<number>;
}

/**
 * Counts the degrees of freedom that are held of each system: each direction of an atom, each bond that follows from
 * no others, each direction in which the center of mass could move. Throws a TypeError or RangeError for constraints
 * that contradict one another.
 */
export function countHeld(
  state: ResidentBatch,
  { fixed, masks, hasCenter, bonds, ranks }: HeldParts,
): void {
  const { constrained, anchored, batch } = state, { nodeOffsets, size } = batch;
  constrained.fill(0);
  anchored.fill(0);
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

/** Throws if an atom with a bond is fixed in another way, too. */
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
