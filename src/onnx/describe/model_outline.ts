/**
 * Outline of a model: its opsets, its operators, and the other files that contain its weights. It is read from the
 * protobuf encoding without decoding anything else, so that a model can be opened without the codec. Reading also
 * detects incomplete files.
 *
 * @module
 */

/** A tensor whose values are in another file. */
export interface ExternalTensor {
  /** Name of the tensor. */
  readonly name: string;
  /** Path of the file with the values, relative to the file of the model. */
  readonly location: string;
  /**
   * Position in that file after the last byte of the values; `undefined` if the model does not declare their length.
   */
  readonly end: number | undefined;
}

/** Use of an operator by a model. */
export interface OperatorUse {
  /** Name of the operator. It includes the domain, unless the domain is ai.onnx. */
  readonly operator: string;
  /** Number of nodes with this operator. */
  readonly count: number;
  /** Name of the first node, or of its output if the node has no name. */
  readonly first: string;
}

/** Result of {@linkcode outlineModel}. */
export interface ModelOutline {
  /** Versions of operator sets by domain. The domain ai.onnx is "". */
  readonly opsets: ReadonlyMap<string, number>;
  /** Operators by name, including those in subgraphs. */
  readonly operators: ReadonlyMap<string, OperatorUse>;
  /** Tensors whose values are in other files. */
  readonly external: readonly ExternalTensor[];
}

const decoder = new TextDecoder();

/** Maximum depth of subgraphs: enough for all exporters, and far below the limit of the call stack. */
const DEEPEST = 100;

/** A field of a message: the number `value`, or, if `isRun` is true, the bytes from `at` up to `end`. */
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
 * Reads the outline of a model in one pass.
 *
 * @throws {SyntaxError} if the file is not a model or is incomplete, with the byte where the error was found
 *
 * @example
 * ```ts
 * import { lennardJonesModel, outlineModel } from "@hooke/hooke/onnx";
 * import { assert } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const { opsets, operators } = outlineModel(bytes, "lj.onnx");
 * assert(opsets.get("")! >= 18);
 * assert(operators.has("Gather"));
 * ```
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
  throw malformed(reader, `it has no graph in its ${bytes.length} bytes`);
}

/**
 * Returns whether the file has onnxruntime's own format. The outline of such a file is empty, because the runtime
 * checks the file.
 */
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
    throw malformed(reader, `its subgraphs are nested more than ${DEEPEST} deep`);
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

/**
 * Yields the fields of the message from byte `from` up to byte `end`. Every field is the same object, which is
 * reused.
 */
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

/**
 * Reads a variable-length number at byte `at`. Numbers above 2⁵³ lose digits, but the outline uses no number that
 * large.
 */
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
    `it is truncated: a field at byte ${at} extends beyond its ${length} bytes${beginning}`,
  );
}

function unreadable(reader: Reader, at: number): SyntaxError {
  const beginning = at < 64 ? beginningOf(reader.bytes) : "";
  return malformed(
    reader,
    `it is not an ONNX model, because byte ${at} of ${reader.bytes.length} is not valid protobuf${beginning}`,
  );
}

/**
 * Returns a clause that quotes the beginning of a text file; "" for other files. HTML pages and pointers of Git LFS
 * are more frequent than damaged models.
 */
function beginningOf(bytes: Uint8Array): string {
  const text = decoder.decode(bytes.subarray(0, 40));
  return /^[\x20-\x7e\s]{8,}$/.test(text) ? `; it begins with ${JSON.stringify(text)}` : "";
}

function malformed({ name }: Reader, fault: string): SyntaxError {
  return new SyntaxError(`Cannot open ${name}: ${fault}`);
}
