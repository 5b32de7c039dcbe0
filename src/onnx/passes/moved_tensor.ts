import { create } from "@bufbuild/protobuf";
import { TensorProtoSchema } from "onnx-buf";
import { intsAttribute } from "../codec/attributes.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { listOf } from "../codec/element_type.ts";
import { elementCount, tensorType, tensorValues } from "../codec/tensor_proto.ts";

/** Operators that change only the shape of a value. */
const VIEWS = ["Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"];

/**
 * Evaluates a node that only moves the elements of a constant, and returns the result. Copies bytes instead of
 * converting numbers, because weights are large. Returns `undefined` for other nodes.
 *
 * @param tensor first input of the node, of a type that an array can hold
 * @param lengths shape of the result
 */
export function movedTensor(
  node: NodeProto,
  tensor: TensorProto,
  lengths: readonly number[],
): TensorProto | undefined {
  if (node.domain !== "" || elementCount(tensor) !== countOf(lengths)) return undefined;
  const bytes = rawBytes(tensor);
  const moved = VIEWS.includes(node.opType)
    ? bytes
    : node.opType === "Transpose" && bytes.length > 0
    ? permuted(bytes, tensor.dims.map(Number), intsAttribute(node, "perm"))
    : undefined;
  return moved && create(TensorProtoSchema, {
    dataType: tensor.dataType,
    dims: lengths.map(BigInt),
    rawData: moved,
  });
}

/** Returns the elements of a tensor as bytes, whichever field of the message contains them. */
function rawBytes(tensor: TensorProto): Uint8Array<ArrayBuffer> {
  if (tensor[listOf(tensorType(tensor))].length === 0) {
    return tensor.rawData as Uint8Array<ArrayBuffer>;
  }
  const { buffer, byteOffset, byteLength } = tensorValues(tensor);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function countOf(lengths: readonly number[]): number {
  return lengths.reduce((product, length) => product * length, 1);
}

/** Length of an axis, and the distance of its elements in bytes. */
interface Walk {
  readonly length: number;
  readonly stride: number;
}

/**
 * Permutes the axes of a tensor with the shape `lengths`, and returns its bytes. By default, the order of the axes is
 * reversed. Returns `undefined` if `perm` is not a permutation.
 */
function permuted(
  bytes: Uint8Array,
  lengths: readonly number[],
  perm: readonly number[] = lengths.map((_, axis) => lengths.length - 1 - axis),
): Uint8Array<ArrayBuffer> | undefined {
  const isOrder = lengths.every((_, axis) => perm.includes(axis));
  if (!isOrder || perm.length !== lengths.length) return undefined;
  const width = bytes.length / countOf(lengths), unit = width % 4 === 0 ? 4 : 1;
  const walks = perm.map((axis) => ({
    length: lengths[axis]!,
    stride: width * countOf(lengths.slice(axis + 1)),
  }));
  // The bytes of an element are treated as one more axis, which stays last.
  const all = [...walks, { length: width / unit, stride: unit }].filter(({ length }) => length > 1);
  const moved = new Uint8Array(bytes.length);
  // The memory of a model may be unaligned. A DataView reads it without copying all of it.
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const inner = all.pop() ?? { length: 1, stride: 0 };
  const words = unit === 4 ? new Uint32Array(moved.buffer) : moved;
  forEachRow(all, (start, row) => {
    let to = row * inner.length;
    const end = to + inner.length;
    // hot
    if (unit === 4) {
      for (let at = start; to < end; at += inner.stride) words[to++] = from.getUint32(at, true);
    } else for (let at = start; to < end; at += inner.stride) words[to++] = from.getUint8(at);
  });
  return moved;
}

/** Calls `row` with the byte offset and the index of each row, in row-major order. */
function forEachRow(walks: readonly Walk[], row: (from: number, index: number) => void): void {
  const at = walks.map(() => 0), count = countOf(walks.map(({ length }) => length));
  let from = 0;
  for (let index = 0; index < count; index++) {
    row(from, index);
    for (let axis = walks.length - 1; axis >= 0; axis--) {
      const { length, stride } = walks[axis]!;
      from += stride;
      if (++at[axis]! < length) break;
      from -= length * stride;
      at[axis] = 0;
    }
  }
}
