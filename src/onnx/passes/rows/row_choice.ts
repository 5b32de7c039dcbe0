import { type ElementType, isFloat } from "../../codec/element_type.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { hasArray, isExternal, tensorType } from "../../codec/tensor_proto.ts";
import { plainOf } from "../../evaluate/plain_tensor.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { originsOf, VIEWS } from "./axis_origins.ts";
import { type Region, regionBehind } from "./region.ts";

/** A graph with its facts and parameters. */
export interface Analyzed {
  readonly graph: Graph;
  readonly facts: GraphFacts;
  /** Names of constants whose values training will change. */
  readonly parameters: ReadonlySet<string>;
}

/** A node that selects rows of a value. */
export interface RowChoice {
  /** Name of the value whose rows are selected. */
  readonly value: string;
  /** Type of the value and of the result. */
  readonly type: ElementType;
  /** Shape of the value and of the result. */
  readonly shape: KnownShape;
  /** Axis of the rows in the value. */
  readonly axis: number;
  /** Name of the mask, which is 1 or true for the selected rows. */
  readonly mask: string;
  /** Axis of the rows in the mask. */
  readonly maskAxis: number;
  /** Name of the value of the other rows; `undefined` for zeros. */
  readonly rest: string | undefined;
}

/**
 * Returns the choice of rows that a node makes, by Where or by a product with zeros and ones; `undefined` for other
 * nodes. The rows must be along the first axis, or along the second one if axis 0 is `stack`. The lengths of all
 * other axes must be numbers.
 */
export function rowChoiceOf(
  analyzed: Analyzed,
  node: NodeProto,
  stack?: number,
): RowChoice | undefined {
  const parts = partsOf(analyzed, node), { facts } = analyzed;
  const { type, shape } = facts.of(node.output[0] ?? "");
  if (parts === undefined || type === undefined || !isFloat(type) || shape === undefined) {
    return undefined;
  }
  const { value, mask } = parts, axis = stack === 0 ? 1 : 0, maskShape = facts.of(mask).shape;
  const isSame = facts.of(value).shape?.join() === shape.join();
  const areKnown = shape.every((length, at) => at === axis || typeof length === "number");
  const maskAxis = axis - (shape.length - (maskShape?.length ?? 0));
  if (!isSame || !areKnown || maskAxis < 0 || shape[axis] === 1) return undefined;
  const isRows = maskShape?.every((length, at) =>
    at === maskAxis ? length === shape[axis] : length === 1 || at + axis - maskAxis === stack
  );
  return isRows ? { ...parts, type, shape, axis, maskAxis } : undefined;
}

function partsOf(
  analyzed: Analyzed,
  { opType, domain, input }: NodeProto,
): Pick<RowChoice, "value" | "mask" | "rest"> | undefined {
  const [a = "", b = "", c = ""] = input;
  if (domain !== "") return undefined;
  if (opType === "Where" && isSelection(analyzed, a)) {
    return { value: b, mask: a, rest: isZero(analyzed, c) ? undefined : c };
  }
  if (opType !== "Mul") return undefined;
  if (isSelection(analyzed, b)) return { value: a, mask: b, rest: undefined };
  return isSelection(analyzed, a) ? { value: b, mask: a, rest: undefined } : undefined;
}

/** Operators that only convert or rearrange a comparison, or select elements of it. */
const ARRANGING = ["Cast", "Identity", "Gather", ...VIEWS];

/** Returns whether a value is a comparison of integers, as booleans or as the numbers 0 and 1. */
function isSelection(analyzed: Analyzed, name: string): boolean {
  const { graph, facts } = analyzed;
  let node = graph.producer(name);
  while (node?.domain === "" && ARRANGING.includes(node.opType)) {
    const [from = ""] = node.input;
    if (node.opType === "Cast" && facts.of(from).type !== "bool") return false;
    node = graph.producer(from);
  }
  if (node?.domain !== "") return false;
  if (node.opType === "And") return node.input.some((each) => isSelection(analyzed, each));
  const { type } = facts.of(node.input[0] ?? "");
  return node.opType === "Equal" && type !== undefined && !isFloat(type);
}

/** Returns whether a value is the scalar 0. */
function isZero({ graph, parameters }: Analyzed, name: string): boolean {
  const tensor = parameters.has(name) ? undefined : graph.constant(name);
  if (tensor?.dims.length !== 0 || isExternal(tensor) || !hasArray(tensorType(tensor))) {
    return false;
  }
  return plainOf(tensor).data[0] === 0;
}

/**
 * Returns the region that computes the rows of a choice; `undefined` if it contains no product with a matrix, so that
 * it is not a network.
 */
export function networkBehind(
  analyzed: Analyzed,
  { value, axis }: RowChoice,
  node: NodeProto,
): Region | undefined {
  const region = regionBehind(analyzed, value, axis, node);
  const hasProduct = [...region.nodes].some((each) => {
    if (each.opType !== "MatMul" && each.opType !== "Gemm") return false;
    const origins = originsOf(each, region.axes.get(each.output[0]!)!, analyzed.facts);
    return origins!.slice(0, 2).includes(undefined);
  });
  return hasProduct ? region : undefined;
}
