/**
 * Writing and reading of protocol buffers, as far as TensorBoard's files use them.
 *
 * @module
 */

const VARINT = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5;
/** Largest number of bits in a variable-length integer. */
const MOST_BITS = 64n;

/** Writes the fields of a message in order. */
export class MessageWriter {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(128);
  #length = 0;

  /** Writes an integer. A negative integer takes ten bytes. */
  int(field: number, value: number | bigint): this {
    this.#tag(field, VARINT);
    this.#varint(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  /** Writes a float64 number. */
  double(field: number, value: number): this {
    this.#tag(field, EIGHT_BYTES);
    const at = this.#take(8);
    new DataView(this.#bytes.buffer).setFloat64(at, value, true);
    return this;
  }

  /** Writes a float32 number. */
  float(field: number, value: number): this {
    this.#tag(field, FOUR_BYTES);
    const at = this.#take(4);
    new DataView(this.#bytes.buffer).setFloat32(at, value, true);
    return this;
  }

  /** Writes float64 numbers as one packed field. */
  doubles(field: number, values: ArrayLike<number>): this {
    const packed = new DataView(new ArrayBuffer(8 * values.length));
    for (let i = 0; i < values.length; i++) packed.setFloat64(8 * i, values[i]!, true);
    return this.bytes(field, new Uint8Array(packed.buffer));
  }

  /** Writes a text. */
  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** Writes bytes, or a message within the message. */
  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, BYTES);
    this.#varint(BigInt(value.length));
    const at = this.#take(value.length); // before `set`: it may replace the buffer
    this.#bytes.set(value, at);
    return this;
  }

  /** Returns the message. */
  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #tag(field: number, type: number): void {
    this.#varint(BigInt(field << 3 | type));
  }

  #varint(value: bigint): void {
    let rest = value;
    for (; rest > 127n; rest >>= 7n) this.#byte(Number(rest & 127n) | 128);
    this.#byte(Number(rest));
  }

  #byte(byte: number): void {
    const at = this.#take(1);
    this.#bytes[at] = byte;
  }

  /** Reserves `count` bytes, and returns their position in the buffer, which may be replaced by a larger one. */
  #take(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const more = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length));
      more.set(this.#bytes);
      this.#bytes = more;
    }
    return at;
  }
}

/** A field of a message. */
export interface MessageField {
  /** Number of the field. */
  readonly field: number;
  /** Value of a field of type `"int"`; missing for other types. */
  readonly int?: bigint;
  /** Bytes of a field of any other type: four or eight of a number, or any number of bytes. Missing for integers. */
  readonly bytes?: Uint8Array;
  /** Type of the value. */
  readonly type: "int" | "double" | "bytes" | "float";
}

/**
 * Returns the fields of a message. `refuse` receives the requirement that the message does not meet, and
 * throws.
 */
export function fieldsOf(
  message: Uint8Array,
  refuse: (requirement: string) => never,
): MessageField[] {
  const reader = new MessageReader(message, refuse);
  const fields: MessageField[] = [];
  while (!reader.isDone) fields.push(reader.next());
  return fields;
}

class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #refuse: (requirement: string) => never;
  #at = 0;

  constructor(bytes: Uint8Array, refuse: (requirement: string) => never) {
    this.#bytes = bytes;
    this.#refuse = refuse;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  next(): MessageField {
    const tag = this.#varint();
    const field = Number(tag >> 3n), type = Number(tag & 7n);
    if (field === 0) this.#refuse("its fields must be numbered from 1");
    switch (type) {
      case VARINT:
        return { field, type: "int", int: this.#varint() };
      case EIGHT_BYTES:
        return { field, type: "double", bytes: this.#take(8n) };
      case BYTES:
        return { field, type: "bytes", bytes: this.#take(this.#varint()) };
      case FOUR_BYTES:
        return { field, type: "float", bytes: this.#take(4n) };
    }
    return this.#refuse(`the type of field ${field} must be 0, 1, 2 or 5; got ${type}`);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < MOST_BITS + 6n; shift += 7n) {
      const byte = this.#bytes[this.#at++] ?? this.#refuse("its last number must be complete");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    return this.#refuse("its integers must have at most ten bytes");
  }

  #take(length: bigint): Uint8Array {
    const left = BigInt(this.#bytes.length - this.#at);
    if (length > left) this.#refuse(`a field of ${length} bytes must be complete; got ${left}`);
    const from = this.#at;
    this.#at += Number(length);
    return this.#bytes.subarray(from, this.#at);
  }
}

/** Returns the number in four or eight bytes. */
export function numberIn(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.length === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
}
