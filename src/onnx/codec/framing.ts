/**
 * Validation of protobuf framing before a message is decoded.
 *
 * The library accepts invalid bytes: it reads a field by its number whatever its wire type is, lets an inner
 * message run past the end of the outer one, and replaces invalid UTF-8. Such a file would be decoded to another
 * model than the runtime reads, and be encoded as a third. The library also allocates an object for every two bytes
 * of some invalid messages.
 *
 * @module
 */

import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/**
 * Maximum memory for decoding, in bytes. A model above it would not fit into any supported runtime together with its
 * decoded form.
 */
const MOST_MEMORY = 2 ** 31;

/** Maximum nesting depth of messages. The protobuf library has the same limit. */
const MOST_DEPTH = 100;

/** Approximate memory in bytes that the library needs for a message, and for an integer in a packed list. */
const BYTES_PER_MESSAGE = 256, BYTES_PER_INTEGER = 32;

/** Wire types. The known fields do not use groups. */
const VARINT = 0, BIT64 = 1, DELIMITED = 2, GROUP = 3, END_GROUP = 4, BIT32 = 5;

/** Framing of a field in a message. */
interface Frame {
  readonly name: string;
  readonly wire: number;
  /** True if the field is a list of numbers that may be packed: stored one after another behind one length. */
  readonly packs: boolean;
  readonly isText: boolean;
  readonly message: Shape | undefined;
}

/** Framing of a message. The index in `fields` is the number of the field. */
interface Shape {
  readonly name: string;
  readonly fields: (Frame | undefined)[];
}

const shapes = new Map<string, Shape>();

function shapeOf(message: DescMessage): Shape {
  const known = shapes.get(message.typeName);
  if (known !== undefined) return known;
  const shape: Shape = { name: message.name, fields: [] };
  shapes.set(message.typeName, shape);
  for (const field of message.fields) shape.fields[field.number] = frameOf(field);
  return shape;
}

function frameOf(field: DescField): Frame {
  const scalar = field.scalar ?? ScalarType.INT32;
  const wire = field.message === undefined ? wireOf(scalar) : DELIMITED;
  return {
    name: field.name,
    wire,
    packs: field.fieldKind === "list" && wire !== DELIMITED,
    isText: field.message === undefined && scalar === ScalarType.STRING,
    message: field.message && shapeOf(field.message),
  };
}

function wireOf(scalar: ScalarType): number {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return DELIMITED;
  if (scalar === ScalarType.DOUBLE || scalar === ScalarType.FIXED64) return BIT64;
  return scalar === ScalarType.FLOAT || scalar === ScalarType.FIXED32 ? BIT32 : VARINT;
}

/** A violation of the framing rules. */
export interface Fault {
  /** Requirement that the bytes violate, such as "a number must have at most 10 bytes". */
  readonly requirement: string;
  /** Value that violates the requirement. */
  readonly value: string;
}

/** Returns the first violation in the framing of a message; `undefined` if the framing is valid. */
export function findFault(schema: DescMessage, bytes: Uint8Array): Fault | undefined {
  const scan = new Scan(bytes);
  try {
    scan.message(shapeOf(schema), bytes.length, 0);
  } catch (error) {
    if (error instanceof Found) return error.fault;
    throw error;
  }
  return undefined;
}

/** Exception that ends a scan at any nesting depth. */
class Found {
  readonly fault: Fault;
  constructor(fault: Fault) {
    this.fault = fault;
  }
}

const strict = new TextDecoder("utf-8", { fatal: true });

/** One pass over the bytes. It skips numbers and raw data. */
class Scan {
  readonly #bytes: Uint8Array;
  #at = 0;
  #memory = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Checks the fields of a message up to the position `end`. */
  message(shape: Shape, end: number, depth: number): void {
    if (depth >= MOST_DEPTH) {
      this.#refuse(`it must be nested at most ${MOST_DEPTH} deep`, "deeper", shape.name);
    }
    this.#spend(BYTES_PER_MESSAGE);
    while (this.#at < end) {
      const tag = this.#varint(end, shape.name);
      const wire = tag % 8, number = (tag - wire) / 8;
      const field = shape.fields[number];
      if (field === undefined) this.#unknown(shape, number, wire, end, depth);
      else if (wire === field.wire) this.#value(shape, field, end, depth);
      else if (wire === DELIMITED && field.packs) this.#packed(shape, field, end);
      else this.#mistyped(shape, field.name, field.wire, wire);
    }
  }

