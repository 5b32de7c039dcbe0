/**
 * Extended XYZ as a format of files to which frames are appended.
 *
 * @module
 */

import { reasonOf } from "../../base/show.ts";
import { readPairs } from "../../batch/extxyz/comment.ts";
import { bad } from "../../batch/extxyz/lines.ts";
import { readExtxyz } from "../../batch/extxyz/read.ts";
import { type ExtxyzOptions, frameOf, type FrameText } from "../../batch/extxyz/write.ts";
import { BUILT_IN, isInteger, MOVE_MASK } from "../../batch/fields/fields.ts";
import type { Field } from "../../batch/store.ts";
import { storeOf, type System, systemOf } from "../../batch/system.ts";
import { asDeclared, DECLARED, readDeclared, writeDeclared } from "../declared_fields.ts";
import type { Stamp } from "../slice.ts";
import { isAsWritten, NO_SUM, sumOfBytes } from "../text_sum.ts";
import type { RecordSum, TextFormat } from "../text/text_format.ts";

/** Beginnings of the comments of all frames that Hooke writes. */
const BEGINNINGS: readonly string[] = ['Lattice="', "Properties="];

/** Returns the format of extended XYZ with a key that declares the custom fields. */
export function extxyzFormat(options: ExtxyzOptions): TextFormat<System> {
  return {
    startBytes: 256,
    linesAfter,
    isUnfinished,
    header: () => "",
    isWithin,
    encode: (system, from) => summed(frameOf(declared(system), options), from),
    decode,
    sumOf,
    stamp,
  };
}

/**
 * Key of the checksum, at the end of a comment. The `x` prevents readers from taking the digits for a number.
 */
const SUM = " hooke_crc32c=x";
const SUM_IN = / hooke_crc32c=x[0-9a-f]{8}(?= |$)/m;
const ENDS_WITH_SUM = / hooke_crc32c=x[0-9a-f]{8}$/;
/** Key of the index, from 0, of the frame from which on all frames have checksums. */
const FROM = " hooke_sums_from=";
const FROM_IN = / hooke_sums_from=(\d{1,15})(?!\d)/m; // any character may follow: a damaged space must not hide the key
/** Names of both keys, which are not part of the `info` of a system. */
const MARKS: readonly string[] = ["hooke_crc32c", "hooke_sums_from"];

const encoder = new TextEncoder();
/** Room for the bytes of a frame. It grows with the largest frame. */
let room = new Uint8Array(1 << 16);

/** Returns a frame with its checksum at the end of its comment. */
function summed({ head, rows }: FrameText, from: number): Uint8Array {
  const begin = `${head.slice(0, -1)}${FROM}${from}${SUM}${NO_SUM}\n`;
  const most = 3 * begin.length + rows.length; // a comment may have characters of 3 bytes, but the rows are ASCII
  if (room.length < most) room = new Uint8Array(2 * most);
  const { written: above } = encoder.encodeInto(begin, room);
  const { written: below } = encoder.encodeInto(rows, room.subarray(above));
  const frame = room.slice(0, above + below);
  encoder.encodeInto(sumOfBytes(frame), frame.subarray(above - 1 - NO_SUM.length));
  return frame;
}

function sumOf(text: string): RecordSum {
  const frame = `${text.trimEnd()}\n`, comment = frame.slice(0, endOfComment(frame));
  const at = comment.lastIndexOf(SUM), from = FROM_IN.exec(comment)?.[1];
  return {
    isRight: isAsWritten(frame, at === -1 ? undefined : at + SUM.length),
    from: from === undefined ? undefined : Number(from),
  };
}

function endOfComment(frame: string): number {
  return frame.indexOf("\n", frame.indexOf("\n") + 1);
}

function linesAfter(start: string, line: number): number {
  if (start.trim() === "") return -1;
  if (/^\s*0*[1-9]\d{0,9}\s*$/.test(start)) return Number(start) + 1;
  throw bad("a frame must begin with its number of atoms, 1 or more", line, start);
}

/**
 * Returns whether a text may be the unfinished last frame of Hooke. A frame with rows must have a `systemId`, because
 * a last frame of another program that only lacks its newline must not be removed.
 */
