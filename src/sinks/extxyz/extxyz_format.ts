/**
 * Extended XYZ as a file that is added to.
 *
 * @module
 */

import { readPairs } from "../../batch/extxyz/comment.ts";
import { bad } from "../../batch/extxyz/lines.ts";
import { parseExtxyz } from "../../batch/extxyz/read.ts";
import { type ExtxyzOptions, writeExtxyz } from "../../batch/extxyz/write.ts";
import { BUILT_IN, isInteger } from "../../batch/fields/fields.ts";
import type { Field } from "../../batch/store.ts";
import { storeOf, type System, systemOf } from "../../batch/system.ts";
import { asDeclared, DECLARED, readDeclared, writeDeclared } from "../declared_fields.ts";
import type { Stamp } from "../slice.ts";
import { isAsWritten, withSum } from "../text/record_sum.ts";
import type { TextFormat } from "../text/text_format.ts";

/** What the comments of all our frames begin with. */
const BEGINNINGS: readonly string[] = ['Lattice="', "Properties="];

/** Frames of extended XYZ, with a key that says what one's own fields are. */
export function extxyzFormat(options: ExtxyzOptions): TextFormat<System> {
  return {
    startBytes: 256,
    linesAfter,
    isUnfinished,
    header: () => "",
    encode: (system) => summed(writeExtxyz(declared(system), options)),
    decode,
    isAsWritten: isFrameAsWritten,
    stamp,
  };
}

/** The key of the check sum, at the end of a comment. The `x` keeps digits from being read as a number. */
const SUM = " hooke_crc32c=x";
const SUM_IN = / hooke_crc32c=x[0-9a-f]{8}(?= |$)/m;

function summed(frame: string): string {
  const end = frame.indexOf("\n", frame.indexOf("\n") + 1);
  return withSum(frame.slice(0, end) + SUM, frame.slice(end));
}

function isFrameAsWritten(text: string): boolean | undefined {
  const frame = `${text.trimEnd()}\n`, at = frame.indexOf(SUM);
  return isAsWritten(frame, at === -1 ? undefined : at + SUM.length);
}

function linesAfter(start: string, line: number): number {
  if (start.trim() === "") return -1;
  if (/^\s*0*[1-9]\d{0,9}\s*$/.test(start)) return Number(start) + 1;
  throw bad("a frame must begin with its number of atoms, 1 or more", line, start);
}

/** Ours says which system it is: a last frame of others that only lacks the end of its line is not for us to take. */
function isUnfinished(text: string): boolean {
  const [count = "", comment, ...rows] = text.split("\n");
  if (!/^[1-9]\d*$/.test(count)) return false;
  if (comment === undefined) return true;
  if (rows.length > 0) return /(^| )systemId=\d/.test(comment);
  return BEGINNINGS.some((begin) => comment.startsWith(begin) || begin.startsWith(comment));
}

function declared(system: System): System {
  const text = writeDeclared(system.fields());
  if (text === "") return system;
  const store = storeOf(system);
  return systemOf({ ...store, infos: [{ ...system.info, [DECLARED]: text }] });
}

function decode(text: string, line: number): System {
  return restored(parsed(text.replace(SUM_IN, ""), line), line);
}

/** The line of an error is that of the file. */
function parsed(text: string, line: number): System {
  try {
    return parseExtxyz(text)[0]!;
  } catch (error) {
    if (line === 1) throw error;
  }
  return parseExtxyz(blanksBefore(text, line))[0]!;
}

function* blanksBefore(text: string, line: number): Generator<string, void> {
  for (let i = 1; i < line; i++) yield "";
  yield* text.split(/\r?\n/);
}

/** Fields of one's own as they were: the format itself knows neither their arrays nor fields per system. */
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SyntaxError(
      `Cannot read extxyz as its fields must be those it declares: line ${
        line + 1
      } has others; ${reason}`,
      { cause },
    );
  }
  return systemOf({ ...store, fields, infos: [info] });
}

/** Whole numbers of others stand beside frames without them: as 0, but what nobody fixes moves. */
function filled(system: System): System {
  const store = storeOf(system);
  const fields = Array.from(store.fields, ([name, { info, values }]): [string, Field] => {
    const fill = info.fill ?? (name === "move_mask" ? 1 : isInteger(info.dtype) ? 0 : NaN);
    return [name, { info: BUILT_IN.get(name) ?? { ...info, fill }, values }];
  });
  return systemOf({ ...store, fields: new Map(fields) });
}

/** From the comment alone. What is wrong with it, reading the frame will say. */
function stamp(text: string): Stamp {
  let pairs: ReadonlyMap<string, unknown> = new Map();
  try {
    pairs = readPairs(text.trimStart().split("\n", 2)[1] ?? "");
  } catch { /* a comment that is no list of keys has no stamp */ }
  const get = (key: string) => {
    const value = pairs.get(key);
    return typeof value === "number" ? value : undefined;
  };
  return { step: get("step"), time: get("time"), system: get("sourceId") ?? get("systemId") };
}
