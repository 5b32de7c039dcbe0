/**
 * Events of TensorBoard: numbers and histograms of one step, as messages of protocol buffers.
 *
 * @module
 */

import { fieldsOf, type MessageField, MessageWriter, numberIn } from "./protobuf_fields.ts";

/** Numbers of the fields of messages, from `event.proto` and `summary.proto` of TensorBoard. */
const EVENT = { wallTime: 1, step: 2, fileVersion: 3, summary: 5 } as const;
const SUMMARY = { value: 1 } as const;
const VALUE = { tag: 1, simpleValue: 2, histogram: 5 } as const;
const HISTOGRAM = { min: 1, max: 2, num: 3, sum: 4, sumSquares: 5, limits: 6, counts: 7 } as const;
/** Version text in the first record of every file. */
export const FILE_VERSION = "brain.Event:2";

/** Histogram of numbers. */
export interface TensorBoardHistogram {
  /** Smallest number. */
  readonly min: number;
  /** Largest number. */
  readonly max: number;
  /** Count of the numbers. */
  readonly count: number;
  /** Sum of the numbers. */
  readonly sum: number;
  /** Sum of the squares of the numbers. */
  readonly sumOfSquares: number;
  /** Upper limit of each range. A range begins at the limit of the previous range, the first at `min`. */
  readonly limits: readonly number[];
  /** Count of the numbers in each range. */
  readonly counts: readonly number[];
}

/** Numbers and histograms of one step. */
export interface TensorBoardEvent {
  /** Number of steps done. */
  readonly step: number;
  /** Time of writing in s since 1970. */
  readonly wallTime: number;
  /** Numbers by tag, rounded to float32. */
  readonly scalars: Readonly<Record<string, number>>;
  /** Histograms by tag. */
  readonly histograms: Readonly<Record<string, TensorBoardHistogram>>;
}

/** Returns the first message of a file. */
export function versionMessage(wallTime: number): Uint8Array<ArrayBuffer> {
  return new MessageWriter().double(EVENT.wallTime, wallTime).text(EVENT.fileVersion, FILE_VERSION)
    .done();
}

/** Returns the message of an event. */
export function eventMessage(event: TensorBoardEvent): Uint8Array<ArrayBuffer> {
  const summary = new MessageWriter();
  for (const [tag, value] of Object.entries(event.scalars)) {
    const message = new MessageWriter().text(VALUE.tag, tag).float(VALUE.simpleValue, value);
    summary.bytes(SUMMARY.value, message.done());
  }
  for (const [tag, histogram] of Object.entries(event.histograms)) {
    const message = new MessageWriter().text(VALUE.tag, tag)
      .bytes(VALUE.histogram, histogramMessage(histogram));
    summary.bytes(SUMMARY.value, message.done());
  }
  return new MessageWriter().double(EVENT.wallTime, event.wallTime).int(EVENT.step, event.step)
    .bytes(EVENT.summary, summary.done()).done();
}

function histogramMessage(histogram: TensorBoardHistogram): Uint8Array {
  const { min, max, count, sum, sumOfSquares, limits, counts } = histogram;
  return new MessageWriter()
    .double(HISTOGRAM.min, min).double(HISTOGRAM.max, max).double(HISTOGRAM.num, count)
    .double(HISTOGRAM.sum, sum).double(HISTOGRAM.sumSquares, sumOfSquares)
    .doubles(HISTOGRAM.limits, limits).doubles(HISTOGRAM.counts, counts).done();
}

/**
 * Reads an event from a message. `version` is the version of the file if this is its first message, otherwise
 * `undefined`. `refuse` throws an error with the requirement that the message does not meet.
 */
