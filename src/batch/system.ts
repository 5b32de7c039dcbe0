/**
 * A single structure.
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

/** Wraps a store that is already checked, so that the constructor of `System` takes it without another check. */
class Ready {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }
}

/** Returns the store of a system. Not part of the public API. */
export let storeOf: (system: System) => Store;

/** Creates a system from a store that contains only this system. Not part of the public API. */
export let systemOf: (store: Store) => System;

/**
 * Creates a system from the contents of a file. Unlike in the constructor, positions, velocities and the cell may be
 * NaN or infinite. Not part of the public API.
 */
export function systemOfData(input: SystemInput): System {
  return systemOf(readSystem(input, "make a system", true));
}

/**
 * A structure: elements, positions, the periodic cell, and any other fields. The constructor checks and copies all
 * input.
 *
 * @example
 *
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
   * Checks and copies the input.
   *
   * @throws {TypeError} if a value is of the wrong kind, or a member is unknown
   * @throws {RangeError} if a value or a length is impossible; the message names the atom
   */
  constructor(input: SystemInput) {
    this.#store = input instanceof Ready ? input.store : readSystem(input, "make a system");
  }

  /** Returns a description: formula, periodic directions, and names of the fields. `console.log` shows it. */
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

  /** Number of atoms. */
  get nodeCount(): number {
    return this.#store.nodeOffsets[1]!;
  }

  /** Number of edges (pairs of neighbors). */
  get edgeCount(): number {
    return this.#store.edgeOffsets[1]!;
  }

  /** Id of the system; `undefined` if neither the caller nor a batch has set it. */
  get id(): number | undefined {
    return this.#store.fields.get("systemId")?.values[0];
  }

  /** User data of the system, kept unchanged and not interpreted. */
  get info(): Info {
    return this.#store.infos[0]!;
  }

  /** Atomic numbers, one per atom. */
  get numbers(): Int32Array {
    return this.get("numbers");
  }

  /** Symbols of the elements, one per atom. */
  get symbols(): string[] {
    return Array.from(this.numbers, atomicSymbol);
  }

  /** Positions, Å, three per atom. */
  get positions(): Float64Array {
    return this.get("positions");
  }

  /** Masses, amu, one per atom. */
  get masses(): Float64Array {
    return this.get("masses");
  }

  /** Cell, Å, nine numbers: the lattice vectors a, b and c; zeros if there is no cell. */
  get cell(): Float64Array {
    return this.get("cell");
  }

  /** Periodicity, three flags: 1 if the direction a, b or c is periodic, otherwise 0. */
  get pbc(): Uint8Array {
    return this.get("pbc");
  }

  /** Potential energy, eV; `undefined` if it is unknown. */
  get energy(): number | undefined {
    const energy = this.#store.fields.get("energy")?.values[0];
    return Number.isNaN(energy) ? undefined : energy;
  }

  /** Returns the descriptions of all fields, in no particular order. */
  fields(): FieldInfo[] {
    return Array.from(this.#store.fields.values(), ({ info }) => info);
  }

  /** Returns whether the system has a field. */
  has(name: string): boolean {
    return this.#store.fields.has(name);
  }

  /**
   * Returns the values of a field: the array itself, not a copy.
   *
   * @throws {TypeError} if the field does not exist
   */
  get<K extends BuiltInName>(name: K): BuiltInFields[K];
  /** Returns the values of a custom field. */
  get(name: string): NumericArray;
  get(name: string): NumericArray {
    const field = this.#store.fields.get(name);
    if (field === undefined) throw missing(name, this.#store.fields.keys(), "system");
    return field.values;
  }
}
