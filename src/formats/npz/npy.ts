/**
 * Arrays of NumPy in files .npy.
 *
 * @module
 */

/** An array: its shape, and its numbers in C order. */
export interface NumpyArray {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Functions that read one number, and its bytes, by the name of the dtype without the byte order. */
const READERS: Readonly<
  Record<string, readonly [bytes: number, read: (view: DataView, at: number) => number]>
> = {
  f8: [8, (view, at) => view.getFloat64(at, true)],
  f4: [4, (view, at) => view.getFloat32(at, true)],
  i8: [8, (view, at) => Number(view.getBigInt64(at, true))],
  i4: [4, (view, at) => view.getInt32(at, true)],
  i2: [2, (view, at) => view.getInt16(at, true)],
  i1: [1, (view, at) => view.getInt8(at)],
  u8: [8, (view, at) => Number(view.getBigUint64(at, true))],
  u4: [4, (view, at) => view.getUint32(at, true)],
  u2: [2, (view, at) => view.getUint16(at, true)],
  u1: [1, (view, at) => view.getUint8(at)],
  b1: [1, (view, at) => view.getUint8(at)],
};

/** Reads an array of numbers, or one text. Returns `undefined` for other dtypes. Throws a SyntaxError for damage. */
export function readNpy(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
): NumpyArray | string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 12 || view.getUint32(0) !== 0x934e554d) {
    throw bad(name, "it must be an array of NumPy");
  }
  const isLong = view.getUint8(6) > 1, start = isLong ? 12 : 10;
  const end = start + (isLong ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = new TextDecoder().decode(bytes.subarray(start, end));
  const descr = /'descr':\s*'([<>|=]?)(\w+)'/.exec(header), shape = shapeOf(header);
  if (descr === null || shape === undefined) return undefined;
  const [, order, dtype = ""] = descr, count = shape.reduce((product, size) => product * size, 1);
  if (dtype.startsWith("U") && count === 1) return readText(view, end, order === ">");
  const reader = READERS[dtype];
  if (reader === undefined) return undefined;
  const [width, read] = reader;
  if (order === ">" && width > 1) {
    throw bad(name, "big-endian numbers are not supported");
  }
  if (/'fortran_order':\s*True/.test(header) && shape.length > 1) {
    throw bad(name, "it must be in C order: write numpy.ascontiguousarray(array)");
  }
  if (end + count * width > bytes.length) throw bad(name, "it ends early");
  return {
    shape,
    values: Float64Array.from({ length: count }, (_, i) => read(view, end + i * width)),
  };
}

function shapeOf(header: string): number[] | undefined {
  const text = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  return text?.split(",").map((part) => part.trim()).filter((part) => part !== "").map(Number);
}

/** Reads UTF-32 text. */
function readText(view: DataView, from: number, isBig: boolean): string {
  let text = "";
  for (let at = from; at + 4 <= view.byteLength; at += 4) {
    const code = view.getUint32(at, !isBig);
    if (code === 0 || code > 0x10ffff) break;
    text += String.fromCodePoint(code);
  }
  return text;
}

/** Returns the bytes of an array of float64 or int64. */
export function writeNpy(
  { shape, values }: NumpyArray,
  dtype: "<f8" | "<i8" | "|b1",
): Uint8Array<ArrayBuffer> {
  const text = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${
    shape.map((size) => `${size},`).join(" ")
  }), }`;
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n";
  const start = 10 + padded.length, width = dtype === "|b1" ? 1 : 8;
  const bytes = new Uint8Array(start + values.length * width), view = new DataView(bytes.buffer);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length & 255, padded.length >> 8]);
  bytes.set(new TextEncoder().encode(padded), 10);
  for (let i = 0; i < values.length; i++) {
    const at = start + i * width;
    if (dtype === "<f8") view.setFloat64(at, values[i]!, true);
    else if (dtype === "<i8") view.setBigInt64(at, BigInt(values[i]!), true);
    else view.setUint8(at, values[i]!);
  }
  return bytes;
}

function bad(name: string, cause: string): SyntaxError {
  return new SyntaxError(`Cannot read the array ${name}: ${cause}`);
}
