/**
 * Many structures in one set of arrays.
 *
 * @module
 */

import { checkStore } from "./saved/check_store.ts";
import {
  ALWAYS,
  type BuiltInFields,
  type BuiltInName,
  type FieldInfo,
  type NumericArray,
} from "./fields/fields.ts";
import { type FieldOptions, type NumericInput, typed } from "./fields/field_values.ts";
import { busyError, type FieldHolder, heldError, isMade } from "./fields/holder.ts";
import { inspected } from "./inspected.ts";
import { missing } from "./fields/missing_value.ts";
import { readSystem } from "./read_system.ts";
import { loadStore, type SavedBatch, saveStore } from "./saved/saved_batch.ts";
import { checkedPlace, placesOf, type Selection } from "./selection.ts";
import { fieldFrom, filledField } from "./fields/set_field.ts";
import { show } from "./show.ts";
import { allOf, assemble, type Info, type Pick, sizeOf, type Store } from "./store.ts";
import { storeOf, System, systemOf } from "./system.ts";
import { afterIds, giveIds } from "./system_ids.ts";
import type { SystemInput } from "./system_input.ts";
import { overwriteRows } from "./fields/overwrite_rows.ts";
import { storeWithEdges } from "./with_edges.ts";

/** The fields that every batch has. */
const ESSENTIAL: readonly string[] = [...ALWAYS, "systemId"];

const inBatch = (system: number) => ` of system ${system}`;
/** A store of the same systems, with values of its own but for those that were made for it. */
function copyOf(store: Store, made: ReadonlySet<string>): Store {
  return {
    nodeOffsets: store.nodeOffsets.slice(),
    edgeOffsets: store.edgeOffsets.slice(),
    infos: [...store.infos],
    fields: new Map(Array.from(store.fields, ([name, { info, values }]) => [
      name,
      { info, values: made.has(name) ? values : values.slice() },
    ])),
  };
}

const inList = (pick: number) => `system ${pick}`;

/** The systems of whatever can join a batch. Assigned by Batch, which alone sees into batches. */
let picksOf: (systems: Systems, action: string) => Pick[];

/**
 * Puts systems, as large as those that were there and with no field that the batch has not, into some of its places: its
 * arrays stay the same, and what was there is gone. Not part of the public API. Assigned by Batch.
 */
export let overwrite: (batch: Batch, systems: Batch, places: readonly number[]) => void;

/** What gives a batch the systems again that it has now, whatever `put`, `append` and `drop` do to it. Likewise. */
export let restorePoint: (batch: Batch) => () => void;

function picksOfList(systems: Iterable<System | SystemInput>, action: string): Pick[] {
  if (typeof systems !== "object" || systems === null || !(Symbol.iterator in systems)) {
    throw new TypeError(
      `Cannot ${action} as there must be a list of systems: current value is ${show(systems)}`,
    );
  }
  return Array.from(systems, (system, i) => {
    const store = system instanceof System
      ? storeOf(system)
      : readSystem(system, `${action} (system ${i})`);
    return { store, index: 0 };
  });
}

function emptyError(action: string): RangeError {
  return new RangeError(
    `Cannot ${action} as a batch must have a system or more: current selection leaves none`,
  );
}

/** Systems that join a batch. */
export type Systems = Batch | System | Iterable<System | SystemInput>;

