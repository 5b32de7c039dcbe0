/**
 * The bytes of a checkpoint to the state.
 *
 * @module
 */

import { checkKind } from "../base/check_options.ts";
import type { CheckpointContent, CheckpointExpectation } from "./content.ts";
import {
  BYTE_ORDER,
  CONTAINER_VERSION,
  MAGIC,
  PREAMBLE_LENGTH,
  SectionReader,
  sectionSize,
} from "./sections.ts";
import { unpack } from "./unpack.ts";

/**
 * The content of a checkpoint, every bit of it checked. Its arrays have memory of their own.
 *
 * @param bytes all of the file
 * @param expected what the reader knows: its kind, and the newest schema
 * @throws {SyntaxError} for what is no checkpoint, or one that is truncated, too long, or damaged in any byte
 * @throws {RangeError} for a newer version of the container, and for a newer or older schema than expected
 * @throws {TypeError} for another kind than expected, and for what are no bytes
 *
 * @example Take over what an older version saved
 * ```ts
 * import { decodeCheckpoint, encodeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const bytes = encodeCheckpoint({ kind: "walk", schema: 1, data: { x: 2 } });
 * const { schema, data } = decodeCheckpoint(bytes, { kind: "walk", schema: 2 });
 * assertEquals([schema, data], [1, { x: 2 }]);
 * assertThrows(() => decodeCheckpoint(bytes.subarray(0, -1)), SyntaxError, "it is truncated");
 * ```
 */
export function decodeCheckpoint(
  bytes: Uint8Array,
  expected: CheckpointExpectation = {},
): CheckpointContent {
  return decodeFrom("a checkpoint", bytes, expected);
}

/** The same, with a name for the checkpoint that errors call it by. */
export function decodeFrom(
  name: string,
  bytes: Uint8Array,
  expected: CheckpointExpectation,
): CheckpointContent {
  checkKind(`read ${name}`, "it", bytes, "a Uint8Array", (x) => x instanceof Uint8Array);
  const refuse = (requirement: string, value: string): never => {
    throw new SyntaxError(`Cannot read ${name} as ${requirement}: current value is ${value}`);
  };
  const reader = new SectionReader(bytes, refuse);
  const headerLength = readPreamble(name, bytes, reader, refuse);
  const header = readHeader(reader.take(headerLength, "its header"), refuse);
  assertExpected(name, header, expected);
  const data = unpack(header.data, { take: (...section) => reader.take(...section), refuse });
  reader.end();
  return { kind: header.kind, schema: header.schema, data };
}

type Refuse = (requirement: string, value: string) => never;

/** Checks the preamble; answers with the length of the header. */
function readPreamble(
  name: string,
  bytes: Uint8Array,
  reader: SectionReader,
  refuse: Refuse,
): number {
  const start = bytes.subarray(0, MAGIC.length);
  if (start.some((byte, i) => byte !== MAGIC[i])) {
    refuse(`it must begin with the bytes ${showBytes(MAGIC)} of a checkpoint`, showBytes(start));
  }
  const size = sectionSize(PREAMBLE_LENGTH);
  if (bytes.length < size) {
    refuse(`it must have ${size} bytes and more`, `${bytes.length} bytes: it is truncated`);
  }
  const preamble = reader.take(PREAMBLE_LENGTH, "its preamble");
  const view = new DataView(preamble.buffer, preamble.byteOffset, PREAMBLE_LENGTH);
  const version = view.getUint32(8, true);
  if (version !== CONTAINER_VERSION) {
    throw new RangeError(
      `Cannot read ${name} as the version of its container must be ${CONTAINER_VERSION}: current value is ${version}`,
    );
  }
  const length = Number(view.getBigUint64(16, true));
  if (bytes.length !== length) {
    const fault = bytes.length < length ? "truncated" : "followed by something else";
    refuse(`it must have ${length} bytes`, `${bytes.length} bytes: it is ${fault}`);
  }
  return view.getUint32(12, true);
}

function readHeader(bytes: Uint8Array, refuse: Refuse): CheckpointContent {
  const { byteOrder, kind, schema, data } = parseHeader(bytes, refuse);
  if (byteOrder !== BYTE_ORDER) {
    refuse(`its byte order must be this machine's, ${BYTE_ORDER}`, JSON.stringify(byteOrder));
  }
  if (typeof kind !== "string" || kind === "") {
    return refuse("its kind must be a text", JSON.stringify(kind));
  }
  if (typeof schema !== "number" || !Number.isSafeInteger(schema) || schema < 0) {
    return refuse("its schema must be a whole number from 0 on", JSON.stringify(schema));
  }
  if (data === undefined) refuse("it must have data", "none");
  return { kind, schema, data };
}

function parseHeader(bytes: Uint8Array, refuse: Refuse): Readonly<Record<string, unknown>> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    refuse("its header must be JSON in UTF-8", (error as Error).message);
  }
  if (typeof header !== "object" || header === null) {
    return refuse("its header must be an object", JSON.stringify(header));
  }
  return header as Readonly<Record<string, unknown>>;
}

function assertExpected(
  name: string,
  { kind, schema }: CheckpointContent,
  expected: CheckpointExpectation,
): void {
  if (expected.kind !== undefined && kind !== expected.kind) {
    throw new TypeError(
      `Cannot read ${name} as its kind must be ${JSON.stringify(expected.kind)}: current value is ${
        JSON.stringify(kind)
      }`,
    );
  }
  if (expected.schema !== undefined && !(schema <= expected.schema)) {
    throw new RangeError(
      `Cannot read ${name} as its schema must be at most ${expected.schema}, the newest known here: current value is ${schema}`,
    );
  }
  if (expected.oldest !== undefined && !(schema >= expected.oldest)) {
    throw new RangeError(
      `Cannot read ${name} as its schema must be at least ${expected.oldest}, the oldest known here: current value is ` +
        `${schema}, which an older version of Hooke wrote`,
    );
  }
}

/** Returns bytes in hexadecimal. */
function showBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
