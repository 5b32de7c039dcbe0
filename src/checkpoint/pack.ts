/**
 * Conversion of data to JSON and a list of typed arrays.
 *
 * @module
 */

import { isPlain } from "../base/object.ts";
import { MAX_DEPTH, Place } from "./place.ts";
import { showKind } from "../base/show.ts";
import { isDetached, typedArrayName } from "./typed_array.ts";

/** Data of a checkpoint, split into JSON text and the bytes of the typed arrays. */
export interface Packed {
  /** JSON text for the header. */
  readonly text: string;
  /** Bytes of the typed arrays, in the order in which `text` refers to them. They are views, not copies. */
  readonly arrays: readonly Uint8Array[];
}

/**
 * Splits data into JSON text and the bytes of its typed arrays. Throws a TypeError with the path of the first value
 * that a checkpoint cannot restore.
 */
export function pack(data: unknown): Packed {
  const packer = new Packer();
  return { text: packer.pack(data), arrays: packer.arrays };
}

/** List of the values that a checkpoint can hold, for error messages. */
const PLAIN =
  "plain data (null, a boolean, number, bigint, string, array, plain object or typed array)";

class Packer {
  readonly arrays: Uint8Array[] = [];
  readonly #place = new Place();
  readonly #parents = new Set<object>();

  pack(value: unknown): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value); // JSON writes lone surrogates as escapes.
      case "boolean":
        return String(value);
      case "number":
        return textOfNumber(value);
      case "bigint":
        return `{"$bigint":"${value}"}`;
      case "object":
        if (value === null) return "null";
        return ArrayBuffer.isView(value) ? this.#packView(value) : this.#packParent(value);
      default:
        return this.#refuse(PLAIN, value);
    }
  }

  #packView(view: ArrayBufferView): string {
    const name = typedArrayName(view);
    if (name === undefined) return this.#refuse(PLAIN, view);
    if (isDetached(view)) return this.#refuse("a typed array whose memory is not detached", view);
    // The bytes are taken and not the numbers, because copying numbers may change the bits of a NaN.
    this.arrays.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return `{"$array":["${name}",${(view as Uint8Array).length}]}`;
  }

  #packParent(value: object): string {
    if (this.#parents.has(value)) {
      return this.#refuse("an object that does not contain itself", value);
    }
    if (this.#place.depth >= MAX_DEPTH) {
      return this.#refuse(`at most ${MAX_DEPTH} levels deep`, value);
    }
    const [symbol] = Object.getOwnPropertySymbols(value);
    if (symbol !== undefined) return this.#refuse("an object whose keys are all strings", symbol);
    this.#parents.add(value);
    const text = Array.isArray(value) ? this.#packList(value) : this.#packMembers(value);
    this.#parents.delete(value);
    return text;
  }

  #packList(list: readonly unknown[]): string {
    if (!isPlain(Object.getPrototypeOf(list))) return this.#refuse(PLAIN, list);
    const texts: string[] = [];
    for (let i = 0; i < list.length; i++) {
      texts.push(this.#place.within(i, () => this.pack(list[i])));
    }
    const extra = Object.keys(list)[list.length];
    if (extra !== undefined) this.#refuse("an array without named members", extra);
    return `[${texts.join(",")}]`;
  }

  #packMembers(value: object): string {
    if (!isPlain(value)) return this.#refuse(PLAIN, value);
    const members = value as Readonly<Record<string, unknown>>;
    // Without a comparison function, `sort` orders by UTF-16 code units, which is the same everywhere.
    const texts = Object.keys(members).sort().map((name) => {
      const text = this.#place.within(name, () => this.pack(members[name]));
      return `${JSON.stringify(name.startsWith("$") ? `$${name}` : name)}:${text}`;
    });
    return `{${texts.join(",")}}`;
  }

  #refuse(requirement: string, value: unknown): never {
    throw new TypeError(
      `Cannot save a checkpoint: ${this.#place} must be ${requirement}; got ${showKind(value)}`,
    );
  }
}

function textOfNumber(value: number): string {
  if (Object.is(value, -0)) return '{"$number":"-0"}';
  return Number.isFinite(value) ? String(value) : `{"$number":"${value}"}`;
}
