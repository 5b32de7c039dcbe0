/**
 * What a door must know of a model before it lets it in: whether the file is whole, which operators it needs, and
 * which other files its weights are in. Read from the wire, without decoding anything else, so that a model can be
 * opened without a codec.
 *
 * @module
 */

/** A tensor whose numbers are in another file. */
export interface ExternalTensor {
  /** Its name. */
  readonly name: string;
  /** The file, relative to the model's. */
  readonly location: string;
  /** Where its numbers end in that file, if the model says. Bytes. */
  readonly end: number | undefined;
}

/** An operator a model uses. */
export interface OperatorUse {
  /** Its name, with its domain unless that is ONNX's own. */
  readonly operator: string;
  /** How often. */
  readonly count: number;
  /** The name of the first node of it, if it has one, or else of what that node gives. */
  readonly first: string;
}

/** What {@linkcode outlineModel} finds. */
export interface ModelOutline {
  /** Domain → version of its operators; ONNX's own domain is "". */
  readonly opsets: ReadonlyMap<string, number>;
  /** The operators, subgraphs included. */
  readonly operators: ReadonlyMap<string, OperatorUse>;
  /** Weights in other files. */
  readonly external: readonly ExternalTensor[];
}

const decoder = new TextDecoder();

/** Deep enough for every exporter, and too shallow to exhaust the stack. */
const DEEPEST = 100;

/** A field of a message: a number, or a run of bytes from `at` to `end`. */
interface Field {
  number: number;
  isRun: boolean;
  value: number;
  at: number;
  end: number;
}

interface Reader {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly opsets: Map<string, number>;
  readonly operators: Map<string, OperatorUse>;
  readonly external: ExternalTensor[];
}

/**
 * Goes through a model once.
 *
 * @throws {SyntaxError} for a file that is not a model, or not a whole one, with the byte where it goes wrong
 */
export function outlineModel(bytes: Uint8Array, name: string): ModelOutline {
  const reader: Reader = { bytes, name, opsets: new Map(), operators: new Map(), external: [] };
  const outline: ModelOutline = {
    opsets: reader.opsets,
    operators: reader.operators,
    external: reader.external,
  };
  if (isRuntimeFormat(bytes)) return outline;
  let hasGraph = false;
  for (const field of fieldsOf(reader, 0, bytes.length)) {
    if (field.number === 7 && field.isRun) {
      readGraph(reader, field, 0);
      hasGraph = true;
    } else if (field.number === 8 && field.isRun) readOpset(reader, field);
    else if (field.number === 25 && field.isRun) readFunction(reader, field);
  }
  if (hasGraph) return outline;
  throw malformed(reader, `have a graph: its ${bytes.length} bytes have none`);
}

/** onnxruntime's own format, which is whole or not accepted, and says nothing on the way. */
function isRuntimeFormat(bytes: Uint8Array): boolean {
  return decoder.decode(bytes.subarray(4, 8)) === "ORTM";
}

function readOpset(reader: Reader, { at, end }: Field): void {
  let [domain, version] = ["", 0];
  for (const field of fieldsOf(reader, at, end)) {
    if (field.number === 1) domain = textOf(reader, field);
    else if (field.number === 2) version = field.value;
  }
  reader.opsets.set(domain === "ai.onnx" ? "" : domain, version);
}

function readFunction(reader: Reader, { at, end }: Field): void {
  for (const field of fieldsOf(reader, at, end)) {
    if (field.number === 7 && field.isRun) readNode(reader, field, 0);
  }
}

function readGraph(reader: Reader, { at, end }: Field, depth: number): void {
  if (depth > DEEPEST) {
    throw malformed(reader, `nest graphs at most ${DEEPEST} deep: it goes deeper`);
  }
  for (const field of fieldsOf(reader, at, end)) {
    if (!field.isRun) continue;
    if (field.number === 1) readNode(reader, field, depth);
    else if (field.number === 5) readTensor(reader, field);
    else if (field.number === 15) readSparse(reader, field);
  }
}

function readNode(reader: Reader, { at, end }: Field, depth: number): void {
  let [domain, op, name, output] = ["", "", "", ""];
  for (const field of fieldsOf(reader, at, end)) {
    if (!field.isRun) continue;
    if (field.number === 2) output ||= textOf(reader, field);
    else if (field.number === 3) name = textOf(reader, field);
    else if (field.number === 4) op = textOf(reader, field);
    else if (field.number === 5) readAttribute(reader, field, depth);
    else if (field.number === 7) domain = textOf(reader, field);
  }
  const operator = domain === "" || domain === "ai.onnx" ? op : `${domain}.${op}`;
  const { count = 0, first = name || output } = reader.operators.get(operator) ?? {};
  reader.operators.set(operator, { operator, count: count + 1, first });
}

