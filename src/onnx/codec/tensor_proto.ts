/**
 * Constants of a graph: from arrays and to arrays.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { TensorProto_DataLocation, TensorProtoSchema } from "onnx-buf";
import { bytesOf, codeOf, type ElementType, elementTypeOf, listOf } from "./element_type.ts";
import type { TensorProto } from "./messages.ts";

/** Arrays that hold the elements of a tensor, each type in its own. 16-bit floats are their bits. */
export type TensorValues =
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>;

/** Makes arrays of numbers, from bytes or from a list. */
interface ArrayClass {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): TensorValues;
}

const ARRAYS: { readonly [Type in ElementType]?: ArrayClass } = {
  f16: Uint16Array,
  bf16: Uint16Array,
  f32: Float32Array,
  f64: Float64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  bool: Uint8Array,
};

/**
 * A constant tensor with these values.
 *
 * @param type of its elements
 * @param shape how many along each axis; `[]` is a scalar
 * @param values the elements, the last axis fastest; numbers for 64-bit integers and booleans too
 * @throws {RangeError} when there are other than the shape's number of values, or an integer does not fit
 * @throws {TypeError} for types that no array holds
 *
 * @example
 * ```ts
 * import { tensorProto, tensorValues } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const axes = tensorProto("i64", [2], [0, -1], "axes");
 * assertEquals(tensorValues(axes), new BigInt64Array([0n, -1n]));
 * ```
 */
export function tensorProto(
  type: ElementType,
  shape: readonly number[],
  values: ArrayLike<number>,
  name = "",
): TensorProto {
  const count = shape.reduce((product, length) => product * length, 1);
  if (values.length !== count) {
    throw new RangeError(
      `Cannot make the tensor ${JSON.stringify(name)} as [${shape}] must have ${count} values: ` +
        `current length is ${values.length}`,
    );
  }
  const array = emptyArray(type, count);
  for (let i = 0; i < count; i++) setElement(array, i, values[i] ?? NaN, name);
  return create(TensorProtoSchema, {
    name,
    dataType: codeOf(type),
    dims: shape.map(BigInt),
    rawData: new Uint8Array(array.buffer),
  });
}

/** Does an array hold elements of this type? */
export function hasArray(type: ElementType): boolean {
  return ARRAYS[type] !== undefined;
}

function emptyArray(type: ElementType, count: number): TensorValues {
  const kind = arrayClass(type);
  return new kind(new ArrayBuffer(count * kind.BYTES_PER_ELEMENT), 0, count);
}

function setElement(array: TensorValues, i: number, value: number, name: string): void {
  if (array instanceof Float32Array || array instanceof Float64Array) {
    array[i] = value;
    return;
  }
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    if (Number.isSafeInteger(value)) array[i] = BigInt(value);
  } else array[i] = value;
  if (Number(array[i]) === value) return;
  throw new RangeError(
    `Cannot make the tensor ${JSON.stringify(name)} as its values must be whole numbers that fit ` +
      `into its type: current value is ${value}`,
  );
}

function arrayClass(type: ElementType): ArrayClass {
  const found = ARRAYS[type];
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot hold a tensor in an array as its type must be one of ${
      Object.keys(ARRAYS).join(", ")
    }: ` +
      `current value is ${type}`,
  );
}

/** How many elements a tensor declares. Safe for tensors of a model that {@linkcode decodeModel} has read. */
export function elementCount(tensor: TensorProto): number {
  return tensor.dims.reduce((product, length) => product * Number(length), 1);
}

/** The type of a tensor's elements. Throws a TypeError for one unknown here. */
export function tensorType(tensor: TensorProto): ElementType {
  const type = elementTypeOf(tensor.dataType);
  if (type !== undefined) return type;
  throw new TypeError(
    `Cannot use the tensor ${JSON.stringify(tensor.name)} as its type must be known: ` +
      `current value is ${tensor.dataType}`,
  );
}

/** Are its values in another file? */
export function isExternal({ dataLocation }: TensorProto): boolean {
  return dataLocation === TensorProto_DataLocation.EXTERNAL;
}

/**
 * The elements of a constant, the last axis fastest. They share the model's memory where it is aligned: do not write.
 *
 * @throws {TypeError} for types that no array holds, and where the values are in another file
 */
export function tensorValues(tensor: TensorProto): TensorValues {
  const type = tensorType(tensor), count = elementCount(tensor);
  if (isExternal(tensor)) {
    const location = tensor.externalData.find(({ key }) => key === "location")?.value;
    throw new TypeError(
      `Cannot read the tensor ${
        JSON.stringify(tensor.name)
      } as its values must have been loaded: ` +
        `current location is ${JSON.stringify(location)}`,
    );
  }
  const kind = arrayClass(type);
  const raw = tensor.rawData;
  const list = tensor[listOf(type)];
  if (list.length === 0 && raw.length > 0) {
    const bytes = raw.byteOffset % kind.BYTES_PER_ELEMENT === 0 ? raw : raw.slice();
    return new kind(
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset,
      bytesOf(type, count) / kind.BYTES_PER_ELEMENT,
    );
  }
  const array = emptyArray(type, count);
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    for (let i = 0; i < count; i++) array[i] = list[i] as bigint;
  } else for (let i = 0; i < count; i++) array[i] = Number(list[i]);
  return array;
}