function isUnfinished(text: string): boolean {
  const [count = "", comment, ...rows] = text.split("\n");
  if (!/^[1-9]\d*$/.test(count)) return false;
  if (comment === undefined) return true;
  if (rows.length > 0) {
    // If the frame is complete with as many atoms as it has rows, its number of atoms is damaged.
    const whole = `${rows.length - 1}${text.slice(count.length)}`;
    return /(^| )systemId=\d/.test(comment) && !(text.endsWith("\n") && sumOf(whole).isRight);
  }
  return BEGINNINGS.some((begin) => comment.startsWith(begin) || begin.startsWith(comment));
}

/**
 * Returns whether a complete line can be part of an unfinished frame of Hooke. If not, the file is damaged.
 */
function isWithin(line: string, comment: string | undefined): boolean {
  if (comment === undefined) return ENDS_WITH_SUM.test(line);
  if (/^\s*\d+\s*$/.test(line)) return false; // another frame begins here
  const properties = /(?:^| )Properties=(\S+)/.exec(comment)?.[1]?.split(":") ?? [];
  const columns = properties.reduce((sum, text, i) => i % 3 === 2 ? sum + Number(text) : sum, 0);
  return line.split(/\s+/).length === columns; // in a longer line, the newline between two rows is damaged
}

/**
 * Returns a system with the declarations of its fields, and without the checksums of a file that it was read
 * from.
 */
function declared(system: System): System {
  const text = writeDeclared(system.fields());
  const isMarked = MARKS.some((key) => key in system.info);
  if (text === "" && !isMarked) return system;
  const info = Object.entries(system.info).filter(([key]) => !MARKS.includes(key));
  if (text !== "") info.push([DECLARED, text]);
  return systemOf({ ...storeOf(system), infos: [Object.fromEntries(info)] });
}

function decode(text: string, line: number): System {
  return restored(parsed(text.replace(SUM_IN, "").replace(FROM_IN, ""), line), line);
}

/** Parses a frame. Errors count lines from the beginning of the file. */
function parsed(text: string, line: number): System {
  try {
    return firstOf(readExtxyz(text));
  } catch (error) {
    if (line === 1) throw error;
  }
  return firstOf(readExtxyz(blanksBefore(text, line)));
}

/** Returns the first frame, after all have been read: a text of more than one frame is checked to its end. */
function firstOf(frames: Iterable<System>): System {
  const [first] = frames;
  return first!;
}

function* blanksBefore(text: string, line: number): Generator<string, void> {
  for (let i = 1; i < line; i++) yield "";
  yield* text.split(/\r?\n/);
}

/** Restores the custom fields. The format itself keeps neither their dtypes nor fields per system. */
function restored(system: System, line: number): System {
  if (!(DECLARED in system.info)) return filled(system);
  const { [DECLARED]: text, ...rest } = system.info;
  const info: Record<string, unknown> = rest;
  const store = storeOf(system);
  const fields = new Map<string, Field>(store.fields);
  try {
    for (const field of readDeclared(text)) {
      if (field.level === "edge") continue;
      const { name } = field;
      const values = field.level === "node" ? fields.get(name)?.values : info[name];
      const rows = field.level === "node" ? system.nodeCount : 1;
      fields.set(name, { info: field, values: asDeclared(values, field, rows) });
      if (field.level === "system") delete info[name];
    }
  } catch (cause) {
    throw new SyntaxError(
      `Cannot read extxyz: the fields in line ${line + 1} do not match their declaration: ${
        reasonOf(cause)
      }`,
      { cause },
    );
  }
  return systemOf({ ...store, fields, infos: [info] });
}

/**
 * Gives integer fields of other programs a fill value, so that frames with and without them can be joined: 0,
 * or 1 for `move_mask`, whose atoms are movable by default.
 */
function filled(system: System): System {
  const store = storeOf(system);
  const fields = Array.from(store.fields, ([name, { info, values }]): [string, Field] => {
    const fill = info.fill ?? (name === MOVE_MASK ? 1 : isInteger(info.dtype) ? 0 : NaN);
    return [name, { info: BUILT_IN.get(name) ?? { ...info, fill }, values }];
  });
  return systemOf({ ...store, fields: new Map(fields) });
}

/** Reads the stamp from the comment alone. Errors in the comment are reported when the frame is read. */
function stamp(text: string): Stamp {
  let pairs: ReadonlyMap<string, unknown> = new Map();
  try {
    pairs = readPairs(text.trimStart().split("\n", 2)[1] ?? "");
  } catch { /* a comment that is not a list of keys has no stamp */ }
  const get = (key: string) => {
    const value = pairs.get(key);
    return typeof value === "number" ? value : undefined;
  };
  return { step: get("step"), time: get("time"), system: get("sourceId") ?? get("systemId") };
}