export function readEvent(
  message: Uint8Array,
  refuse: (requirement: string) => never,
): TensorBoardEvent & { readonly version: string | undefined } {
  const fields = fieldsOf(message, refuse);
  const version = lastOf(fields, EVENT.fileVersion, "bytes", refuse);
  const scalars: Record<string, number> = {}, histograms: Record<string, TensorBoardHistogram> = {};
  for (const { field, bytes } of fields) {
    if (field !== EVENT.summary || bytes === undefined) continue;
    for (const value of fieldsOf(bytes, refuse)) {
      if (value.field !== SUMMARY.value || value.bytes === undefined) continue;
      readValue(value.bytes, refuse, { scalars, histograms });
    }
  }
  const step = Number(BigInt.asIntN(64, lastOf(fields, EVENT.step, "int", refuse)?.int ?? 0n));
  const wallTime = doubleOf(fields, EVENT.wallTime, refuse);
  return {
    step,
    wallTime,
    scalars,
    histograms,
    version: version && textIn(version.bytes!, refuse),
  };
}

/**
 * Reads a value, and adds it to `scalars` or `histograms` under its tag. Values of other kinds (pictures, texts) are
 * skipped.
 */
function readValue(
  message: Uint8Array,
  refuse: (requirement: string) => never,
  { scalars, histograms }: {
    readonly scalars: Record<string, number>;
    readonly histograms: Record<string, TensorBoardHistogram>;
  },
): void {
  const fields = fieldsOf(message, refuse);
  const tag = lastOf(fields, VALUE.tag, "bytes", refuse);
  const scalar = lastOf(fields, VALUE.simpleValue, "float", refuse);
  const histogram = lastOf(fields, VALUE.histogram, "bytes", refuse);
  if (scalar === undefined && histogram === undefined) return;
  const name = tag === undefined
    ? refuse("each value must have a tag")
    : textIn(tag.bytes!, refuse);
  const isOwn = { enumerable: true, configurable: true, writable: true }; // "__proto__" is a valid tag
  if (scalar !== undefined) {
    Object.defineProperty(scalars, name, { value: numberIn(scalar.bytes!), ...isOwn });
  }
  if (histogram !== undefined) {
    const value = readHistogram(histogram.bytes!, refuse);
    Object.defineProperty(histograms, name, { value, ...isOwn });
  }
}

function readHistogram(
  message: Uint8Array,
  refuse: (requirement: string) => never,
): TensorBoardHistogram {
  const fields = fieldsOf(message, refuse);
  const limits = doublesOf(fields, HISTOGRAM.limits, refuse);
  const counts = doublesOf(fields, HISTOGRAM.counts, refuse);
  if (limits.length !== counts.length) {
    refuse(
      `a histogram must have a count for each of ${limits.length} limits; got ${counts.length}`,
    );
  }
  return {
    min: doubleOf(fields, HISTOGRAM.min, refuse),
    max: doubleOf(fields, HISTOGRAM.max, refuse),
    count: doubleOf(fields, HISTOGRAM.num, refuse),
    sum: doubleOf(fields, HISTOGRAM.sum, refuse),
    sumOfSquares: doubleOf(fields, HISTOGRAM.sumSquares, refuse),
    limits,
    counts,
  };
}

function lastOf(
  fields: readonly MessageField[],
  field: number,
  type: MessageField["type"],
  refuse: (requirement: string) => never,
): MessageField | undefined {
  const found = fields.findLast((each) => each.field === field);
  if (found === undefined || found.type === type) return found;
  return refuse(`field ${field} must be of type ${type}; got ${found.type}`);
}

function doubleOf(
  fields: readonly MessageField[],
  field: number,
  refuse: (requirement: string) => never,
): number {
  const found = lastOf(fields, field, "double", refuse);
  return found === undefined ? 0 : numberIn(found.bytes!);
}

/** Returns the numbers of a field, which may be packed or repeated. */
function doublesOf(
  fields: readonly MessageField[],
  field: number,
  refuse: (requirement: string) => never,
): number[] {
  return fields.filter((each) => each.field === field).flatMap(({ type, bytes }) => {
    const isList = bytes !== undefined && type !== "float" && bytes.length % 8 === 0;
    if (!isList) return refuse(`field ${field} must be numbers of eight bytes`);
    return Array.from(
      { length: bytes.length / 8 },
      (_, i) => numberIn(bytes.subarray(8 * i, 8 * i + 8)),
    );
  });
}

function textIn(bytes: Uint8Array, refuse: (requirement: string) => never): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("its texts must be UTF-8");
  }
}
