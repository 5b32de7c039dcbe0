import { create } from "@bufbuild/protobuf";
import { TensorProtoSchema } from "onnx-buf";
import { intsAttribute } from "../codec/attributes.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { listOf } from "../codec/element_type.ts";
import { elementCount, tensorType, tensorValues } from "../codec/tensor_proto.ts";

/** Operators that give another shape to the same numbers in the same order. */
const VIEWS = ["Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"];

/**
 * What a node makes of a constant whose elements it only puts elsewhere: they are moved as they are, as weights are
 * large, and nothing needs to be computed. `undefined` for other nodes.
 *
 * @param tensor its first input, of a type that an array holds
 * @param lengths along the axes of what it makes
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

/** The bytes of a tensor, however the file has them. */
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

/** Along an axis: how many, and how far apart they stand. */
interface Walk {
  readonly length: number;
  readonly stride: number;
}

/** The elements in the order of permuted axes, which are turned round where nothing says so. */
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
  // The parts of an element are one axis more, which stays the last.
  const all = [...walks, { length: width / unit, stride: unit }].filter(({ length }) => length > 1);
  const moved = new Uint8Array(bytes.length);
  // Memory of a model need not be aligned: a view reads it without a copy of all of it.
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

/** Calls with where each row begins, the last axis fastest. */
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
