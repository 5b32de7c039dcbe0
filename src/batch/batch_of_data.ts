import { Batch } from "./batch.ts";
import { picksOfList, storeOfAll } from "./membership.ts";
import { saveStore } from "./saved/saved_batch.ts";
import type { System } from "./system.ts";

const ACTION = "make a batch";

/** Creates a batch as `Batch.from` does, but from systems of a file, whose values may be NaN or infinite. */
export function batchOfData(systems: readonly System[]): Batch {
  return Batch.load(saveStore(storeOfAll(picksOfList(systems, ACTION), ACTION, true), 0));
}
