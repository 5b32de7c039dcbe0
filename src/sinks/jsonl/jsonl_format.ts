/**
 * Lines of JSON: one object per system.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import {
  BUILT_IN,
  type FieldInfo,
  type NumericArray,
  REQUIRED_FIELDS,
} from "../../batch/fields/fields.ts";
import type { NumericInput } from "../../batch/fields/field_values.ts";
import { reasonOf, show } from "../../base/show.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import type { SystemInput, UserField } from "../../batch/system_input.ts";
import type { Stamp } from "../slice.ts";
import { numberOf, numberText, readTagged, writeTagged } from "../tagged_json.ts";
import { isAsWritten, withSum } from "../text_sum.ts";
import type { RecordSum, TextFormat } from "../text/text_format.ts";

/** The version that is written, and the newest that is read. */
const VERSION = 1;
/** Text before the checksum, at the end of a line. */
const SUM = ',"crc32c":"';
/** Text before the index, from 0, of the line from which on all lines have checksums. */
const FROM = ',"sumsFrom":';
const FROM_IN = /^,"sumsFrom":(\d{1,15})[,}]/;
const BEGIN = '{"hooke":';
/** Matches two lines whose newline was lost. */
const MERGED = /"\}\s*\{"hooke":/;

/**
 * Fields that a slice selects by. They are written first, so that they are found without parsing the line.
 */
