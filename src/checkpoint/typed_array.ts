/**
 * Typed arrays that a checkpoint can hold.
 *
 * @module
 */

/** Members of a typed array's class that are used here. */
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

/**
 * Returns the class with this name, or `undefined` if checkpoints cannot hold its arrays or this runtime lacks it.
 */
export function typedArrayClass(name: string): TypedArrayClass | undefined {
  return NAMES.includes(name) ? Reflect.get(globalThis, name) : undefined;
}

/**
 * Returns the name of a view's class, or `undefined` for a `DataView` and for subclasses, which could not be
 * restored.
 */
export function typedArrayName(view: ArrayBufferView): string | undefined {
  const name: unknown = Reflect.get(view, Symbol.toStringTag);
  return typeof name === "string" && NAMES.includes(name) && heightOf(view) === HEIGHT
    ? name
    : undefined;
}

/**
 * Returns whether the memory of an array is detached: transferred, shrunk, or moved when WebAssembly memory grew.
 */
export function isDetached(view: ArrayBufferView): boolean {
  try {
    // All methods of typed arrays throw in this case, while `length` is 0 as if the array were empty.
    (view as Uint8Array).keys();
    return false;
  } catch {
    return true;
  }
}

/**
 * Number of prototypes of an array: Float64Array.prototype, %TypedArray%.prototype, Object.prototype. This is the
 * same in every realm; a subclass has more.
 */
const HEIGHT = 3;

function heightOf(value: object): number {
  let height = 0;
  for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) height++;
  return height;
}
