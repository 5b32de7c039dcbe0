/**
 * State of a campaign.
 *
 * @module
 */

import type { ResultStore } from "../store/result_store.ts";

/** Numbers of the items of a campaign. */
export interface CampaignStatus {
  /** Submitted items. */
  readonly items: number;
  /** Items with the status `"done"`. */
  readonly done: number;
  /** Items with a relaxation that has reached its largest number of steps. */
  readonly notConverged: number;
  /** Failed items. */
  readonly failed: number;
  /** Items without a result. */
  readonly missing: number;
  /** Items with results that differ. */
  readonly faults: number;
  /** Damaged records; their items are computed again. */
  readonly damaged: number;
}

/**
 * Returns the state of a campaign, from the ids of its items and its results as far as they were read.
 *
 * @example
 * ```ts
 * import { openResultStore, statusOf } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * await using store = await openResultStore(`${await Deno.makeTempDir()}/argon`);
 * const { items, done, missing } = statusOf(["0a", "0b"], store);
 * assertEquals([items, done, missing], [2, 0, 2]);
 * ```
 */
export function statusOf(ids: readonly string[], store: ResultStore): CampaignStatus {
  const counts = { done: 0, "not converged": 0, failed: 0 };
  for (const id of ids) {
    const status = store.statusOf(id);
    if (status !== undefined) counts[status]++;
  }
  const { done, failed, "not converged": notConverged } = counts;
  return {
    items: ids.length,
    done,
    notConverged,
    failed,
    missing: ids.length - done - notConverged - failed,
    faults: store.faults.length,
    damaged: store.damage.length,
  };
}
