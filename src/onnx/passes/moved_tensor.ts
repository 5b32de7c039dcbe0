import { create } from "@bufbuild/protobuf";
import { TensorProtoSchema } from "onnx-buf";
import { intsAttribute } from "../attributes.ts";
import type { NodeProto, TensorProto } from "../messages.ts";
import { elementCount, type TensorValues, tensorValues } from "../tensor_proto.ts";

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
  const moved = VIEWS.includes(node.opType)
    ? tensorValues(tensor)
    : node.opType === "Transpose"
    ? permuted(tensorValues(tensor), tensor.dims.map(Number), intsAttribute(node, "perm"))
    : undefined;
  return moved && create(TensorProtoSchema, {
    ...{ dataType: tensor.dataType, dims: lengths.map(BigInt) },
    rawData: new Uint8Array(moved.buffer, moved.byteOffset, moved.byteLength),
  });
}

function countOf(lengths: readonly number[]): number {
  return lengths.reduce((product, length) => product * length, 1);
}

/** The elements in the order of permuted axes, which are turned round where nothing says so. */
function permuted(
  values: TensorValues,
  lengths: readonly number[],
  perm: readonly number[] = lengths.map((_, axis) => lengths.length - 1 - axis),
): TensorValues | undefined {
  if (perm.toSorted((a, b) => a - b).some((axis, i) => axis !== i)) return undefined;
  if (perm.length !== lengths.length) return undefined;
  const moved = values.slice(), rank = lengths.length;
  const strides = perm.map((axis) => countOf(lengths.slice(axis + 1)));
  const inner = lengths[perm[rank - 1]!] ?? 1, stride = strides[rank - 1] ?? 1;
  const at = new Array<number>(rank).fill(0);
  // hot
  for (let to = 0, from = 0; to < moved.length;) {
    for (let i = 0; i < inner; i++) moved[to++] = values[from + i * stride]!;
    for (let axis = rank - 2; axis >= 0; axis--) {
      from += strides[axis]!;
      if (++at[axis]! < lengths[perm[axis]!]!) break;
      from -= at[axis]! * strides[axis]!;
      at[axis] = 0;
    }
  }
  return moved;
}
