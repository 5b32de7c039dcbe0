// Data as text, every bit of it, so that equal texts are equal data: deep equality would pass over the payload of a
// NaN in an array. And random data.
import fc from "fast-check";

/** A class of typed arrays. */
export interface TypedArrayClass {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): ArrayBufferView<ArrayBuffer>;
  new (memory: ArrayBuffer, byteOffset?: number, length?: number): ArrayBufferView<ArrayBuffer>;
}

/** Every one of them. */
export const CLASSES: readonly TypedArrayClass[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float16Array,
  Float32Array,
  Float64Array,
];

/** The text of plain data. */
export function bits(value: unknown): string {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `${value.constructor.name} ${bytes.toHex()}`;
  }
  if (Array.isArray(value)) return `[${value.map(bits).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1);
    return `{${entries.map(([name, member]) => `${JSON.stringify(name)}: ${bits(member)}`)}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Typed arrays of all classes with any bits in them, at the beginning of their memory or not. */
function typedArrays(): fc.Arbitrary<ArrayBufferView> {
  return fc.record({
    Class: fc.constantFrom(...CLASSES),
    bytes: fc.uint8Array({ maxLength: 40 }),
    skipped: fc.nat(2),
  }).map(({ Class, bytes, skipped }) => {
    const size = Class.BYTES_PER_ELEMENT;
    const length = Math.floor(bytes.length / size);
    const array = new Class(new ArrayBuffer((skipped + length) * size), skipped * size, length);
    new Uint8Array(array.buffer).set(bytes.subarray(0, length * size), skipped * size);
    return array;
  });
}

/** Any data that a checkpoint can hold. */
export function checkpointData(): fc.Arbitrary<unknown> {
  const name = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("__proto__", "$", "$$", "$array", "$$bigint", "10", "9", "toJSON", ""),
  );
  return fc.letrec((tie) => ({
    data: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, -0, NaN, Infinity, -Infinity, "\ud800"),
      fc.double(),
      fc.bigInt(),
      fc.string({ unit: "binary" }),
      typedArrays(),
      fc.array(tie("data"), { maxLength: 5 }),
      fc.dictionary(name, tie("data"), { maxKeys: 5 }),
    ),
  })).data;
}
