/**
 * Hooks that run before the model and read energies or stresses, which are those of the step before.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { CONSERVED } from "../engine/measures.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import { DynamicsStage as S } from "../stages.ts";

type Hooks = Loop<DynamicsKind>["hooks"];

/** The stages before the model, in their order in a step. */
const EARLY = [S.BEFORE_STEP, S.BEFORE_PRE_UPDATE, S.AFTER_PRE_UPDATE, S.BEFORE_COMPUTE];

/** Number of the first parts of a step after which the atoms have not moved yet. */
export const UNMOVED = 2;

/** Steps from `from` to `to`, and the stages before the model from the one with the index `first` on. */
export interface EarlyRange {
  readonly from: number;
  readonly to: number;
  readonly first?: number;
}

/** Returns whether any of some fields is computed with energies. */
export function readsEnergy(fields: ReadonlySet<string>): boolean {
  return fields.has("energy") || fields.has("stress") || fields.has(CONSERVED);
}

/** Returns whether hooks that run before the model read energies or stresses, and may be due in a range. */
export function readsEarly(hooks: Hooks, { from, to, first = 0 }: EarlyRange): boolean {
  return EARLY.some((stage, i) => i >= first && readsEnergy(hooks.reads(stage, from, false, to)));
}

/**
 * Returns whether each step must compute energies for hooks that run before the model: for kernels, which run without
 * a return to JavaScript, and on a device, which would otherwise wait whenever such a hook is due. Hooks that are due
 * only before the first step of a run do not count, because a run begins with energies.
 */
export function needsEarly(hooks: Hooks, isLate: boolean): boolean {
  // Frequencies that no step but the first reaches are larger than the number of steps that an engine can count.
  if (isLate && readsEarly(hooks, { from: 1, to: 2 ** 31 })) return true;
  return EARLY.some((stage) =>
    hooks.work(stage).some(({ hook }) => {
      const { reads = [] } = hook as { readonly reads?: readonly unknown[] };
      return readsEnergy(new Set(reads.map((key) => fieldName(key as string) ?? "")));
    })
  );
}
