/**
 * Reading and writing of binary files.
 *
 * @module
 */

import type { StructureSource } from "./source.ts";

/** Reads numbers of a binary file in order. Each read past the end throws a SyntaxError. */
export class ByteReader {
  /** Offset of the next byte. */
  at = 0;
  readonly #source: StructureSource;
  readonly #format: string;
  readonly #little: boolean;

  constructor(
    source: StructureSource,
    format: string,
    { littleEndian }: { readonly littleEndian: boolean },
  ) {
    this.#source = source;
    this.#format = format;
    this.#little = littleEndian;
  }

  /** True if all bytes have been read. */
  get isAtEnd(): boolean {
    return this.at >= this.#source.size;
  }

  /** Reads bytes. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (!(length >= 0) || this.at + length > this.#source.size) {
      throw this.error(`the file ends within ${length} bytes that must follow`);
    }
    const bytes = this.#source.bytes(this.at, length);
    if (bytes.length < length) throw this.error("the file became shorter while it was read");
    this.at += length;
    return bytes;
  }

  i32(): number {
    return this.#view(4).getInt32(0, this.#little);
  }

  /** Reads an integer of 64 bits. */
  i64(): number {
    const value = Number(this.#view(8).getBigInt64(0, this.#little));
    if (!Number.isSafeInteger(value)) {
      throw this.error(`an integer must be below 2^53; got ${value}`);
    }
    return value;
  }

  f32s(count: number): Float32Array {
    const view = this.#view(4 * count);
    return Float32Array.from({ length: count }, (_, i) => view.getFloat32(4 * i, this.#little));
  }

  f64s(count: number): Float64Array {
    const view = this.#view(8 * count);
    return Float64Array.from({ length: count }, (_, i) => view.getFloat64(8 * i, this.#little));
  }

  /** Returns the error for an invalid file. */
  error(requirement: string): SyntaxError {
    return new SyntaxError(
      `Cannot read ${this.#source.name} as ${this.#format}: byte ${this.at}: ${requirement}`,
    );
  }

  #view(length: number): DataView {
    const bytes = this.take(length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }
}

/** Collects the bytes of a binary file. */
export class ByteWriter {
  /** Number of bytes so far. */
  length = 0;
  #bytes = new Uint8Array(1024);
  readonly #little: boolean;

  constructor({ littleEndian }: { readonly littleEndian: boolean }) {
    this.#little = littleEndian;
  }

  i32(value: number): void {
    this.#room(4).setInt32(0, value, this.#little);
  }

  i64(value: number): void {
    this.#room(8).setBigInt64(0, BigInt(value), this.#little);
  }

  f32s(values: ArrayLike<number>): void {
    const view = this.#room(4 * values.length);
    for (let i = 0; i < values.length; i++) view.setFloat32(4 * i, values[i]!, this.#little);
  }

  f64s(values: ArrayLike<number>): void {
    const view = this.#room(8 * values.length);
    for (let i = 0; i < values.length; i++) view.setFloat64(8 * i, values[i]!, this.#little);
  }

  bytes(bytes: ArrayLike<number>): void {
    const view = this.#room(bytes.length);
    new Uint8Array(view.buffer, view.byteOffset, bytes.length).set(bytes);
  }

  /** Adds text in ASCII. Other characters become question marks. */
  ascii(text: string): void {
    this.bytes(Array.from(text, (c) => c.charCodeAt(0) < 128 ? c.charCodeAt(0) : 63));
  }

  /** Returns all bytes. */
  all(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }

  #room(count: number): DataView {
    if (this.length + count > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    const view = new DataView(this.#bytes.buffer, this.length, count);
    this.length += count;
    return view;
  }
}
