/**
 * Binary form of frames: a length, a header as JSON, and the arrays after it.
 *
 * @module
 */

import type { ViewerFrame } from "./protocol.ts";

/** Arrays begin at multiples of this number of bytes, so that they can be viewed in place. */
const ALIGNMENT = 4;

/** Largest header, bytes. Labels and names of fields fit many times. */
const MAX_HEADER = 1 << 20;

interface Header {
  readonly atoms: number;
  readonly step?: number;
  readonly label?: string;
  readonly cell?: boolean;
  readonly pbc?: readonly [boolean, boolean, boolean];
  readonly further?: readonly string[];
  /** Name and components per atom of each field, in their order. */
  readonly fields: readonly (readonly [name: string, components: number])[];
}

/** Returns the bytes of a frame, little-endian as all platforms that run this package. */
export function encodeFrame(frame: ViewerFrame): Uint8Array<ArrayBuffer> {
  const fields = Object.entries(frame.fields ?? {});
  const header: Header = {
    atoms: frame.numbers.length,
    ...(frame.step === undefined ? {} : { step: frame.step }),
    ...(frame.label === undefined ? {} : { label: frame.label }),
    ...(frame.cell === undefined ? {} : { cell: true }),
    ...(frame.pbc === undefined ? {} : { pbc: frame.pbc }),
    ...(frame.further === undefined ? {} : { further: frame.further }),
    fields: fields.map(([name, values]) => [name, values.length / frame.numbers.length]),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const parts = [
    ...(frame.cell === undefined ? [] : [frame.cell]),
    frame.positions,
    ...fields.map(([, values]) => values),
    frame.numbers,
  ];
  const start = aligned(ALIGNMENT + text.length);
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, start));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, ALIGNMENT);
  let offset = start;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), offset);
    offset += part.byteLength;
  }
  return bytes;
}

/** Reads a frame. Throws a SyntaxError if the bytes are not those of a frame. */
export function decodeFrame(bytes: Uint8Array<ArrayBuffer>): ViewerFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < ALIGNMENT ? Infinity : view.getUint32(0, true);
  if (length > MAX_HEADER || ALIGNMENT + length > bytes.length) throw notAFrame(bytes);
  const { atoms, step, label, cell, pbc, further, fields } = headerOf(
    bytes.subarray(ALIGNMENT, ALIGNMENT + length),
  );
  let offset = aligned(ALIGNMENT + length);
  const take = (count: number): Float32Array => {
    if (!(offset + count * 4 <= bytes.length)) throw notAFrame(bytes);
    const values = new Float32Array(bytes.slice(offset, offset + count * 4).buffer);
    offset += count * 4;
    return values;
  };
  const cellValues = cell ? take(9) : undefined;
  const positions = take(3 * atoms);
  const values = Object.fromEntries(fields.map(([name, size]) => [name, take(size * atoms)]));
  if (offset + atoms !== bytes.length) throw notAFrame(bytes);
  return {
    numbers: bytes.slice(offset),
    positions,
    fields: values,
    ...(step === undefined ? {} : { step }),
    ...(label === undefined ? {} : { label }),
    ...(cellValues === undefined ? {} : { cell: cellValues }),
    ...(pbc === undefined ? {} : { pbc }),
    ...(further === undefined ? {} : { further }),
  };
}

function headerOf(bytes: Uint8Array): Header {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Header;
  } catch (cause) {
    throw new SyntaxError("Cannot read a frame: its header is damaged", { cause });
  }
}

function notAFrame({ length }: Uint8Array): SyntaxError {
  return new SyntaxError(`Cannot read a frame: ${length} bytes do not match its header`);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
