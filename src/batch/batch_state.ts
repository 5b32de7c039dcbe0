/**
 * State of a batch, and its changes.
 *
 * @module
 */

import { REQUIRED_FIELDS } from "./fields/fields.ts";
import { busyError, type FieldHolder } from "./fields/holder.ts";
import { checkStore } from "./saved/check_store.ts";
import { sizeOf, type Store, systemName } from "./store.ts";
import { giveIds } from "./system_ids.ts";

/** Names of the fields that every batch has. */
export const ESSENTIAL: readonly string[] = [...REQUIRED_FIELDS, "systemId"];

/** State of one batch. */
export interface BatchState {
  /** Systems of the batch. */
  store: Store;
  /** Smallest id that no system of the batch has ever had. */
  nextId: number;
  /** Engine that holds fields of the batch, or `undefined`. */
  holder: FieldHolder | undefined;
  /** Slot of the system of each node; `undefined` until it is first needed. */
  systemOfNode: Int32Array | undefined;
}

/** Creates the state of a new batch, and gives its systems unique ids. */
export function newState(store: Store, nextId: number): BatchState {
  return {
    store,
    nextId: giveIds(store, nextId, new Set()),
    holder: undefined,
    systemOfNode: undefined,
  };
}

/** Returns a function that names a system of a store, for the end of an error message: " of system 3 (water.xyz)". */
export function inBatch({ infos }: Store): (system: number) => string {
  return (system) => ` of system ${systemName(infos, system)}`;
}

/**
 * Returns the store of a batch.
 *
 * @throws {Error} if an engine holds fields of the batch
 */
export function wholeStore({ store, holder }: BatchState, action: string): Store {
  if (holder !== undefined) throw busyError(action, holder.by);
  return store;
}

/**
 * Checks all values of a batch.
 *
 * @throws {RangeError} for the first impossible value
 * @throws {Error} if an engine holds fields of the batch
 */
export function checkState(state: BatchState, action: string): void {
  const store = wholeStore(state, action);
  checkStore(store, action, inBatch(store));
}

/**
 * Checks the systems of a new store, gives them ids, and makes them the systems of a batch. The systems in the slots
 * `keepers` of the store keep their ids. Throws a RangeError if a value is impossible, and an Error if an engine
 * holds the batch.
 */
export function replaceStore(
  state: BatchState,
  store: Store,
  action: string,
  keepers: readonly number[] = [],
): void {
  if (state.holder !== undefined) throw busyError(action, state.holder.by);
  checkStore(store, action, inBatch(store));
  state.nextId = giveIds(store, state.nextId, new Set(keepers));
  state.store = store;
  state.systemOfNode = undefined;
}

/**
 * Returns a function that restores the current systems and ids of a batch. It undoes replacements of systems, but not
 * changes within their arrays.
 */
export function restorePointOf(state: BatchState): () => void {
  const { store, nextId } = state;
  return () => {
    state.store = store;
    state.nextId = nextId;
    state.systemOfNode = undefined;
  };
}

/** Returns the slot of each node's system, one number per node. The array is computed at the first call. */
export function systemsOfNodes(state: BatchState): Int32Array {
  if (state.systemOfNode !== undefined) return state.systemOfNode;
  const { nodeOffsets } = state.store, size = sizeOf(state.store);
  const systems = new Int32Array(nodeOffsets[size]!);
  for (let system = 0; system < size; system++) {
    systems.fill(system, nodeOffsets[system], nodeOffsets[system + 1]);
  }
  return state.systemOfNode = systems;
}

/**
 * Returns a description of a batch: its systems, atoms and fields, and the engine that holds it.
 */
export function describeBatch({ store, holder }: BatchState): string {
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const size = sizeOf(store), atoms = store.nodeOffsets[size]!;
  const fields = [...store.fields.keys()].join(", ");
  const held = holder === undefined ? "" : `, held by ${holder.by}`;
  return `Batch of ${count(size, "system")}, ${count(atoms, "atom")} (${fields})${held}`;
}
