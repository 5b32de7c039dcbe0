/**
 * Element types of tensors: their names, their numbers in files, and their sizes.
 *
 * @module
 */

/** Element type of a tensor, by a short name. */
export type ElementType =
  | "f16"
  | "f32"
  | "f64"
  | "bf16"
  | "i4"
  | "i8"
  | "i16"
  | "i32"
  | "i64"
  | "u4"
  | "u8"
  | "u16"
  | "u32"
  | "u64"
  | "bool"
  | "string"
  | "c64"
  | "c128"
  | "f8e4m3fn"
  | "f8e4m3fnuz"
  | "f8e5m2"
  | "f8e5m2fnuz"
  | "f8e8m0"
  | "f4e2m1"
  | "u2"
  | "i2";

/** Properties of an element type in files. */
interface ElementInfo {
  /** Number of the type in `TensorProto.DataType`. */
  readonly code: number;
  /** Bits of one element; 0 for strings. */
  readonly bits: number;
  /**
   * List of a TensorProto that contains the values if they are not raw bytes. Each entry of the list has `entryBits`
   * bits.
   */
  readonly list: TypedList;
  readonly entryBits: number;
}

/** Lists of a TensorProto that may contain its values instead of raw bytes. */
export type TypedList =
  | "floatData"
  | "int32Data"
  | "int64Data"
  | "doubleData"
  | "uint64Data"
  | "stringData";

function info(code: number, bits: number, list: TypedList, entryBits: number = bits): ElementInfo {
  return { code, bits, list, entryBits };
}

const INFO: Readonly<Record<ElementType, ElementInfo>> = {
  f32: info(1, 32, "floatData"),
  u8: info(2, 8, "int32Data"),
  i8: info(3, 8, "int32Data"),
  u16: info(4, 16, "int32Data"),
  i16: info(5, 16, "int32Data"),
  i32: info(6, 32, "int32Data"),
  i64: info(7, 64, "int64Data"),
  string: info(8, 0, "stringData"),
  bool: info(9, 8, "int32Data"),
  f16: info(10, 16, "int32Data"),
  f64: info(11, 64, "doubleData"),
  u32: info(12, 32, "uint64Data"),
  u64: info(13, 64, "uint64Data"),
  c64: info(14, 64, "floatData", 32),
  c128: info(15, 128, "doubleData", 64),
  bf16: info(16, 16, "int32Data"),
  f8e4m3fn: info(17, 8, "int32Data"),
  f8e4m3fnuz: info(18, 8, "int32Data"),
  f8e5m2: info(19, 8, "int32Data"),
  f8e5m2fnuz: info(20, 8, "int32Data"),
  u4: info(21, 4, "int32Data", 8),
  i4: info(22, 4, "int32Data", 8),
  f4e2m1: info(23, 4, "int32Data", 8),
  f8e8m0: info(24, 8, "int32Data"),
  u2: info(25, 2, "int32Data", 8),
  i2: info(26, 2, "int32Data", 8),
};

const BY_CODE = new Map(
  Object.entries(INFO).map(([type, { code }]) => [code, type as ElementType]),
);

/** Returns the element type with the number `code` in `TensorProto.DataType`; `undefined` if the number is unknown. */
export function elementTypeOf(code: number): ElementType | undefined {
  return BY_CODE.get(code);
}

/** Returns the number of an element type in `TensorProto.DataType`. */
export function codeOf(type: ElementType): number {
  return INFO[type].code;
}

/** Returns the list of a TensorProto that contains values of an element type. */
export function listOf(type: ElementType): TypedList {
  return INFO[type].list;
}

/** Returns the size of `count` elements in bytes; 0 for strings. Elements below 8 bits share bytes. */
export function bytesOf(type: ElementType, count: number): number {
  return Math.ceil(count * INFO[type].bits / 8);
}

/** Returns the number of entries that `count` elements take in the list of a TensorProto. */
export function entriesOf(type: ElementType, count: number): number {
  const { bits, entryBits } = INFO[type];
  return bits === 0 ? count : Math.ceil(count * bits / entryBits);
}

/** Returns whether a type is a floating-point type. */
export function isFloat(type: ElementType): boolean {
  return type.startsWith("f") || type === "bf16";
}