/**
 * Many structures, one after the other in one array per field, in places 0 … `size` − 1. Whatever is done with it,
 * integers stay integers, edges keep joining the atoms they joined, no field is dropped, and each system keeps its
 * own `systemId`.
 *
 * What changes which systems there are (`append`, `drop`, `put`) makes new arrays: those got before are old.
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
  #store: Store;
  #nextId: number;
  #holder: FieldHolder | undefined;
  #systemOfNode: Int32Array | undefined;
  #viewed: Batch | undefined;

  private constructor(store: Store, nextId: number) {
    this.#store = store;
    this.#nextId = giveIds(store, nextId, new Set());
  }

  /**
   * A batch of these systems, in this order; all values are copied. A field that only some of them have gets its
   * fill value in the others. Systems with an `id` keep it, unless an earlier one has the same.
   *
   * @throws {TypeError} for what is no system, and for systems that disagree on what a field is
   * @throws {RangeError} for no systems, and for values that cannot be, naming system and atom
   */
  static from(systems: Systems): Batch {
    const action = "make a batch";
    const picks = picksOf(systems, action);
    if (picks.length === 0) {
      throw new RangeError(`Cannot ${action} as it must have a system or more: current count is 0`);
    }
    const store = assemble(picks, (pick) => `system ${pick}`);
    checkStore(store, action, (system) => ` of system ${system}`);
    return new Batch(store, 0);
  }

  /**
   * A batch as `save` gave it.
   *
   * @throws {TypeError} for what `save` did not give
   */
  static load(saved: SavedBatch): Batch {
    const store = loadStore(saved);
    checkStore(store, "load a batch", inBatch);
    return new Batch(store, saved.nextSystemId);
  }

  /** What a checkpoint keeps: plain data with copies of all values. Throws an Error while an engine holds it. */
  save(): SavedBatch {
    return saveStore(this.#whole("save a batch"), this.#nextId);
  }

  /** In words, as `console.log` shows it: how many systems and atoms, and which fields. */
  toString(): string {
    const many = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
    const held = this.#holder === undefined ? "" : `, held by ${this.#holder.by}`;
    return `Batch of ${many(this.size, "system")}, ${many(this.nodeCount, "atom")} (${
      [...this.#store.fields.keys()].join(", ")
    })${held}`;
  }

  /** The number of systems. */
  get size(): number {
    return sizeOf(this.#store);
  }

  /** The number of atoms of all systems. */
  get nodeCount(): number {
    return this.#store.nodeOffsets[this.size]!;
  }

  /** The number of edges of all systems. */
  get edgeCount(): number {
    return this.#store.edgeOffsets[this.size]!;
  }

  /** The first node of each system, and the number of nodes: `size` + 1 values. */
  get nodeOffsets(): Int32Array {
    return this.#store.nodeOffsets;
  }

  /** The first edge of each system, and the number of edges: `size` + 1 values. */
  get edgeOffsets(): Int32Array {
    return this.#store.edgeOffsets;
  }

  /** The place of the system that each node belongs to. */
  get systemOfNode(): Int32Array {
    if (this.#systemOfNode !== undefined) return this.#systemOfNode;
    const systems = new Int32Array(this.nodeCount);
    for (let system = 0; system < this.size; system++) {
      systems.fill(system, this.nodeOffsets[system], this.nodeOffsets[system + 1]);
    }
    return this.#systemOfNode = systems;
  }

  /** What else is known of each system: the `info` it came with. */
  get infos(): readonly Info[] {
    return this.#store.infos;
  }

  /** A system id that no system of this batch ever had. */
  get nextSystemId(): number {
    return this.#nextId;
  }

  /** What its fields are. */
  fields(): FieldInfo[] {
    return Array.from(this.#store.fields.values(), ({ info }) => info);
  }

  /** Whether it has a field. */
  has(name: string): boolean {
    return this.#store.fields.has(name);
  }

  /**
   * The values of a field: the array itself, not a copy. Writing into it changes the batch.
   *
   * @throws {TypeError} when there is no such field
   * @throws {Error} while an engine holds the field: its values here are old
   */
  get<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** The same for a field of one's own. */
  get(name: string): NumericArray;
  get(name: string): NumericArray {
    const field = this.#store.fields.get(name);
    if (field === undefined) throw missing(name, this.#store.fields.keys(), "batch");
    if (this.#holder?.fields.has(name)) throw heldError(`get ${show(name)}`, name, this.#holder.by);
    return field.values;
  }

  /**
   * The present values of a field, wherever they are: from the engine that holds it (then a copy), else as `get`.
   *
   * @throws {TypeError} when there is no such field
   */
  async fetch<K extends BuiltInName>(name: K): Promise<BuiltInFields[K]>;
  /** The same for a field of one's own. */
  async fetch(name: string): Promise<NumericArray>;
  async fetch(name: string): Promise<NumericArray> {
    const holder = this.#holder;
    if (!holder?.fields.has(name)) return this.get(name);
    const field = this.#store.fields.get(name);
    if (field === undefined) throw missing(name, this.#store.fields.keys(), "batch");
    return typed(await holder.fetch(name), field.info);
  }

  /**
   * Sets a field: new values for one that is there, or a new one. The values are copied.
   *
   * @param values flat, or one list per row; one number for the same value everywhere
   * @param options what a new field is; its `level` must be given unless it is built in
   * @throws {TypeError} for a declaration that is none, or that differs from the field there is
   * @throws {RangeError} for a wrong length, or values the field cannot hold, naming system and atom
   * @throws {Error} while an engine holds the field
   */
  set(name: string, values: NumericInput | number, options: FieldOptions = {}): void {
    if (this.#holder?.fields.has(name)) throw heldError(`set ${show(name)}`, name, this.#holder.by);
    const { fields } = this.#store;
    const field = fieldFrom(this.#store, name, values, options);
    const changed = { ...this.#store, fields: new Map(fields).set(name, field) };
    checkStore(changed, `set ${show(name)}`, inBatch, name);
    if (name === "systemId") this.#nextId = Math.max(this.#nextId, afterIds(field.values));
    fields.set(name, field);
  }

  /**
   * The values of a built-in field, which is made with its fill value when it is not there.
   *
   * @throws {TypeError} for a name that is neither built in nor there
   */
  ensure<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** The same for a field of one's own, which must be there. */
  ensure(name: string): NumericArray;
  ensure(name: string): NumericArray {
    if (!this.has(name)) {
      const field = filledField(this.#store, name);
      if (field !== undefined) this.#store.fields.set(name, field);
    }
    return this.get(name);
  }

  /**
   * Takes a field away.
   *
   * @throws {TypeError} when there is no such field, or when every batch must have it
   */
  remove(name: string): void {
    this.get(name);
    if (ESSENTIAL.includes(name)) {
      throw new TypeError(
        `Cannot remove ${show(name)} as every batch must have ${
          ESSENTIAL.join(", ")
        }: current name is one of them`,
      );
    }
    if (name === "edges") this.#replace(storeWithEdges(this.#store, []), "remove the edges");
    this.#store.fields.delete(name);
  }

  /**
   * Sets the edges of all systems. Fields per edge belong to the edges they came with and go with them.
   *
   * @param edges two nodes of the batch per edge, both of one system, systems in order; flat or one pair per edge
   * @param shifts whole lattice vectors between the two, three per edge; without them the edges have none
   * @throws {RangeError} for edges between systems, or not in the order of the systems, naming the edge
   */
  setEdges(edges: NumericInput, shifts?: NumericInput): void {
    this.#replace(storeWithEdges(this.#store, edges, shifts), "set the edges");
  }

  /**
   * Checks what every computation relies on: finite positions and velocities, masses above zero, known elements,
   * cells that span a volume, edges within systems. Whoever wrote into arrays by hand may want to know.
   *
   * @param action how errors say what was attempted. @default "use a batch"
   * @throws {RangeError} for the first value that cannot be, naming system and atom
   */
  check(action: string = "use a batch"): void {
    checkStore(this.#whole(action), action, inBatch);
  }

  /** One of its systems, by place; all values are copied. */
  system(place: number): System {
    const store = this.#whole("get a system");
    const index = checkedPlace(place, this.size, "get a system");
    return systemOf(assemble([{ store, index }], inList));
  }

  /** Its systems in order; all values are copied. */
  systems(): System[] {
    return Array.from({ length: this.size }, (_, place) => this.system(place));
  }

  /**
   * A new batch of some of its systems, in the order of the selection. A system selected twice keeps its id the
   * first time; then it is a new system.
   *
   * @throws {TypeError} for what is neither places nor mask
   * @throws {RangeError} for places there are not, and for no systems
   */
  select(selection: Selection): Batch {
    const store = this.#whole("select systems");
    const places = placesOf(selection, this.size, "select systems");
    if (places.length === 0) throw emptyError("select systems");
    return new Batch(assemble(places.map((index) => ({ store, index })), inList), this.#nextId);
  }

  /** The batch of which this is a view; itself, where it is none. */
  get whole(): Batch {
    return this.#viewed ?? this;
  }

  /**
   * Some systems, to look at: where an engine holds the batch it holds their values, too, and `fetch` answers with those
   * of the moment. For engines.
   */
  view(places: readonly number[]): Batch {
    const picked = (store: Store) => assemble(places.map((index) => ({ store, index })), inList);
    const view = new Batch(picked(this.#store), this.#nextId);
    view.#viewed = this.whole;
    const holder = this.#holder;
    if (holder === undefined) return view;
    view.attach({
      by: holder.by,
      get fields() {
        return holder.fields;
      },
      fetch: async (name) => {
        const { info } = this.#store.fields.get(name)!;
        const values = typed(await this.fetch(name), info);
        return picked({ ...this.#store, fields: new Map([[name, { info, values }]]) })
          .fields.get(name)!.values;
      },
    });
    return view;
  }

  /** A copy that shares nothing with it (but the `infos`, which nobody changes). */
  clone(): Batch {
    return new Batch(assemble(allOf(this.#whole("clone a batch")), inList), this.#nextId);
  }

  /**
   * Adds systems at the end, in place. Fields that one side has and the other has not get their fill values there.
   *
   * @returns the ids that the new systems have now: their own, where free
   * @throws {TypeError} for systems that disagree with the batch on what a field is; the batch is as it was
   */
  append(systems: Systems): number[] {
    const action = "append systems";
    const own = allOf(this.#whole(action));
    const more = picksOf(systems, action);
    const nameOf = (pick: number) =>
      pick < own.length ? inList(pick) : `new system ${pick - own.length}`;
    const store = assemble([...own, ...more], nameOf, this.#store);
    this.#replace(store, action, own.map((_, place) => place));
    return Array.from(this.#ids().subarray(own.length));
  }

  /**
   * Takes systems away, in place. Those that stay keep their order and their ids.
   *
   * @throws {RangeError} for places there are not, and when no system would stay
   */
  drop(selection: Selection): void {
    const action = "drop systems";
    const own = allOf(this.#whole(action));
    const gone = new Set(placesOf(selection, this.size, action));
    const rest = own.filter((_, place) => !gone.has(place));
    if (rest.length === 0) throw emptyError(action);
    if (gone.size > 0) this.#replace(assemble(rest, inList), action);
  }

  /**
   * Replaces systems in place by others, of any size: the first of `systems` goes to the first place of `at`, and so
   * on.
   *
   * @returns the ids that the new systems have now: their own, where free
   * @throws {RangeError} for places there are not or that come twice, and for another number of systems than places
   */
  put(systems: Systems, at: Selection): number[] {
    const action = "put systems";
    const own = allOf(this.#whole(action));
    const places = placesOf(at, this.size, action);
    const more = picksOf(systems, action);
    if (more.length !== places.length || new Set(places).size !== places.length) {
      throw new RangeError(
        `Cannot ${action} as there must be ${more.length} different places for them: current places are ${
          show(places)
        }`,
      );
    }
    const all = own.slice();
    for (const [i, place] of places.entries()) all[place] = more[i]!;
    const gone = new Set(places);
    const keepers = own.flatMap((_, place) => gone.has(place) ? [] : [place]);
    if (places.length > 0) this.#replace(assemble(all, inList, this.#store), action, keepers);
    return places.map((place) => this.#ids()[place]!);
  }

  /**
   * A copy of the present state of these systems, wherever the values are: what `select` would give if no engine
   * held any field. `known`: values of held fields, which then are not fetched: the state they were in at another time.
   * `wanted`: fields besides those of every batch, where not all are.
   */
  async snapshot(
    selection?: Selection,
    known: Readonly<Record<string, NumericArray>> = {},
    wanted?: readonly string[],
  ): Promise<Batch> {
    const kept = wanted && new Set([...ESSENTIAL, ...wanted]);
    const isKept = (name: string) => kept === undefined || kept.has(name);
    const held = [...this.#holder?.fields ?? []].filter((name) => this.has(name) && isKept(name));
    const fields = new Map([...this.#store.fields].filter(([name]) => isKept(name)));
    const values = await Promise.all(held.map((name) => {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      return own === undefined ? this.fetch(name) : typed(own, fields.get(name)!.info);
    }));
    for (const [i, name] of held.entries()) {
      fields.set(name, { info: fields.get(name)!.info, values: values[i]! });
    }
    const store = { ...this.#store, fields };
    const places = placesOf(
      selection ?? allOf(store).map((_, i) => i),
      this.size,
      "take a snapshot",
    );
    if (places.length === 0) throw emptyError("take a snapshot");
    if (places.length === this.size && places.every((place, i) => place === i)) {
      // As a trajectory does it: what was made for this snapshot is not copied once more.
      const made = held.filter((name) => isMade(known) || !Object.hasOwn(known, name));
      return new Batch(copyOf(store, new Set(made)), this.#nextId);
    }
    return new Batch(assemble(places.map((index) => ({ store, index })), inList), this.#nextId);
  }

  /**
   * Hands fields over to an engine: from now on their values here are old, `get` refuses them, and the systems cannot
   * change. For engines.
   *
   * @throws {Error} when an engine already holds the batch
   */
  attach(holder: FieldHolder): void {
    if (this.#holder !== undefined) throw busyError("attach a batch", this.#holder.by);
    this.#holder = holder;
  }

  /**
   * Takes the fields back. For engines.
   *
   * @param values the present values of held fields, by name, which become the batch's own
   * @throws {TypeError} for a field there is not; the engine still holds the batch then
   * @throws {RangeError} for a wrong number of values, likewise
   */
  detach(values: Readonly<Record<string, NumericArray>> = {}): void {
    const fields = Object.entries(values).map(([name, list]) => {
      const field = this.#store.fields.get(name);
      if (field === undefined) throw missing(name, this.#store.fields.keys(), "batch");
      if (list.length === field.values.length) return { own: field.values, list };
      throw new RangeError(
        `Cannot detach a batch as ${name} must have ${field.values.length} values: current length is ${list.length}`,
      );
    });
    for (const { own, list } of fields) own.set(list);
    this.#holder = undefined;
  }

  /** What holds it: the name of an engine, or `undefined`. */
  get heldBy(): string | undefined {
    return this.#holder?.by;
  }

  #ids(): Int32Array {
    return this.#store.fields.get("systemId")!.values as Int32Array;
  }

  /** The store, if no engine holds a part of it. */
  #whole(action: string): Store {
    if (this.#holder !== undefined) throw busyError(action, this.#holder.by);
    return this.#store;
  }

  #replace(store: Store, action: string, keepers: readonly number[] = []): void {
    if (this.#holder !== undefined) throw busyError(action, this.#holder.by);
    checkStore(store, action, inBatch);
    this.#nextId = giveIds(store, this.#nextId, new Set(keepers));
    this.#store = store;
    this.#systemOfNode = undefined;
  }

  #overwrite(systems: Batch, places: readonly number[]): void {
    const action = "put systems";
    const own = this.#whole(action), more = systems.#whole(action);
    overwriteRows(own, more, places);
    this.#nextId = Math.max(this.#nextId, afterIds(more.fields.get("systemId")!.values));
  }

  static {
    inspected(this.prototype);
    overwrite = (batch, systems, places) => batch.#overwrite(systems, places);
    restorePoint = (batch) => {
      const store = batch.#store, nextId = batch.#nextId;
      return () => {
        batch.#store = store;
        batch.#nextId = nextId;
        batch.#systemOfNode = undefined;
      };
    };
    picksOf = (systems, action) => {
      if (systems instanceof Batch) return allOf(systems.#whole(action));
      return picksOfList(systems instanceof System ? [systems] : systems, action);
    };
  }
}
