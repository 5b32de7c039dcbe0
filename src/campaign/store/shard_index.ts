/**
 * Indices of shards: an entry of 64 bytes for each record. An index can be lost: a reader then reads the shard.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";
import { type ItemStatus, type ResultRecord, STATUSES } from "./result.ts";

/** A record in a shard, as the index has it. */
export interface IndexEntry {
  /** Id of the item, 64 hexadecimal digits. */
  readonly id: string;
  readonly status: ItemStatus;
  /** Potential energy, eV; NaN after a failure. */
  readonly energy: number;
  /** Offset of the record in its shard, bytes. */
  readonly offset: number;
  /** Length of the record, bytes. */
  readonly length: number;
  /** CRC-32C of the record. */
  readonly sum: number;
}

/** Number of bytes of an entry. */
export const ENTRY_BYTES = 64;
const SUM_AT = 60;

/** Returns the entry of a record at an offset. */
export function entryOf({ id, status, energy, bytes }: ResultRecord, offset: number): IndexEntry {
  return { id, status, energy, offset, length: bytes.length, sum: crc32c(bytes) };
}

/** Returns the bytes of entries. */
export function encodeEntries(entries: readonly IndexEntry[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(ENTRY_BYTES * entries.length), view = new DataView(bytes.buffer);
  for (const [i, { id, status, energy, offset, length, sum }] of entries.entries()) {
    const at = ENTRY_BYTES * i;
    for (let k = 0; k < 32; k++) bytes[at + k] = parseInt(id.slice(2 * k, 2 * k + 2), 16);
    view.setFloat64(at + 32, offset, true);
    view.setFloat64(at + 40, energy, true);
    view.setUint32(at + 48, length, true);
    view.setUint32(at + 52, STATUSES.indexOf(status), true);
    view.setUint32(at + 56, sum, true);
    view.setUint32(at + SUM_AT, crc32c(bytes.subarray(at, at + SUM_AT)), true);
  }
  return bytes;
}

const DIGITS = new TextEncoder().encode("0123456789abcdef");

/**
 * Returns the entries in the bytes of an index, up to the first one that is unfinished, damaged or out of order. `from`
 * is the offset in the shard at which the first entry must begin.
 */
export function decodeEntries(bytes: Uint8Array<ArrayBuffer>, from: number): IndexEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: IndexEntry[] = [], ids = idsIn(bytes);
  let end = from;
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const status = STATUSES[view.getUint32(at + 52, true)];
    const offset = view.getFloat64(at + 32, true), length = view.getUint32(at + 48, true);
    const isWhole = view.getUint32(at + SUM_AT, true) === crc32c(bytes.subarray(at, at + SUM_AT));
    if (!isWhole || status === undefined || offset !== end) break;
    const id = ids.slice(at, at + ENTRY_BYTES);
    const energy = view.getFloat64(at + 40, true), sum = view.getUint32(at + 56, true);
    entries.push({ id, status, energy, offset, length, sum });
    end = offset + length;
  }
  return entries;
}

/** Returns the ids of all entries as one text: an id has as many digits as an entry has bytes. */
function idsIn(bytes: Uint8Array): string {
  const digits = new Uint8Array(bytes.length);
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    for (let k = 0; k < 32; k++) {
      const byte = bytes[at + k]!;
      digits[at + 2 * k] = DIGITS[byte >> 4]!;
      digits[at + 2 * k + 1] = DIGITS[byte & 15]!;
    }
  }
  return new TextDecoder("latin1").decode(digits);
}
