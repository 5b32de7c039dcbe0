/**
 * Data to JSON, with its typed arrays set aside.
 *
 * @module
 */

import { isPlain } from "../base/object.ts";
import { MAX_DEPTH, Place } from "./place.ts";
import { showKind } from "../base/show.ts";
import { isDetached, typedArrayName } from "./typed_array.ts";

/** Data as the sections of a file hold it. */
export interface Packed {
  /** JSON, for the header. */
  readonly text: string;
  /** The memory of the arrays, in the order in which `text` names them: views, not copies. */
  readonly arrays: readonly Uint8Array[];
}

/** Packs data. Throws a TypeError that names the path of what could not be restored. */
export function pack(data: unknown): Packed {
  const packer = new Packer();
  return { text: packer.pack(data), arrays: packer.arrays };
}

class Packer {
  readonly arrays: Uint8Array[] = [];
  readonly #place = new Place();
  readonly #parents = new Set<object>();

  pack(value: unknown): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value); // lone surrogates become escapes
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
        return this.#refuse("plain data", value);
    }
  }

  #packView(view: ArrayBufferView): string {
    const name = typedArrayName(view);
    if (name === undefined) return this.#refuse("plain data", view);
    if (isDetached(view)) return this.#refuse("a typed array whose memory is still there", view);
    // Its memory, since a copy by numbers may change the bits of a NaN.
    this.arrays.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return `{"$array":["${name}",${(view as Uint8Array).length}]}`;
  }

  #packParent(value: object): string {
    if (this.#parents.has(value)) return this.#refuse("free of cycles", value);
    if (this.#place.depth >= MAX_DEPTH) {
      return this.#refuse(`at most ${MAX_DEPTH} levels deep`, value);
    }
    const [symbol] = Object.getOwnPropertySymbols(value);
    if (symbol !== undefined) return this.#refuse("without symbols as names", symbol);
    this.#parents.add(value);
    const text = Array.isArray(value) ? this.#packList(value) : this.#packMembers(value);
    this.#parents.delete(value);
    return text;
  }

  #packList(list: readonly unknown[]): string {
    if (!isPlain(Object.getPrototypeOf(list))) return this.#refuse("plain data", list);
    const texts: string[] = [];
    for (let i = 0; i < list.length; i++) {
      texts.push(this.#place.within(i, () => this.pack(list[i])));
    }
    const extra = Object.keys(list)[list.length];
    if (extra !== undefined) this.#refuse("a list with nothing but its elements", extra);
    return `[${texts.join(",")}]`;
  }

  #packMembers(value: object): string {
    if (!isPlain(value)) return this.#refuse("plain data", value);
    const members = value as Readonly<Record<string, unknown>>;
    // Without a comparison, `sort` goes by UTF-16 code units: the same order everywhere.
    const texts = Object.keys(members).sort().map((name) => {
      const text = this.#place.within(name, () => this.pack(members[name]));
      return `${JSON.stringify(name.startsWith("$") ? `$${name}` : name)}:${text}`;
    });
    return `{${texts.join(",")}}`;
  }

  #refuse(requirement: string, value: unknown): never {
    throw new TypeError(
      `Cannot save a checkpoint as ${this.#place} must be ${requirement}: current value is ${
        showKind(value)
      }`,
    );
  }
}

function textOfNumber(value: number): string {
  if (Object.is(value, -0)) return '{"$number":"-0"}';
  return Number.isFinite(value) ? String(value) : `{"$number":"${value}"}`;
}
