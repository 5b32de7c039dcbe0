import {
  type BatchState,
  checkState,
  describeBatch,
  newState,
  replaceStore,
  restorePointOf,
  systemsOfNodes,
  wholeStore,
} from "./batch_state.ts";
import {
  ensureField,
  heldValues,
  presentValues,
  removeField,
  setField,
  takeBackFields,
} from "./fields/batch_fields.ts";
import type { FieldOptions, NumericInput } from "./fields/field_values.ts";
import type { BuiltInFields, BuiltInName, FieldInfo, NumericArray } from "./fields/fields.ts";
import type { FieldHolder } from "./fields/holder.ts";
import { inspected } from "../base/show.ts";
import {
  appendSystems,
  dropSystems,
  overwriteSystems,
  picksOfList,
  putSystems,
  selectedStore,
  storeAt,
  storeOfAll,
} from "./membership.ts";
import { loadStore, type SavedBatch, saveStore } from "./saved/saved_batch.ts";
import { checkedPlace, listedSlots, type Selection, type SlotRange } from "./selection.ts";
import { holderOfView, snapshotStore } from "./snapshot.ts";
import { allOf, type Info, type Pick, sizeOf } from "./store.ts";
import { System, systemOf } from "./system.ts";
import type { SystemInput } from "./system_input.ts";
import { storeWithEdges } from "./with_edges.ts";

/** Systems for a batch: another batch, one system, or a list of systems and inputs of `new System`. */
export type BatchInput = Batch | System | Iterable<System | SystemInput>;

// Access to private fields for other modules of this package. The static block of `Batch` assigns these functions.
let picksOf: (systems: BatchInput, action: string) => Pick[];
export let overwrite: (batch: Batch, systems: Batch, places: readonly number[]) => void;
export let restorePoint: (batch: Batch) => () => void;
export let storeOf: (batch: Batch) => Readonly<BatchState["store"]>;

/**
 * Many structures in one array per field. Systems are consecutive, in slots 0 … `size` − 1. All methods keep fields
 * and their types, the `systemId` of each system, and edges between the same atoms.
 *
 * Methods that change the systems (`append`, `drop`, `put`) create new arrays; arrays that were returned before are
 * out of date.
 *
 * @example
 *
 * ```ts
 * import { Batch, System } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const atom = new System({ symbols: ["Ar"], positions: [0, 0, 0] });
 * const dimer = new System({ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] });
 * const batch = Batch.from([atom, dimer]);
 * assertEquals([...batch.nodeOffsets], [0, 1, 3]);
 *
 * batch.set("tags", [7, 8, 9], { level: "node", dtype: "i32", fill: 0 });
 * batch.append(atom);
 * assertEquals([...batch.get("tags")], [7, 8, 9, 0]);
 * batch.drop([0]);
 * assertEquals([...batch.get("systemId")], [1, 2]);
 * ```
 */
export class Batch {
  readonly #state: BatchState;
  #viewed: Batch | undefined;

  private constructor(store: BatchState["store"], nextId: number) {
    this.#state = newState(store, nextId);
  }

  /**
   * Creates a batch of systems, in the given order. All values are copied. If only some systems have a field, the
   * others get its fill value. A system keeps its `id` unless an earlier system has the same id.
   *
   * @throws {TypeError} if a value is not a system, or if systems disagree on the type of a field
   * @throws {RangeError} if the list is empty, or a value is impossible; the message names system and atom
   */
  static from(systems: BatchInput): Batch {
    const action = "make a batch";
    return new Batch(storeOfAll(picksOf(systems, action), action), 0);
  }

  /** Creates a batch from a result of `save`. Throws a TypeError or RangeError if `saved` is not such a result. */
  static load(saved: SavedBatch): Batch {
    return new Batch(loadStore(saved), saved.nextSystemId);
  }