  #value(shape: Shape, field: Frame, end: number, depth: number): void {
    if (field.wire !== DELIMITED) return this.#skip(shape, field.wire, end);
    const stop = this.#end(shape, field.name, end);
    if (field.message !== undefined) return this.message(field.message, stop, depth + 1);
    if (field.isText) this.#text(shape, field.name, stop);
    this.#at = stop;
  }

  /** Checks packed numbers, which follow one common length. */
  #packed(shape: Shape, field: Frame, end: number): void {
    const stop = this.#end(shape, field.name, end);
    if (field.wire === VARINT) {
      this.#spend((stop - this.#at) * BYTES_PER_INTEGER);
      while (this.#at < stop) this.#skip(shape, VARINT, stop);
      return;
    }
    const width = field.wire === BIT64 ? 8 : 4;
    if ((stop - this.#at) % width !== 0) {
      this.#refuse(
        `its ${field.name} must have a multiple of ${width} bytes`,
        `${stop - this.#at}`,
        shape.name,
      );
    }
    this.#spend((stop - this.#at) * (8 / width));
    this.#at = stop;
  }

  /**
   * Skips a field that the schema does not know, such as one of a later version. The library keeps such fields, so
   * only their framing is checked.
   */
  #unknown(shape: Shape, number: number, wire: number, end: number, depth: number): void {
    if (number < 1 || number >= 2 ** 29) {
      this.#refuse("field numbers must be from 1 to 536870911", `${number}`, shape.name);
    }
    this.#spend(BYTES_PER_MESSAGE);
    if (wire === DELIMITED) this.#at = this.#end(shape, `field ${number}`, end);
    else if (wire === GROUP) this.#group(shape, number, end, depth + 1);
    else this.#skip(shape, wire, end);
  }

  #group(shape: Shape, number: number, end: number, depth: number): void {
    if (depth >= MOST_DEPTH) {
      this.#refuse(`it must be nested at most ${MOST_DEPTH} deep`, "deeper", shape.name);
    }
    const nothing: Shape = { name: `group ${number}`, fields: [] };
    for (;;) {
      const tag = this.#varint(end, shape.name);
      const wire = tag % 8, inner = (tag - wire) / 8;
      if (wire !== END_GROUP) {
        this.#unknown(nothing, inner, wire, end, depth);
        continue;
      }
      if (inner === number) return;
      this.#refuse(
        `group ${number} must end with its own end mark`,
        `that of group ${inner}`,
        shape.name,
      );
    }
  }

  #skip(shape: Shape, wire: number, end: number): void {
    if (wire === VARINT) {
      this.#varint(end, shape.name);
      return;
    }
    if (wire !== BIT64 && wire !== BIT32) {
      this.#refuse("the wire type of a field must be 0, 1, 2, 3 or 5", `${wire}`, shape.name);
    }
    this.#at += wire === BIT64 ? 8 : 4;
    if (this.#at > end) this.#overrun(shape.name);
  }

  /** Reads the length of a field, and returns the position at which the field ends. */
  #end(shape: Shape, what: string, end: number): number {
    const length = this.#varint(end, shape.name);
    const stop = this.#at + length;
    if (stop > end) {
      this.#refuse(
        `${what} must end within its message`,
        `${length} bytes where ${
          end - this.#at
        } are left, because the file is truncated or damaged`,
        shape.name,
      );
    }
    return stop;
  }

  /** Reads a variable-length number of up to ten bytes, exact up to 2⁵³. */
  #varint(end: number, inside: string): number {
    const bytes = this.#bytes;
    let value = 0, scale = 1;
    for (let i = 0; i < 10; i++) {
      if (this.#at >= end) this.#overrun(inside);
      const byte = bytes[this.#at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    return this.#refuse("a number must have at most 10 bytes", "more", inside);
  }

  #text(shape: Shape, name: string, stop: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < stop && bytes[at] as number < 128) at++;
    if (at === stop) return;
    try {
      strict.decode(bytes.subarray(this.#at, stop));
    } catch {
      this.#refuse(`its ${name} must be UTF-8`, "other bytes", shape.name);
    }
  }

  #spend(bytes: number): void {
    this.#memory += bytes;
    if (this.#memory > MOST_MEMORY) {
      this.#refuse(
        `its decoded form must fit into ${MOST_MEMORY} bytes of memory`,
        "more",
        "ModelProto",
      );
    }
  }

  #mistyped(shape: Shape, name: string, expected: number, wire: number): never {
    return this.#refuse(`its ${name} must have the wire type ${expected}`, `${wire}`, shape.name);
  }

  #overrun(inside: string): never {
    return this.#refuse(
      "it must be complete",
      "the end of the file, because it is truncated or damaged",
      inside,
    );
  }

  #refuse(requirement: string, value: string, inside: string): never {
    throw new Found({
      requirement,
      value: `${value} (at byte ${this.#at}, in a ${inside})`,
    });
  }
}