function readAttribute(reader: Reader, { at, end }: Field, depth: number): void {
  for (const field of fieldsOf(reader, at, end)) {
    if (!field.isRun) continue;
    if (field.number === 5 || field.number === 10) readTensor(reader, field);
    else if (field.number === 6 || field.number === 11) readGraph(reader, field, depth + 1);
    else if (field.number === 22 || field.number === 23) readSparse(reader, field);
  }
}

function readSparse(reader: Reader, { at, end }: Field): void {
  for (const field of fieldsOf(reader, at, end)) {
    if ((field.number === 1 || field.number === 2) && field.isRun) readTensor(reader, field);
  }
}

function readTensor(reader: Reader, { at, end }: Field): void {
  const entries = new Map<string, string>();
  let [name, isExternal] = ["", false];
  for (const field of fieldsOf(reader, at, end)) {
    if (field.number === 8) name = textOf(reader, field);
    else if (field.number === 13 && field.isRun) readEntry(reader, field, entries);
    else if (field.number === 14) isExternal = field.value === 1;
  }
  const location = entries.get("location");
  if (!isExternal || location === undefined) return;
  const [offset, length] = ["offset", "length"].map((key) => Number(entries.get(key) ?? NaN));
  const last = (Number.isNaN(offset!) ? 0 : offset!) + length!;
  reader.external.push({ name, location, end: Number.isNaN(last) ? undefined : last });
}

function readEntry(reader: Reader, { at, end }: Field, entries: Map<string, string>): void {
  let [key, value] = ["", ""];
  for (const field of fieldsOf(reader, at, end)) {
    if (field.number === 1) key = textOf(reader, field);
    else if (field.number === 2) value = textOf(reader, field);
  }
  entries.set(key, value);
}

function textOf(reader: Reader, { isRun, at, end }: Field): string {
  return isRun ? decoder.decode(reader.bytes.subarray(at, end)) : "";
}

/** The fields of the message between two bytes. The same object each time. */
function* fieldsOf(reader: Reader, from: number, end: number): Generator<Field> {
  const field: Field = { number: 0, isRun: false, value: 0, at: from, end };
  for (let at = from; at < end;) {
    const start = at;
    const tag = varintAt(reader, at, { start, end });
    const wire = tag.value % 8;
    field.number = Math.floor(tag.value / 8);
    at = tag.next;
    field.isRun = wire === 2;
    if (field.number === 0 || wire === 3 || wire === 4 || wire > 5) throw unreadable(reader, start);
    if (wire === 1 || wire === 5) [field.value, at] = [0, at + (wire === 1 ? 8 : 4)];
    else ({ value: field.value, next: at } = varintAt(reader, at, { start, end }));
    if (field.isRun) [field.at, field.end, at] = [at, at + field.value, at + field.value];
    if (at > end) throw cutOff(reader, start, at);
    yield field;
  }
}

/** A number on the wire; those beyond 2⁵³ lose digits, and none of them matters here. */
function varintAt(
  reader: Reader,
  at: number,
  { start, end }: { readonly start: number; readonly end: number },
): { value: number; next: number } {
  let [value, scale] = [0, 1];
  for (let next = at; next < Math.min(end, at + 10); next++) {
    const byte = reader.bytes[next]!;
    value += (byte % 128) * scale;
    if (byte < 128) return { value, next: next + 1 };
    scale *= 128;
  }
  throw end - at < 10 ? cutOff(reader, start, end + 1) : unreadable(reader, start);
}

function cutOff(reader: Reader, at: number, end: number): SyntaxError {
  const { length } = reader.bytes;
  const beginning = at < 8 ? beginningOf(reader.bytes) : "";
  if (end <= length) return unreadable(reader, at);
  return malformed(
    reader,
    `be whole: it has ${length} bytes, and what begins at byte ${at} goes on after them${beginning}`,
  );
}

function unreadable(reader: Reader, at: number): SyntaxError {
  const beginning = at < 64 ? beginningOf(reader.bytes) : "";
  return malformed(reader, `be protobuf: byte ${at} of ${reader.bytes.length} is not${beginning}`);
}

/** A page of a web server or the pointer of a large-file store is more often met than a damaged model. */
function beginningOf(bytes: Uint8Array): string {
  const text = decoder.decode(bytes.subarray(0, 40));
  return /^[\x20-\x7e\s]{8,}$/.test(text) ? `; it begins with ${JSON.stringify(text)}` : "";
}

function malformed({ name }: Reader, requirement: string): SyntaxError {
  return new SyntaxError(`Cannot open ${name} as an ONNX model must ${requirement}`);
}
