/**
 * The typed arrays that a checkpoint can hold.
 *
 * @module
 */

/** What is used of a typed array's class. */
export interface TypedArrayClass {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): ArrayBufferView;
}

const NAMES: readonly string[] = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "BigInt64Array",
  "BigUint64Array",
  "Float16Array",
  "Float32Array",
  "Float64Array",
];

/** The class of this name, if a checkpoint may hold its arrays and this runtime has it. */
export function typedArrayClass(name: string): TypedArrayClass | undefined {
  return NAMES.includes(name) ? Reflect.get(globalThis, name) : undefined;
}

/** The class of a view; `undefined` for a `DataView` and for subclasses, which would not come back as such. */
export function typedArrayName(view: ArrayBufferView): string | undefined {
  const name: unknown = Reflect.get(view, Symbol.toStringTag);
  return typeof name === "string" && NAMES.includes(name) && heightOf(view) === HEIGHT
    ? name
    : undefined;
}

/** Is the memory gone that the array looks at: transferred away, shrunk, or moved as WebAssembly grew it? */
export function isDetached(view: ArrayBufferView): boolean {
  try {
    // All methods of typed arrays refuse this, while `length` is 0 as if the array were empty.
    (view as Uint8Array).keys();
    return false;
  } catch {
    return true;
  }
}

/** Float64Array.prototype, %TypedArray%.prototype, Object.prototype: in every realm, and more for a subclass. */
const HEIGHT = 3;

function heightOf(value: object): number {
  let height = 0;
  for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) height++;
  return height;
}