  /** Returns copies of all values as plain data, for a checkpoint. Throws an Error if an engine holds the batch. */
  save(): SavedBatch {
    return saveStore(wholeStore(this.#state, "save a batch"), this.#state.nextId);
  }

  /** Returns a description: the numbers of systems and atoms, and the names of the fields. `console.log` shows it. */
  toString(): string {
    return describeBatch(this.#state);
  }

  /** Number of systems. */
  get size(): number {
    return sizeOf(this.#state.store);
  }

  /** Number of atoms of all systems. */
  get nodeCount(): number {
    return this.nodeOffsets[this.size]!;
  }

  /** Number of edges of all systems. */
  get edgeCount(): number {
    return this.edgeOffsets[this.size]!;
  }

  /** Index of the first node of each system, followed by the number of nodes: `size` + 1 values. */
  get nodeOffsets(): Int32Array {
    return this.#state.store.nodeOffsets;
  }

  /** Index of the first edge of each system, followed by the number of edges: `size` + 1 values. */
  get edgeOffsets(): Int32Array {
    return this.#state.store.edgeOffsets;
  }

  /** Slot of the system of each node: `nodeCount` values. */
  get systemOfNode(): Int32Array {
    return systemsOfNodes(this.#state);
  }

  /** The `info` of each system, by slot. */
  get infos(): readonly Info[] {
    return this.#state.store.infos;
  }

  /** Smallest system id that no system of this batch has ever had. */
  get nextSystemId(): number {
    return this.#state.nextId;
  }

  /** Returns the descriptions of all fields. */
  fields(): FieldInfo[] {
    return Array.from(this.#state.store.fields.values(), ({ info }) => info);
  }

  /** Returns whether the batch has a field. */
  has(name: string): boolean {
    return this.#state.store.fields.has(name);
  }

  /**
   * Returns the values of a field: the array itself, not a copy. Writing to it changes the batch.
   *
   * @throws {TypeError} if the field does not exist
   * @throws {Error} if an engine holds the field, because the values here are out of date then
   */
  get<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** Returns the values of a custom field. */
  get(name: string): NumericArray;
  get(name: string): NumericArray {
    return heldValues(this.#state, name);
  }

  /** Returns the current values of a field: a copy from the engine that holds it; otherwise as `get` does. */
  fetch<K extends BuiltInName>(name: K): Promise<BuiltInFields[K]>;
  /** Returns the current values of a custom field. */
  fetch(name: string): Promise<NumericArray>;
  fetch(name: string): Promise<NumericArray> {
    return presentValues(this.#state, name);
  }

  /**
   * Sets the values of a field, or adds a new field. The values are copied.
   *
   * @param values flat, or one list per row; a single number sets all values
   * @param options of a new field; `level` is required unless the field is built in
   * @throws {TypeError} if the options are invalid or differ from the existing field
   * @throws {RangeError} if a length or a value is impossible; the message names system and atom
   * @throws {Error} if an engine holds the field
   */
  set(name: string, values: NumericInput | number, options: FieldOptions = {}): void {
    setField(this.#state, name, values, options);
  }

  /** Returns the values of a built-in field. Adds the field with its fill value if it does not exist. */
  ensure<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** Returns the values of a custom field, which must exist. */
  ensure(name: string): NumericArray;
  ensure(name: string): NumericArray {
    ensureField(this.#state, name);
    return this.get(name);
  }

  /** Removes a field. Throws a TypeError if the field does not exist, or is required in every batch. */
  remove(name: string): void {
    removeField(this.#state, name);
  }

  /**
   * Sets the edges of all systems. Fields per edge belong to the old edges and are removed with them.
   *
   * @param edges two nodes of the batch per edge, both of one system, sorted by system; flat, or one pair per edge
   * @param shifts lattice translation of the second node, three integers per edge; 0 by default
   * @throws {RangeError} if an edge connects two systems, or the edges are not sorted by system
   */
  setEdges(edges: NumericInput, shifts?: NumericInput): void {
    replaceStore(this.#state, storeWithEdges(this.#state.store, edges, shifts), "set the edges");
  }

  /**
   * Checks the values so that computations are possible: finite positions and velocities, masses above 0, known
   * elements, cells with a volume, and edges within systems. Call it after writing to the arrays directly.
   *
   * @param action attempted action, for error messages. @default "use a batch"
   * @throws {RangeError} for the first impossible value; the message names system and atom
   */
  check(action: string = "use a batch"): void {
    checkState(this.#state, action);
  }

  /** Returns a copy of the system in a slot. */
  system(place: number): System {
    const store = wholeStore(this.#state, "get a system");
    return systemOf(storeAt(store, [checkedPlace(place, this.size, "get a system")]));
  }

  /** Returns copies of all systems. */
  systems(): System[] {
    return Array.from({ length: this.size }, (_, place) => this.system(place));
  }

  /**
   * Creates a batch of selected systems, in the order of the selection. Repeated systems get new ids.
   *
   * @param selection a list of slots, a mask, one slot, or a range; a negative slot or end counts from the end
   * @throws {TypeError} if the selection has another form
   * @throws {RangeError} if a slot does not exist, or no system is selected
   */
  select(selection: Selection | number | SlotRange): Batch {
    const action = "select systems";
    const store = wholeStore(this.#state, action);
    const list = listedSlots(selection, this.size, action);
    return new Batch(selectedStore(store, list, action), this.nextSystemId);
  }

  /** The batch of which this is a view, or this batch if it is not a view. */
  get whole(): Batch {
    return this.#viewed ?? this;
  }

  /** Returns a read-only view of some systems, whose `fetch` returns the current values. Engines use it. */
  view(places: readonly number[]): Batch {
    const state = this.#state, { holder } = state;
    const view = new Batch(storeAt(state.store, places), state.nextId);
    view.#viewed = this.whole;
    if (holder !== undefined) view.attach(holderOfView(state, holder, places));
    return view;
  }

  /** Returns a copy. Only the `infos` are shared, because they never change. */
  clone(): Batch {
    const store = wholeStore(this.#state, "clone a batch");
    return new Batch(storeAt(store, [...store.infos.keys()]), this.nextSystemId);
  }

  /**
   * Adds systems at the end, in place. If only some systems have a field, the others get its fill value.
   *
   * @returns ids of the new systems: a system keeps its id if it is unused
   * @throws {TypeError} if a system disagrees with the batch on the type of a field; the batch does not change then
   */
  append(systems: BatchInput): number[] {
    return appendSystems(this.#state, (action) => picksOf(systems, action));
  }

  /** Removes systems in place. The others keep their order and ids. Throws a RangeError if no system would remain. */
  drop(selection: Selection): void {
    dropSystems(this.#state, selection);
  }

  /**
   * Replaces systems in place by others of any size. The first of `systems` goes to the first slot of `at`.
   *
   * @returns ids of the new systems: a system keeps its id if it is unused
   * @throws {RangeError} if a slot does not exist or is repeated, or if the numbers of systems and slots differ
   */
  put(systems: BatchInput, at: Selection): number[] {
    return putSystems(this.#state, (action) => picksOf(systems, action), at);
  }

  /**
   * Copies the current state of some systems, including fields that an engine holds. Otherwise it works as `select`.
   *
   * @param known values of held fields at another time, by name; they replace the current values
   * @param wanted fields to copy besides the required ones. @default all
   */
  async snapshot(
    selection?: Selection,
    known: Readonly<Record<string, NumericArray>> = {},
    wanted?: readonly string[],
  ): Promise<Batch> {
    const store = await snapshotStore(this.#state, selection, known, wanted);
    return new Batch(store, this.nextSystemId);
  }

  /**
   * Hands fields over to an engine until `detach`. Until then `get` throws for them, and the systems cannot change.
   *
   * @throws {Error} if an engine already holds the batch
   */
  attach(holder: FieldHolder): void {
    wholeStore(this.#state, "attach a batch"); // throws if an engine holds it
    this.#state.holder = holder;
  }

  /**
   * Takes the fields back from an engine. For engines.
   *
   * @param values current values of the held fields, by name; they are copied to the batch
   * @throws {TypeError | RangeError} if a field does not exist, or its length is wrong; the engine keeps the batch
   */
  detach(values: Readonly<Record<string, NumericArray>> = {}): void {
    takeBackFields(this.#state, values);
  }

  /** Name of the engine that holds the batch, or `undefined` if no engine holds it. */
  get heldBy(): string | undefined {
    return this.#state.holder?.by;
  }

  static {
    inspected(this.prototype);
    overwrite = (batch, systems, places) => overwriteSystems(batch.#state, systems.#state, places);
    restorePoint = (batch) => restorePointOf(batch.#state);
    storeOf = (batch) => batch.#state.store;
    picksOf = (systems, action) => {
      if (systems instanceof Batch) return allOf(wholeStore(systems.#state, action));
      return picksOfList(systems instanceof System ? [systems] : systems, action);
    };
  }
}
