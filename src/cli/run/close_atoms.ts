/**
 * Warnings about atoms that are too close to each other to be right.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import type { CommandRun } from "../frame/command.ts";
import type { Structure } from "./structures.ts";

/** Distance below which two atoms are reported, Å. The shortest bond, that of H₂, has 0.74 Å. */
const CLOSE = 0.5;

/** Distance below which one of two atoms is taken for a copy of the other, Å. */
const SAME = 0.05;

/** Number of structures that are reported. */
const SHOWN = 3;

/** Warns of structures with atoms that are closer than in any molecule or crystal, which no potential can describe. */
export async function warnOfCloseAtoms(
  structures: readonly Structure[],
  { terminal }: Pick<CommandRun, "terminal">,
): Promise<void> {
  const { NeighborList } = await import("../../batch/neighbors/neighbor_list.ts");
  let count = 0;
  for (const { system, label } of structures) {
    if (!system.positions.every(Number.isFinite) || !system.cell.every(Number.isFinite)) continue;
    const list = new NeighborList({ cutoff: CLOSE, skin: 0, half: true });
    const closest = closestOf(system, list.update(Batch.from([system])));
    if (closest === undefined || ++count > SHOWN) continue;
    const { a, b, distance } = closest, apart = `${distance.toFixed(2)} Å`;
    const who = a === b ? `atom ${a} and its periodic image are` : `atoms ${a} and ${b} are`;
    terminal.complain(
      `Warning: ${label}: ${who} ${apart} apart. ${
        a !== b && distance < SAME
          ? "Remove one of them"
          : "Lengths must be in Å; multiply lengths in nm by 10"
      }`,
    );
  }
  if (count > SHOWN) terminal.complain(`Warning: ${count - SHOWN} more structures have such atoms`);
}

/** Two atoms of a system, and their distance, Å. */
interface Pair {
  readonly a: number;
  readonly b: number;
  readonly distance: number;
}

function closestOf(
  { positions, cell }: System,
  { count, edges, shifts }: {
    readonly count: number;
    readonly edges: ArrayLike<number>;
    readonly shifts: ArrayLike<number>;
  },
): Pair | undefined {
  let closest: Pair | undefined;
  for (let e = 0; e < count; e++) {
    const a = edges[e]!, b = edges[count + e]!;
    const vector = [0, 1, 2].map((k) =>
      positions[3 * b + k]! - positions[3 * a + k]! + shifts[3 * e]! * cell[k]! +
      shifts[3 * e + 1]! * cell[3 + k]! + shifts[3 * e + 2]! * cell[6 + k]!
    );
    const distance = Math.hypot(...vector);
    if (closest === undefined || distance < closest.distance) closest = { a, b, distance };
  }
  return closest;
}