const FIRST: readonly string[] = ["systemId", "step", "time", "sourceId"];
const STAMP =
  /^\{"hooke":\d+(?:,"systemId":(\d+))?(?:,"step":(-?\d+))?(?:,"time":("NaN"|[-+\d.e]+))?(?:,"sourceId":(-?\d+))?,/;

/** Keys of a line that are not fields. A field with such a name is stored with a `$` before it. */
const RESERVED: readonly string[] = ["hooke", "fields", "info", "sumsFrom", "crc32c"];

/** Lines of JSON with every field of a system and its `info`. */
export const JSONL_FORMAT: TextFormat<System> = {
  startBytes: 64,
  linesAfter,
  isUnfinished: (text) => (text.startsWith(BEGIN) || BEGIN.startsWith(text)) && !MERGED.test(text),
  header: () => "",
  encode,
  decode,
  sumOf,
  stamp,
};

function linesAfter(start: string, line: number): number {
  if (start.trim() === "") return -1;
  const version = /^\{"hooke":(\d+)[,}]/.exec(start)?.[1];
  if (version === undefined) {
    throw bad(`each line must begin with ${BEGIN}${VERSION},`, line, JSON.stringify(start));
  }
  if (Number(version) <= VERSION) return 0;
  throw new RangeError(
    `Cannot read JSONL: the version in line ${line} must be ${VERSION} or less; got ${version}. Update Hooke`,
  );
}

function encode(system: System, from: number): string {
  const fields = system.fields();
  const early = FIRST.flatMap((name) => fields.filter((info) => info.name === name));
  const parts = [`${BEGIN}${VERSION}`];
  for (const info of new Set([...early, ...fields])) {
    parts.push(`${JSON.stringify(keyOf(info.name))}:${valuesText(system.get(info.name), info)}`);
  }
  const own = fields.filter(({ name }) => !BUILT_IN.has(name));
  if (own.length > 0) parts.push(`"fields":{${own.map(declarationText).join(",")}}`);
  if (Object.keys(system.info).length > 0) parts.push(`"info":${infoText(system.info)}`);
  return withSum(`${parts.join(",")}${FROM}${from}${SUM}`, '"}\n');
}

function sumOf(text: string): RecordSum {
  const line = text.trimEnd(), at = line.lastIndexOf(SUM);
  const from = FROM_IN.exec(line.slice(line.lastIndexOf(FROM)))?.[1];
  return {
    isRight: isAsWritten(`${line}\n`, at === -1 ? undefined : at + SUM.length),
    from: from === undefined ? undefined : Number(from),
  };
}

/** Returns the values of a field as JSON: a number, a list, or a list of rows. */
function valuesText(values: NumericArray, { level, width }: FieldInfo): string {
  if (level === "system" && width === 1) return numberText(values[0]!);
  if (level === "system" || width === 1) return `[${Array.from(values, numberText).join(",")}]`;
  const rows = Array.from(
    { length: values.length / width },
    (_, row) =>
      `[${Array.from(values.subarray(row * width, row * width + width), numberText).join(",")}]`,
  );
  return `[${rows.join(",")}]`;
}

function declarationText({ name, level, dtype, width, unit, fill }: FieldInfo): string {
  const parts = [`"level":"${level}"`, `"dtype":"${dtype}"`, `"width":${width}`];
  if (unit !== "") parts.push(`"unit":${JSON.stringify(unit)}`);
  if (fill !== undefined) parts.push(`"fill":${numberText(fill)}`);
  return `${JSON.stringify(name)}:{${parts.join(",")}}`;
}

function infoText(info: Readonly<Record<string, unknown>>): string {
  const text = writeTagged(info);
  if (text !== undefined) return text;
  const wrong = Object.keys(info).find((key) => writeTagged(info[key]) === undefined);
  throw new TypeError(
    `info.${wrong} must be plain data to be written as JSONL; got ${show(info[wrong ?? ""])}`,
  );
}

function keyOf(name: string): string {
  return RESERVED.includes(name) || name.startsWith("$") ? `$${name}` : name;
}

function decode(text: string, line: number): System {
  try {
    return systemOfData(describe(JSON.parse(text)));
  } catch (cause) {
    throw new SyntaxError(
      `Cannot read JSONL: line ${line} is not a valid system: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

function describe(line: Record<string, unknown>): SystemInput {
  const { hooke: _, crc32c: _sum, sumsFrom: _from, fields: declared = {}, info = {}, ...values } =
    line;
  if (!isObject(declared) || !isObject(info)) {
    throw new SyntaxError(
      `fields and info must be objects; got ${show(declared)} and ${show(info)}`,
    );
  }
  for (const name of REQUIRED_FIELDS) {
    if (!Object.hasOwn(values, name)) {
      throw new SyntaxError(
        `the line must have ${REQUIRED_FIELDS.join(", ")}; got no ${name}`,
      );
    }
  }
  const input: Record<string, unknown> = { info: readTagged(info) };
  const fields: [string, UserField][] = [];
  for (const [key, value] of Object.entries(values)) {
    const name = key.startsWith("$") ? key.slice(1) : key;
    if (BUILT_IN.has(name)) input[name === "systemId" ? "id" : name] = numbersOf(value, name);
    else fields.push([name, customField(name, value, declared)]);
  }
  const missing = Object.keys(declared).find((name) => !fields.some(([known]) => known === name));
  if (missing !== undefined) {
    throw new SyntaxError(
      `each declared field must have values; got no values of ${show(missing)}`,
    );
  }
  return { ...input, fields: Object.fromEntries(fields) } as unknown as SystemInput;
}

function customField(
  name: string,
  value: unknown,
  declared: Readonly<Record<string, unknown>>,
): UserField {
  const field = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (!isObject(field)) {
    throw new SyntaxError(
      `each key must be a built-in or declared field; got ${show(name)}`,
    );
  }
  const { level, dtype, width, unit = "", fill, ...more } = field;
  const known = { level, dtype, width, unit, values: numbersOf(value, name) };
  if (Object.keys(more).length > 0 || typeof unit !== "string" || width === undefined) {
    throw new SyntaxError(
      `field ${show(name)} must have level, dtype, width, unit, fill; got ${
        show(Object.keys(field))
      }`,
    );
  }
  const number = fill === undefined ? {} : { fill: numbersOf(fill, name) };
  return { ...known, ...number } as UserField;
}

/**
 * Returns a number or lists of numbers, some of which may be written as text, such as "NaN". Throws a SyntaxError for
 * any other value.
 */
function numbersOf(value: unknown, name: string): NumericInput | number {
  if (Array.isArray(value)) return value.map((part) => numbersOf(part, name)) as number[];
  const number = numberOf(value);
  if (number !== undefined) return number;
  throw new SyntaxError(
    `${name} must be numbers; got ${show(value)}`,
  );
}

function stamp(text: string): Stamp {
  const [, system, step, time, source] = STAMP.exec(text) ?? [];
  return { step: count(step), time: count(time), system: count(source) ?? count(system) };
}

function count(word: string | undefined): number | undefined {
  return word === undefined || word === '"NaN"' ? undefined : Number(word);
}

function bad(requirement: string, line: number, current: string): SyntaxError {
  return new SyntaxError(
    `Cannot read JSONL: line ${line}: ${requirement}; got ${current.slice(0, 80)}`,
  );
}
