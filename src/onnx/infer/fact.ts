/**
 * Facts about values that are known without running the graph.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { KnownLength } from "./length.ts";

/** Lengths of all axes. An unknown length has a unique name, such as "?12". */
export type KnownShape = readonly KnownLength[];

/** Type and shape of a value, and the values of small integer tensors. */
export interface Fact {
  /** Element type; `undefined` if unknown. */
  readonly type: ElementType | undefined;
  /** Lengths as numbers or texts of polynomials; `undefined` if even the number of axes is unknown. */
  readonly shape: KnownShape | undefined;
  /**
   * Elements of an integer or boolean tensor that has at most one axis and 64 elements; `undefined` for other
   * tensors, or if they are unknown. They are needed because graphs compute shapes from such tensors.
   */
  readonly values: KnownShape | undefined;
}

/** Context of an inference rule. */
export interface Inferring {
  /** Graph that contains the node. */
  readonly graph: Graph;
  /** Opset version of the graph. */
  readonly opset: number;
  /** Returns a new name for an unknown length. */
  fresh(): string;
  /** Returns a new name for an unknown number, which may be negative. */
  freshNumber(): string;
  /** Throws a SyntaxError about contradicting facts. The message names the node whose rule is running. */
  contradiction(requirement: string, value: string): never;
}

/**
 * Infers the facts about the outputs of a node from those about its inputs. A fact is `undefined` for an omitted
 * input. Nothing is known about outputs that are missing from the result.
 */
export type InferenceRule = (
  inputs: readonly (Fact | undefined)[],
  node: NodeProto,
  inferring: Inferring,
) => readonly Fact[];

/** Rules by operator: "Add", or "com.microsoft.QuickGelu" for other domains. */
export type InferenceRules = Readonly<Record<string, InferenceRule>>;

/** Maximum number of elements of a tensor whose values are stored in a fact. */
export const MOST_VALUES = 64;

/** Fact about a value of which nothing is known. */
export const UNKNOWN: Fact = { type: undefined, shape: undefined, values: undefined };

/** Creates a fact. Values are stored only if all are known, and if the tensor has at most one axis and 64 elements. */
export function factOf(
  type: ElementType | undefined,
  shape: KnownShape | undefined,
  values?: KnownShape,
): Fact {
  return {
    type,
    shape,
    values: values !== undefined && isKept(shape, values) ? values : undefined,
  };
}

function isKept(shape: KnownShape | undefined, values: KnownShape): boolean {
  if (shape === undefined || shape.length > 1 || values.length > MOST_VALUES) return false;
  return (shape[0] ?? 1) === values.length;
}

/**
 * Returns a number that inference has computed. Returns a fresh name if the number is unknown or may overflow its
 * type.
 */
export function computed(
  value: KnownLength | undefined,
  type: ElementType | undefined,
  inferring: Inferring,
): KnownLength {
  if (value === undefined) return inferring.freshNumber();
  if (typeof value === "string" || value === (value | 0)) return value;
  return type === "i64" && Number.isSafeInteger(value) ? value : inferring.freshNumber();
}

/** Returns whether the inference computes the values of tensors of this type. */
export function isComputed(type: ElementType | undefined): boolean {
  return type === "i64" || type === "i32";
}

/** Returns whether a number of axes is known and at most 64. A damaged file may declare any number of axes. */
export function isRank(count: KnownLength | undefined): count is number {
  return typeof count === "number" && count <= MOST_VALUES;
}

/** Returns a shape with `rank` unknown lengths. */
export function freshShape(rank: number, inferring: Inferring): KnownShape {
  return Array.from({ length: rank }, () => inferring.fresh());
}

/**
 * Returns the index of an axis, from 0. A negative axis counts from the end. Reports a contradiction if the axis does
 * not exist.
 */
export function axisOf(axis: number, rank: number, inferring: Inferring): number {
  const at = axis < 0 ? axis + rank : axis;
  if (at >= 0 && at < rank) return at;
  return inferring.contradiction(`its axis must be within ${rank} axes`, `${axis}`);
}

/** Returns the values in a fact; `undefined` if one of them is not a known number. */
export function numbersOf(fact: Fact | undefined): readonly number[] | undefined {
  const values = fact?.values;
  return values?.every((value) => typeof value === "number") ? values as number[] : undefined;
}

/** Returns the value of a tensor with one element; `undefined` if it is not a known number. */
export function numberOf(fact: Fact | undefined): number | undefined {
  const numbers = numbersOf(fact);
  return numbers?.length === 1 ? numbers[0] : undefined;
}

/** Returns the first known element type among inputs; `undefined` if all are unknown. */
export function typeAmong(inputs: readonly (Fact | undefined)[]): ElementType | undefined {
  for (const input of inputs) if (input?.type !== undefined) return input.type;
  return undefined;
}
