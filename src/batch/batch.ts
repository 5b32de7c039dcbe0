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
import { checkedPlace, type Selection } from "./selection.ts";
import { holderOfView, snapshotStore } from "./snapshot.ts";
import { allOf, type Info, type Pick, sizeOf } from "./store.ts";
import { System, systemOf } from "./system.ts";
import type { SystemInput } from "./system_input.ts";
import { storeWithEdges } from "./with_edges.ts";

/** Systems that join a batch. */
export type Systems = Batch | System | Iterable<System | SystemInput>;

// For this package alone. `Batch` assigns these, because it alone sees the states of batches.
let picksOf: (systems: Systems, action: string) => Pick[];
export let overwrite: (batch: Batch, systems: Batch, places: readonly number[]) => void;
export let restorePoint: (batch: Batch) => () => void;

/**
 * Many structures, one after the other in one array per field, at places 0 … `size` − 1. All methods keep integers
 * integers, keep edges between the same atoms, keep all fields, and keep the `systemId` of each system.
 *
 * Methods that change the systems (`append`, `drop`, `put`) make new arrays; arrays returned before are out of date.
 *
 * @example
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
   * Makes a batch of these systems, in this order. All values are copied. A field that only some of them have gets its
   * fill value in the others. Systems keep their `id`, unless an earlier one has the same.
   *
   * @throws {TypeError} for values that are no systems, and for systems that disagree on the type of a field
   * @throws {RangeError} for no systems, and for impossible values, naming system and atom
   */
  static from(systems: Systems): Batch {
    const action = "make a batch";
    return new Batch(storeOfAll(picksOf(systems, action), action), 0);
  }

  /** Makes a batch from the result of `save`. Throws a TypeError for anything else. */
  static load(saved: SavedBatch): Batch {
    return new Batch(loadStore(saved), saved.nextSystemId);
  }

  /** Returns plain data with copies of all values, for a checkpoint. Throws an Error while an engine holds it. */
  save(): SavedBatch {
    return saveStore(wholeStore(this.#state, "save a batch"), this.#state.nextId);
  }

  /** Describes it in words, as `console.log` does: the number of systems and atoms, and the fields. */
  toString(): string {
    return describeBatch(this.#state);
  }

  /** The number of systems. */
  get size(): number {
    return sizeOf(this.#state.store);
  }

  /** The number of atoms of all systems. */
  get nodeCount(): number {
    return this.nodeOffsets[this.size]!;
  }

  /** The number of edges of all systems. */
  get edgeCount(): number {
    return this.edgeOffsets[this.size]!;
  }

  /** The first node of each system, and the number of nodes: `size` + 1 values. */
  get nodeOffsets(): Int32Array {
    return this.#state.store.nodeOffsets;
  }

  /** The first edge of each system, and the number of edges: `size` + 1 values. */
  get edgeOffsets(): Int32Array {
    return this.#state.store.edgeOffsets;
  }

  /** The place of the system that each node belongs to. */
  get systemOfNode(): Int32Array {
    return systemsOfNodes(this.#state);
  }

  /** The `info` that each system came with. */
  get infos(): readonly Info[] {
    return this.#state.store.infos;
  }

  /** A system id that no system of this batch ever had. */
  get nextSystemId(): number {
    return this.#state.nextId;
  }

  /** Returns the descriptions of its fields. */
  fields(): FieldInfo[] {
    return Array.from(this.#state.store.fields.values(), ({ info }) => info);
  }

  /** Returns whether it has a field. */
  has(name: string): boolean {
    return this.#state.store.fields.has(name);
  }

  /**
   * Returns the values of a field: the array itself, not a copy. Writing into it changes the batch.
   *
   * @throws {TypeError} if the field does not exist
   * @throws {Error} while an engine holds the field: its values here are out of date
   */
  get<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** The same for a custom field. */
  get(name: string): NumericArray;
  get(name: string): NumericArray {
    return heldValues(this.#state, name);
  }

  /** Returns the present values of a field: a copy from the engine that holds it, else the same as `get`. */
  fetch<K extends BuiltInName>(name: K): Promise<BuiltInFields[K]>;
  /** The same for a custom field. */
  fetch(name: string): Promise<NumericArray>;
  fetch(name: string): Promise<NumericArray> {
    return presentValues(this.#state, name);
  }

  /**
   * Sets the values of a field, or adds a new field. The values are copied.
   *
   * @param values flat, or one list per row; one number for the same value everywhere
   * @param options of a new field; its `level` is required unless the field is built in
   * @throws {TypeError} for a wrong declaration, or one that differs from the existing field
   * @throws {RangeError} for a wrong length, or values the field cannot hold, naming system and atom
   * @throws {Error} while an engine holds the field
   */
  set(name: string, values: NumericInput | number, options: FieldOptions = {}): void {
    setField(this.#state, name, values, options);
  }

  /** Returns the values of a built-in field, and adds the field with its fill value if it does not exist. */
  ensure<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** The same for a custom field, which must exist. */
  ensure(name: string): NumericArray;
  ensure(name: string): NumericArray {
    ensureField(this.#state, name);
    return this.get(name);
  }

  /** Removes a field. Throws a TypeError if it does not exist, or every batch must have it. */
  remove(name: string): void {
    removeField(this.#state, name);
  }

  /**
   * Sets the edges of all systems. Fields per edge belong to the old edges and are removed with them.
   *
   * @param edges two nodes of the batch per edge, both of one system, systems in order; flat or one pair per edge
   * @param shifts whole lattice vectors between the two, three per edge; by default, edges have no shifts
   * @throws {RangeError} for edges between systems, or not in the order of the systems, naming the edge
   */
  setEdges(edges: NumericInput, shifts?: NumericInput): void {
    replaceStore(this.#state, storeWithEdges(this.#state.store, edges, shifts), "set the edges");
  }

  /**
   * Checks the assumptions of all computations: finite positions and velocities, masses above zero, known elements,
   * cells that span a volume, edges within systems. Call it after writing into arrays directly.
   *
   * @param action what the caller attempts, for error messages. @default "use a batch"
   * @throws {RangeError} for the first impossible value, naming system and atom
   */
  check(action: string = "use a batch"): void {
    checkState(this.#state, action);
  }

  /** Returns a copy of the system at a place. */
  system(place: number): System {
    const store = wholeStore(this.#state, "get a system");
    return systemOf(storeAt(store, [checkedPlace(place, this.size, "get a system")]));
  }

  /** Returns copies of all its systems. */
  systems(): System[] {
    return Array.from({ length: this.size }, (_, place) => this.system(place));
  }

  /**
   * Makes a new batch of some of its systems, in the order of the selection. Repeated systems get new ids.
   *
   * @throws {TypeError} unless the selection is a list of places or a mask
   * @throws {RangeError} for places that do not exist, and for no systems
   */
  select(selection: Selection): Batch {
    const action = "select systems";
    const store = wholeStore(this.#state, action);
    return new Batch(selectedStore(store, selection, action), this.nextSystemId);
  }

  /** The batch that this is a view of; the batch itself if it is no view. */
  get whole(): Batch {
    return this.#viewed ?? this;
  }

  /**
   * Makes a read-only view of some systems. If an engine holds the batch, it holds the view too, and `fetch` returns
   * the present values. For engines.
   */
  view(places: readonly number[]): Batch {
    const state = this.#state, { holder } = state;
    const view = new Batch(storeAt(state.store, places), state.nextId);
    view.#viewed = this.whole;
    if (holder !== undefined) view.attach(holderOfView(state, holder, places));
    return view;
  }

  /** Returns a copy that shares only the `infos`, which are never changed. */
  clone(): Batch {
    const store = wholeStore(this.#state, "clone a batch");
    return new Batch(storeAt(store, [...store.infos.keys()]), this.nextSystemId);
  }

  /**
   * Adds systems at the end, in place. Fields that only one side has get their fill values in the other.
   *
   * @returns the ids of the new systems: their own if unused
   * @throws {TypeError} for systems that disagree with the batch on the type of a field; the batch is unchanged then
   */
  append(systems: Systems): number[] {
    return appendSystems(this.#state, (action) => picksOf(systems, action));
  }

  /** Removes systems, in place. The others keep order and ids. Throws a RangeError if no system would remain. */
  drop(selection: Selection): void {
    dropSystems(this.#state, selection);
  }

  /**
   * Replaces systems in place by others, of any size: the first of `systems` goes to the first place of `at`.
   *
   * @returns the ids of the new systems: their own if unused
   * @throws {RangeError} for places that do not exist or come twice, and if the numbers of systems and places differ
   */
  put(systems: Systems, at: Selection): number[] {
    return putSystems(this.#state, (action) => picksOf(systems, action), at);
  }

  /**
   * Makes a copy of the present state of some systems: the result of `select` if no engine held any field.
   *
   * @param known values of held fields at another time, which are used instead of the present ones
   * @param wanted fields to copy besides those of every batch. @default all
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
   * Hands fields over to an engine: until `detach`, their values here are out of date, `get` refuses them, and the
   * systems cannot change. For engines.
   *
   * @throws {Error} if an engine already holds the batch
   */
  attach(holder: FieldHolder): void {
    wholeStore(this.#state, "attach a batch"); // throws if an engine holds it
    this.#state.holder = holder;
  }

  /**
   * Takes the fields back. For engines.
   *
   * @param values the present values of held fields, by name, which become the batch's own
   * @throws {TypeError} for a field that does not exist; the engine still holds the batch then
   * @throws {RangeError} for a wrong number of values, likewise
   */
  detach(values: Readonly<Record<string, NumericArray>> = {}): void {
    takeBackFields(this.#state, values);
  }

  /** The name of the engine that holds it, or `undefined`. */
  get heldBy(): string | undefined {
    return this.#state.holder?.by;
  }

  static {
    inspected(this.prototype);
    overwrite = (batch, systems, places) => overwriteSystems(batch.#state, systems.#state, places);
    restorePoint = (batch) => restorePointOf(batch.#state);
    picksOf = (systems, action) => {
      if (systems instanceof Batch) return allOf(wholeStore(systems.#state, action));
      return picksOfList(systems instanceof System ? [systems] : systems, action);
    };
  }
}
