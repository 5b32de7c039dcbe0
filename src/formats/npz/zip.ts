/**
 * Zip archives, as far as NumPy uses them.
 *
 * @module
 */

import { ByteReader, ByteWriter } from "../bytes.ts";
import type { StructureSource } from "../source.ts";
import { inflate } from "./inflate.ts";

/** Signatures of a file's header, of its entry in the directory, and of the directory's end. */
const LOCAL = 0x04034b50, ENTRY = 0x02014b50, END = 0x06054b50;

/** Longest end of an archive: 22 bytes and a comment. */
const LONGEST_END = 22 + 65535;

/** A file of an archive. */
interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly length: number;
  readonly checksum: number;
  readonly at: number;
}

/** Returns the files of an archive by name. Each is decompressed when its function is called. */
export function readZip(source: StructureSource): Map<string, () => Uint8Array<ArrayBuffer>> {
  const reader = new ByteReader(source, "a zip archive (.npz)", { littleEndian: true });
  return new Map(
    entriesOf(source, reader).map((entry) => [entry.name, () => contentsOf(entry, reader)]),
  );
}

function entriesOf(source: StructureSource, reader: ByteReader): Entry[] {
  const start = Math.max(0, source.size - LONGEST_END);
  const tail = source.bytes(start, source.size - start), view = new DataView(tail.buffer);
  let end = tail.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw reader.error("the file must end with the directory of a zip archive");
  const count = view.getUint16(end + 10, true);
  reader.at = view.getUint32(end + 16, true);
  return Array.from({ length: count }, () => readEntry(reader));
}

function readEntry(reader: ByteReader): Entry {
  const view = new DataView(reader.take(46).buffer);
  if (view.getUint32(0, true) !== ENTRY) {
    throw reader.error("the directory of the archive is damaged");
  }
  const [nameLength, extra, comment] = [28, 30, 32].map((at) => view.getUint16(at, true));
  const name = new TextDecoder().decode(reader.take(nameLength!));
  reader.take(extra! + comment!);
  const [checksum, packed, length] = [16, 20, 24].map((at) => view.getUint32(at, true));
  if (packed === 0xffffffff || length === 0xffffffff) {
    throw reader.error(`${name} is larger than 4 GiB, which is not supported`);
  }
  return {
    name,
    method: view.getUint16(10, true),
    packed: packed!,
    length: length!,
    checksum: checksum!,
    at: view.getUint32(42, true),
  };
}

function contentsOf(entry: Entry, reader: ByteReader): Uint8Array<ArrayBuffer> {
  reader.at = entry.at;
  const header = new DataView(reader.take(30).buffer);
  if (header.getUint32(0, true) !== LOCAL) throw reader.error(`${entry.name} is damaged`);
  reader.take(header.getUint16(26, true) + header.getUint16(28, true));
  const packed = reader.take(entry.packed);
  if (entry.method !== 0 && entry.method !== 8) {
    throw reader.error(`${entry.name} has the compression ${entry.method}, which is not supported`);
  }
  const bytes = entry.method === 0 ? packed : inflate(packed, entry.length);
  if (crc32(bytes) !== entry.checksum) throw reader.error(`the checksum of ${entry.name} is wrong`);
  return bytes;
}

/** Returns an archive of files that are not compressed. */
export function writeZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter({ littleEndian: true }),
    directory = new ByteWriter({ littleEndian: true });
  for (const [name, bytes] of files) {
    const encoded = new TextEncoder().encode(name), at = out.length, checksum = crc32(bytes);
    out.i32(LOCAL);
    addFacts(out, { checksum, size: bytes.length, name: encoded.length });
    out.bytes(encoded);
    out.bytes(bytes);
    directory.i32(ENTRY);
    directory.bytes([20, 0]);
    addFacts(directory, { checksum, size: bytes.length, name: encoded.length });
    directory.bytes(new Uint8Array(10)); // no comment, first disk, no attributes
    directory.i32(at);
    directory.bytes(encoded);
  }
  const start = out.length, end = new DataView(new ArrayBuffer(22));
  out.bytes(directory.all());
  if (out.length > 0xfffffff0) {
    throw new RangeError("Cannot write .npz: the file would be larger than 4 GiB");
  }
  end.setUint32(0, END, true);
  end.setUint16(8, files.size, true);
  end.setUint16(10, files.size, true);
  end.setUint32(12, directory.length, true);
  end.setUint32(16, start, true);
  out.bytes(new Uint8Array(end.buffer));
  return out.all();
}

/** Writes version, flags, method, time (1 January 1980), checksum, both sizes, and the lengths of name and extra. */
function addFacts(
  out: ByteWriter,
  { checksum, size, name }: {
    readonly checksum: number;
    readonly size: number;
    readonly name: number;
  },
): void {
  out.bytes([20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]);
  for (const value of [checksum, size, size]) out.i32(value | 0);
  out.bytes([name & 255, name >> 8, 0, 0]);
}

const CRC_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = CRC_TABLE[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
