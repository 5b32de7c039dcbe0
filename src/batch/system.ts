/**
 * One structure.
 *
 * @module
 */

import { atomicSymbol } from "./elements.ts";
import {
  type BuiltInFields,
  type BuiltInName,
  type FieldInfo,
  missing,
  type NumericArray,
} from "./fields/fields.ts";
import { inspected } from "../base/show.ts";
import type { Info, Store } from "./store.ts";
import { readSystem } from "./read_system.ts";
import type { SystemInput } from "./system_input.ts";

/** A store that needs no checks: how the package makes systems. */
class Ready {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }
}

/** The arrays of a system. Not part of the public API. */
export let storeOf: (system: System) => Store;

/** A system of a store that holds it alone. Not part of the public API. */
export let systemOf: (store: Store) => System;

/**
 * Makes a system from the contents of a file: as its constructor does, but numbers may be NaN or infinite. Not part of the
 * public API.
 */
export function systemOfData(input: SystemInput): System {
  return systemOf(readSystem(input, "make a system", true));
}

/**
 * One structure: atoms, where they are, the cell they repeat in, and whatever else is known of them. All of it is
 * checked and copied when the system is made.
 *
 * @example
 * ```ts
 * import { System } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const dimer = new System({
 *   symbols: ["Ar", "Ar"],
 *   positions: [[0, 0, 0], [3.8, 0, 0]],
 *   cell: [20, 20, 20],
 * });
 * assertEquals(dimer.nodeCount, 2);
 * assertEquals([...dimer.masses], [39.948, 39.948]);
 * assertEquals([...dimer.pbc], [1, 1, 1]);
 * ```
 */
export class System {
  readonly #store: Store;

  static {
    inspected(this.prototype);
    storeOf = (system) => system.#store;
    systemOf = (store) => new System(new Ready(store) as unknown as SystemInput);
  }

  /**
   * Checks and copies all that is said of the structure.
   *
   * @throws {TypeError} for a value of the wrong kind, or an unknown member
   * @throws {RangeError} for a value or a length that cannot be, naming the atom
   */
  constructor(input: SystemInput) {
    this.#store = input instanceof Ready ? input.store : readSystem(input, "make a system");
  }

  /** In words, as `console.log` shows it: formula, periodic directions, fields. */
  toString(): string {
    const counts = Map.groupBy(this.symbols, (symbol) => symbol);
    const formula = Array.from(
      counts,
      ([symbol, { length }]) => length === 1 ? symbol : `${symbol}${length}`,
    );
    const along = ["a", "b", "c"].filter((_, k) => this.pbc[k] !== 0);
    const periodic = along.length === 0 ? "not periodic" : `periodic along ${along.join(", ")}`;
    return `System ${formula.join("")}, ${periodic} (${[...this.#store.fields.keys()].join(", ")})`;
  }

  /** The number of atoms. */
  get nodeCount(): number {
    return this.#store.nodeOffsets[1]!;
  }

  /** The number of edges: pairs of neighbors. */
  get edgeCount(): number {
    return this.#store.edgeOffsets[1]!;
  }

  /** Its own number, or `undefined` before a batch or the caller has given it one. */
  get id(): number | undefined {
    return this.#store.fields.get("systemId")?.values[0];
  }

  /** Whatever else is known of it. */
  get info(): Info {
    return this.#store.infos[0]!;
  }

  /** Atomic numbers. */
  get numbers(): Int32Array {
    return this.get("numbers");
  }

  /** The symbols of its elements, atom by atom. */
  get symbols(): string[] {
    return Array.from(this.numbers, atomicSymbol);
  }

  /** Å, three per atom. */
  get positions(): Float64Array {
    return this.get("positions");
  }

  /** amu. */
  get masses(): Float64Array {
    return this.get("masses");
  }

  /** Å, the lattice vectors a, b, c one after the other; zeros where there are none. */
  get cell(): Float64Array {
    return this.get("cell");
  }

  /** 1 for each of a, b, c along which it repeats. */
  get pbc(): Uint8Array {
    return this.get("pbc");
  }

  /** Potential energy, eV; `undefined` when it is not known. */
  get energy(): number | undefined {
    const energy = this.#store.fields.get("energy")?.values[0];
    return Number.isNaN(energy) ? undefined : energy;
  }

  /** What its fields are, in no particular order. */
  fields(): FieldInfo[] {
    return Array.from(this.#store.fields.values(), ({ info }) => info);
  }

  /** Whether it has a field. */
  has(name: string): boolean {
    return this.#store.fields.has(name);
  }

  /**
   * The values of a field: the array itself, not a copy.
   *
   * @throws {TypeError} when it has no such field
   */
  get<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** The same for a field of one's own. */
  get(name: string): NumericArray;
  get(name: string): NumericArray {
    const field = this.#store.fields.get(name);
    if (field === undefined) throw missing(name, this.#store.fields.keys(), "system");
    return field.values;
  }
}
