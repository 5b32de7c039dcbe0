/**
 * Conversion between constants of a graph and arrays.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { TensorProto_DataLocation, TensorProtoSchema } from "onnx-buf";
import { bytesOf, codeOf, type ElementType, elementTypeOf, listOf } from "./element_type.ts";
import type { TensorProto } from "./messages.ts";

/** Arrays that hold the elements of a tensor, one class per type. 16-bit floats are stored as their bits. */
export type TensorElements =
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

/** Constructor of a view of a buffer, for one class of typed arrays. */
interface ArrayClass {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): TensorElements;
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
 * Creates a constant tensor.
 *
 * @param type element type
 * @param shape dimensions; `[]` is a scalar
 * @param values elements in row-major order. Numbers are accepted for 64-bit integers and booleans too
 * @throws {RangeError} if the number of values differs from that of the shape, or an integer does not fit its type
 * @throws {TypeError} if the type cannot be stored in an array
 *
 * @example
 * ```ts
 * import { makeTensorProto, tensorValues } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const axes = makeTensorProto("i64", [2], [0, -1], "axes");
 * assertEquals(tensorValues(axes), new BigInt64Array([0n, -1n]));
 * ```
 */
export function makeTensorProto(
  type: ElementType,
  shape: readonly number[],
  values: ArrayLike<number>,
  name = "",
): TensorProto {
  const count = shape.reduce((product, length) => product * length, 1);
  if (values.length !== count) {
    throw new RangeError(
      `Cannot make the tensor ${
        JSON.stringify(name)
      }: the shape [${shape}] must have ${count} values; ` +
        `got ${values.length}`,
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

/** Returns whether an array class exists for elements of this type. */
export function hasArray(type: ElementType): boolean {
  return ARRAYS[type] !== undefined;
}

function emptyArray(type: ElementType, count: number): TensorElements {
  const kind = arrayClass(type);
  return new kind(new ArrayBuffer(count * kind.BYTES_PER_ELEMENT), 0, count);
}

function setElement(array: TensorElements, i: number, value: number, name: string): void {
  if (array instanceof Float32Array || array instanceof Float64Array) {
    array[i] = value;
    return;
  }
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    if (Number.isSafeInteger(value)) array[i] = BigInt(value);
  } else array[i] = value;
  if (Number(array[i]) === value) return;
  throw new RangeError(
    `Cannot make the tensor ${JSON.stringify(name)}: its values must be integers in the range ` +
      `of its type; got ${value}`,
  );
}

function arrayClass(type: ElementType): ArrayClass {
  const found = ARRAYS[type];
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot store a tensor in an array: its type must be one of ${
      Object.keys(ARRAYS).join(", ")
    }; ` +
      `got ${type}`,
  );
}

/**
 * Returns the number of elements of the declared shape of a tensor. {@linkcode decodeModel} checks that the tensor
 * has this number of values.
 */
export function elementCount(tensor: TensorProto): number {
  return tensor.dims.reduce((product, length) => product * Number(length), 1);
}

/** Returns the element type of a tensor. Throws a TypeError if its number is unknown. */
export function tensorType(tensor: TensorProto): ElementType {
  const type = elementTypeOf(tensor.dataType);
  if (type !== undefined) return type;
  throw new TypeError(
    `Cannot use the tensor ${JSON.stringify(tensor.name)}: its element type must be known; ` +
      `got ${tensor.dataType}`,
  );
}

/** Returns whether the values of a tensor are in another file. */
export function isExternal({ dataLocation }: TensorProto): boolean {
  return dataLocation === TensorProto_DataLocation.EXTERNAL;
}

/**
 * Returns the elements of a constant in row-major order. The array may share the model's memory, so do not write to
 * it.
 *
 * @throws {TypeError} if the type cannot be stored in an array, or the values are in another file
 *
 * @example
 * ```ts
 * import { decodeModel, GraphBuilder, tensorValues } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("scale");
 * const w = g.parameter("w", [1, 2, 3], [3]);
 * g.output("y", g.op("Mul", [g.input("x", "f32", [3]), w], "f32"));
 * const [weights] = decodeModel(g.build()).graph!.initializer;
 * assertEquals([...tensorValues(weights!)], [1, 2, 3]);
 * ```
 */
export function tensorValues(tensor: TensorProto): TensorElements {
  const type = tensorType(tensor), count = elementCount(tensor);
  if (isExternal(tensor)) {
    const location = tensor.externalData.find(({ key }) => key === "location")?.value;
    throw new TypeError(
      `Cannot read the tensor ${JSON.stringify(tensor.name)}: its values are in another file, ` +
        `${JSON.stringify(location)}. Load them by loadExternalData`,
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
