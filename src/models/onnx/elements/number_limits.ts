/**
 * Ranges of the element numbers that a graph supports. An index beyond the end of a table stops the runtime with an
 * error that names neither the atom nor its element. A negative index counts from the end of the table, and silently
 * selects the row of another element. If a graph compares the number with a list to make a one-hot row, a number
 * outside the list gives a row of zeros.
 *
 * @module
 */

import { intAttribute } from "../../../onnx/codec/attributes.ts";
import { tensorOfConstant } from "../../../onnx/codec/constant_node.ts";
import type { ModelProto, NodeProto, TensorProto } from "../../../onnx/codec/messages.ts";
import { elementCount, isExternal, tensorValues } from "../../../onnx/codec/tensor_proto.ts";

/** A table of a graph whose rows are selected by the element numbers of atoms. */
export interface NumberLimit {
  /** Smallest and largest element number for which the table has a row. */
  readonly range: readonly [least: number, greatest: number];
  /** Name of the table in the graph. */
  readonly table: string;
}

/** Operators that only rearrange, select, repeat or convert elements of their first input. */
const ARRANGING =
  /^(Identity|Cast|Unsqueeze|Squeeze|Reshape|Flatten|Transpose|Expand|Gather|GatherElements|GatherND|Slice)$/;

/** Returns the tables of a graph whose rows are selected by an input, or by the sum of the input and a constant. */
export function numberLimits(file: ModelProto, input: string): readonly NumberLimit[] {
  const { node: nodes = [], initializer = [] } = file.graph ?? {};
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  const offsets = new Map([[input, 0]]); // value → the constant that is added to its numbers
  const limits: NumberLimit[] = [];
  // Nodes are sorted topologically, as ONNX requires.
  for (const node of nodes) {
    if (node.domain !== "" && node.domain !== "ai.onnx") continue;
    const tensor = node.opType === "Constant" ? tensorOfConstant(node) : undefined;
    if (tensor !== undefined) constants.set(node.output[0]!, tensor);
    const offset = offsetOf(node, offsets, constants);
    if (offset !== undefined) offsets.set(node.output[0]!, offset);
    const limit = limitOf(node, offsets, constants);
    if (limit !== undefined) limits.push(limit);
  }
  return limits;
}

type Offsets = ReadonlyMap<string, number>;
type Constants = ReadonlyMap<string, TensorProto>;

/**
 * Returns the constant that an output adds to the element numbers; `undefined` if the output does not contain element
 * numbers.
 */
function offsetOf(
  { opType, input: [a = "", b = ""] }: NodeProto,
  offsets: Offsets,
  constants: Constants,
): number | undefined {
  const [left, right] = [offsets.get(a), offsets.get(b)];
  if (left !== undefined && ARRANGING.test(opType)) return left;
  if (opType !== "Add" && opType !== "Sub") return undefined;
  if (left !== undefined) {
    const number = numberOf(constants.get(b));
    return number === undefined ? undefined : opType === "Add" ? left + number : left - number;
  }
  const number = opType === "Add" ? numberOf(constants.get(a)) : undefined;
  return right === undefined || number === undefined ? undefined : right + number;
}

/** Returns the value of a constant with a single element; `undefined` for other tensors. */
function numberOf(tensor: TensorProto | undefined): number | undefined {
  if (tensor === undefined || isExternal(tensor) || elementCount(tensor) !== 1) return undefined;
  return Number(tensorValues(tensor)[0]);
}

function limitOf(
  node: NodeProto,
  offsets: Offsets,
  constants: Constants,
): NumberLimit | undefined {
  const { opType, input: [a = "", b = ""] } = node;
  if (opType === "Gather" || (opType === "GatherND" && intAttribute(node, "batch_dims", 0) === 0)) {
    const axis = opType === "Gather" ? intAttribute(node, "axis", 0) : 0;
    return limitBy(a, Number(constants.get(a)?.dims.at(axis)), offsets.get(b));
  }
  if (opType === "OneHot") return limitBy(b, numberOf(constants.get(b)), offsets.get(a));
  if (opType !== "Equal") return undefined;
  return limitBy(b, lengthOfRange(constants.get(b)), offsets.get(a)) ??
    limitBy(a, lengthOfRange(constants.get(a)), offsets.get(b));
}

function limitBy(
  table: string,
  rows: number | undefined,
  offset: number | undefined,
): NumberLimit | undefined {
  if (offset === undefined || rows === undefined || Number.isNaN(rows)) return undefined;
  return { table, range: [0 - offset, rows - 1 - offset] };
}

/**
 * Returns the length of a constant with the values 0, 1, 2 and so on; `undefined` for other constants. Graphs compare
 * element numbers with such a constant to make one-hot rows, which are zero for numbers outside it. Constants with
 * fewer than three elements are ignored, because a graph may compare with them for another reason.
 */
function lengthOfRange(tensor: TensorProto | undefined): number | undefined {
  if (tensor === undefined || isExternal(tensor) || elementCount(tensor) < 3) return undefined;
  const values = Array.from(tensorValues(tensor), Number);
  return values.every((value, i) => value === i) ? values.length : undefined;
}
