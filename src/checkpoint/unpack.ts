/**
 * Conversion of the JSON and the array sections of a file back to data.
 *
 * @module
 */

import { MAX_DEPTH, Place } from "./place.ts";
import { typedArrayClass } from "./typed_array.ts";

/** The file from which data is restored. */
export interface PackedSource {
  /** Returns the bytes of the next array. `name` is its path in error messages. */
  take(length: number, name: string): Uint8Array;
  /**
   * Throws the error for an invalid file. `requirement` is the rule that the file breaks, and `value` the content
   * that breaks it.
   */
  refuse(requirement: string, value: string): never;
}

/** Restores the data that `pack` has converted. `data` is the parsed `data` of the header. */
export function unpack(data: unknown, source: PackedSource): unknown {
  return new Unpacker(source).unpack(data);
}

/** The name and the value of the single member by which JSON represents a value that it cannot express. */
type Tag = readonly [name: string, value: unknown];

const NUMBERS: ReadonlyMap<unknown, number> = new Map([
  ["-0", -0],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

class Unpacker {
  readonly #source: PackedSource;
  readonly #place = new Place();

  constructor(source: PackedSource) {
    this.#source = source;
  }

  unpack(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const tag = tagOf(value);
    if (tag !== undefined) return this.#unpackTag(tag);
    if (this.#place.depth >= MAX_DEPTH) this.#refuse(`be at most ${MAX_DEPTH} levels deep`, value);
    return Array.isArray(value)
      ? value.map((element, i) => this.#place.within(i, () => this.unpack(element)))
      : this.#unpackMembers(value as Readonly<Record<string, unknown>>);
  }

  #unpackMembers(members: Readonly<Record<string, unknown>>): unknown {
    // The arrays are stored in the order of the sorted names, whereas JSON.parse puts names that look like integers
    // first. `fromEntries` also creates a member called `__proto__`, which an assignment would not.
    return Object.fromEntries(
      Object.keys(members).sort().map((stored) => {
        if (/^\$(?!\$)/.test(stored)) this.#refuse("have only known tags", members);
        const name = stored.replace(/^\$/, "");
        return [name, this.#place.within(name, () => this.unpack(members[stored]))];
      }),
    );
  }

  #unpackTag([name, value]: Tag): unknown {
    switch (name) {
      case "$number":
        return NUMBERS.get(value) ?? this.#refuse("be -0, NaN or infinite", value);
      case "$bigint":
        return typeof value === "string" && /^(0|-?[1-9][0-9]*)$/.test(value)
          ? BigInt(value)
          : this.#refuse("be an integer", value);
      case "$array":
        return this.#unpackArray(value);
      default:
        return this.#refuse("have only known tags", { [name]: value });
    }
  }

  #unpackArray(value: unknown): ArrayBufferView {
    const [name, length] = Array.isArray(value) ? value : [];
    if (typeof name !== "string" || !Number.isSafeInteger(length) || length < 0) {
      return this.#refuse("be the name of a typed array and its length", value);
    }
    const Class = typedArrayClass(name);
    if (Class === undefined) return this.#refuse("be a supported typed array", name);
    const bytes = this.#source.take(length * Class.BYTES_PER_ELEMENT, String(this.#place));
    const memory = new ArrayBuffer(bytes.length);
    new Uint8Array(memory).set(bytes); // `slice` of a Node Buffer would not copy.
    return new Class(memory);
  }

  #refuse(requirement: string, value: unknown): never {
    const text = JSON.stringify(value);
    return this.#source.refuse(
      `${this.#place} must ${requirement}`,
      text.length > 80 ? `${text.slice(0, 80)}…` : text,
    );
  }
}

function tagOf(value: object): Tag | undefined {
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  return entries.length === 1 && /^\$(?!\$)/.test(entries[0]![0]) ? entries[0] : undefined;
}
