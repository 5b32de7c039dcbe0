/**
 * Typed arrays that a checkpoint can hold.
 *
 * @module
 */

/** The members of a typed array class that this package uses. */
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
 * Returns the typed array class with a name. Returns `undefined` if checkpoints cannot hold such arrays, or this
 * runtime does not have the class.
 */
export function typedArrayClass(name: string): TypedArrayClass | undefined {
  return NAMES.includes(name) ? Reflect.get(globalThis, name) : undefined;
}

/**
 * Returns the name of a view's class. Returns `undefined` for a `DataView` and for instances of subclasses, which
 * could not be restored.
 */
export function typedArrayName(view: ArrayBufferView): string | undefined {
  const name: unknown = Reflect.get(view, Symbol.toStringTag);
  return typeof name === "string" && NAMES.includes(name) && heightOf(view) === HEIGHT
    ? name
    : undefined;
}

/**
 * Returns whether the buffer of an array is detached: it was transferred or shrunk, or it moved when WebAssembly
 * memory grew.
 */
export function isDetached(view: ArrayBufferView): boolean {
  try {
    // All methods of a detached array throw. Its `length` is 0, which does not distinguish it from an empty array.
    (view as Uint8Array).keys();
    return false;
  } catch {
    return true;
  }
}

/**
 * Length of the prototype chain of a typed array: Float64Array.prototype, %TypedArray%.prototype, Object.prototype.
 * It is the same in every realm, and longer for a subclass.
 */
const HEIGHT = 3;

function heightOf(value: object): number {
  let height = 0;
  for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) height++;
  return height;
}
