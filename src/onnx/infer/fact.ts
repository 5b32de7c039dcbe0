/**
 * What can be known of a value without running the graph.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { KnownLength } from "./length.ts";

/** The lengths along all axes; unknown ones have a name of their own, such as "?12". */
export type KnownShape = readonly KnownLength[];

/** The type, the shape and, of small tensors of whole numbers, the numbers of a value. */
export interface Fact {
  /** The type of its elements; `undefined` where it cannot be told. */
  readonly type: ElementType | undefined;
  /** Its lengths, numbers or texts of polynomials; `undefined` where not even their number can be told. */
  readonly shape: KnownShape | undefined;
  /** The numbers of a tensor of whole numbers or truth values, of rank 1 at most and of 64 numbers at most. */
  readonly values: KnownShape | undefined;
}

/** What a rule may ask for besides the facts of a node's inputs. */
export interface Inferring {
  /** The graph. */
  readonly graph: Graph;
  /** The version of its operators. */
  readonly opset: number;
  /** A name for a length that cannot be told. */
  fresh(): string;
  /** A name for a number that cannot be told, which may be negative. */
  freshNumber(): string;
  /** For facts that cannot be: throws a SyntaxError that names the node. */
  contradiction(requirement: string, value: string): never;
}

/**
 * What follows for a node's outputs from what is known of its inputs; `undefined` for inputs left out. Outputs that
 * are missing in the answer are unknown.
 */
export type InferenceRule = (
  inputs: readonly (Fact | undefined)[],
  node: NodeProto,
  inferring: Inferring,
) => readonly Fact[];

/** Rules by operator: "Add", or "com.microsoft.QuickGelu" for other domains. */
export type InferenceRules = Readonly<Record<string, InferenceRule>>;

/** Numbers of tensors of so many elements at most are kept. */
export const MOST_VALUES = 64;

/** Of what is not known at all. */
export const UNKNOWN: Fact = { type: undefined, shape: undefined, values: undefined };

/** A fact, with numbers only where they are few and all there. */
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

/** What was computed, or a fresh name where it is unknown, or so large that a type would wrap it. */
export function computed(
  value: KnownLength | undefined,
  type: ElementType | undefined,
  inferring: Inferring,
): KnownLength {
  if (value === undefined) return inferring.freshNumber();
  if (typeof value === "string" || value === (value | 0)) return value;
  return type === "i64" && Number.isSafeInteger(value) ? value : inferring.freshNumber();
}

/** Are numbers of this type computed with? */
export function isComputed(type: ElementType | undefined): boolean {
  return type === "i64" || type === "i32";
}

/** Is it a number of axes that a tensor may have? Files may have lists of any length in the place of shapes. */
export function isRank(count: KnownLength | undefined): count is number {
  return typeof count === "number" && count <= MOST_VALUES;
}

/** A shape of so many axes, nothing known of their lengths. */
export function freshShape(rank: number, inferring: Inferring): KnownShape {
  return Array.from({ length: rank }, () => inferring.fresh());
}

/** An axis that may be counted from the end. Contradicts where there is none. */
export function axisOf(axis: number, rank: number, inferring: Inferring): number {
  const at = axis < 0 ? axis + rank : axis;
  if (at >= 0 && at < rank) return at;
  return inferring.contradiction(`its axis must be one of ${rank}`, `${axis}`);
}

/** Values that are all numbers, else `undefined`. */
export function numbersOf(fact: Fact | undefined): readonly number[] | undefined {
  const values = fact?.values;
  return values?.every((value) => typeof value === "number") ? values as number[] : undefined;
}

/** The one value of a tensor of one, where it is a number. */
export function numberOf(fact: Fact | undefined): number | undefined {
  const numbers = numbersOf(fact);
  return numbers?.length === 1 ? numbers[0] : undefined;
}

/** The type that the first one known has. */
export function typeAmong(inputs: readonly (Fact | undefined)[]): ElementType | undefined {
  for (const input of inputs) if (input?.type !== undefined) return input.type;
  return undefined;
}
