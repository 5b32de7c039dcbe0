/**
 * Decoding of checkpoints: from the bytes of a file to a state.
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
 * Decodes a checkpoint, and verifies the checksums of all its bytes. The arrays of the result are copies, which do
 * not refer to `bytes`.
 *
 * @param bytes the whole file
 * @param expected kind and schemas that the caller can restore
 * @throws {SyntaxError} if the bytes are not a checkpoint, or if it is truncated, too long or damaged
 * @throws {RangeError} if the version of the container is not supported, or the schema is newer or older than
 * expected
 * @throws {TypeError} if the kind differs from the expected one, or `bytes` is not a Uint8Array
 *
 * @example Read the state of an older version
 * ```ts
 * import { decodeCheckpoint, encodeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const bytes = encodeCheckpoint({ kind: "walk", schema: 1, data: { x: 2 } });
 * const { schema, data } = decodeCheckpoint(bytes, { kind: "walk", schema: 2 });
 * assertEquals([schema, data], [1, { x: 2 }]);
 * assertThrows(() => decodeCheckpoint(bytes.subarray(0, -1)), SyntaxError, "the file is truncated");
 * ```
 */
export function decodeCheckpoint(
  bytes: Uint8Array,
  expected: CheckpointExpectation = {},
): CheckpointContent {
  return decodeFrom("a checkpoint", bytes, expected);
}

/** Decodes as {@linkcode decodeCheckpoint} does. Error messages call the checkpoint `name`. */
export function decodeFrom(
  name: string,
  bytes: Uint8Array,
  expected: CheckpointExpectation,
): CheckpointContent {
  checkKind(`read ${name}`, "it", bytes, "a Uint8Array", (x) => x instanceof Uint8Array);
  const refuse = (requirement: string, value: string): never => {
    throw new SyntaxError(`Cannot read ${name}: ${requirement}; got ${value}`);
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

/** Checks the preamble, and returns the length of the header in bytes. */
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
    refuse(
      `it must have at least ${size} bytes`,
      `${bytes.length} bytes, because the file is truncated`,
    );
  }
  const preamble = reader.take(PREAMBLE_LENGTH, "its preamble");
  const view = new DataView(preamble.buffer, preamble.byteOffset, PREAMBLE_LENGTH);
  const version = view.getUint32(8, true);
  if (version !== CONTAINER_VERSION) {
    throw new RangeError(
      `Cannot read ${name}: the version of its container must be ${CONTAINER_VERSION}; got ${version}`,
    );
  }
  const length = Number(view.getBigUint64(16, true));
  if (bytes.length !== length) {
    const fault = bytes.length < length ? "truncated" : "followed by other data";
    refuse(`it must have ${length} bytes`, `${bytes.length} bytes, because the file is ${fault}`);
  }
  return view.getUint32(12, true);
}

function readHeader(bytes: Uint8Array, refuse: Refuse): CheckpointContent {
  const { byteOrder, kind, schema, data } = parseHeader(bytes, refuse);
  if (byteOrder !== BYTE_ORDER) {
    refuse(`its byte order must be ${BYTE_ORDER}, that of this machine`, JSON.stringify(byteOrder));
  }
  if (typeof kind !== "string" || kind === "") {
    return refuse("its kind must be a non-empty string", JSON.stringify(kind));
  }
  if (typeof schema !== "number" || !Number.isSafeInteger(schema) || schema < 0) {
    return refuse("its schema must be a non-negative integer", JSON.stringify(schema));
  }
  if (data === undefined) refuse("its header must have a member data", "a header without it");
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
      `Cannot read ${name}: its kind must be ${JSON.stringify(expected.kind)}; got ${
        JSON.stringify(kind)
      }`,
    );
  }
  if (expected.schema !== undefined && !(schema <= expected.schema)) {
    throw new RangeError(
      `Cannot read ${name}: its schema must be at most ${expected.schema}, the newest supported; got ${schema}. Update Hooke`,
    );
  }
  if (expected.oldest !== undefined && !(schema >= expected.oldest)) {
    throw new RangeError(
      `Cannot read ${name}: its schema must be at least ${expected.oldest}, the oldest supported; got ` +
        `${schema}. Load it with the older version of Hooke that wrote it`,
    );
  }
}

/** Formats bytes as two-digit hexadecimal numbers with spaces between them. */
function showBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
