/**
 * Inputs of an evaluator: validation and conversion to plain tensors.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import { type HostFeed, TENSOR_ARRAYS } from "../session/session_tensor.ts";
import { DTYPES } from "../codec/tensor_info.ts";
import type { ValueDescription } from "../codec/value_info.ts";
import { countOf, type PlainTensor } from "./plain_tensor.ts";

/** Tensors by name of the input, as plain tensors or in the form that sessions accept. */
export type PlainFeeds = Readonly<Record<string, PlainTensor | HostFeed>>;

/**
 * Converts a feed to a plain tensor.
 *
 * @throws {TypeError} if its type differs from the input's
 * @throws {RangeError} if its shape differs from the input's, or the number of elements does not match its shape
 */
export function plainFeed(input: ValueDescription, feed: PlainTensor | HostFeed): PlainTensor {
  const { data } = feed, dims = feed.dims ?? [data?.length];
  const type = typeOf(input, feed);
  checkDims(input, dims);
  if (data.length !== countOf(dims)) {
    throw new RangeError(
      `Cannot evaluate a graph: the input ${JSON.stringify(input.name)} must have ${
        dims.join(" * ") || "1"
      } values; got ${data.length}`,
    );
  }
  if ("type" in feed) return feed;
  return { type, dims, data: data instanceof Float64Array ? data : doubles(data) };
}

function doubles(data: HostFeed["data"]): Float64Array {
  const values = new Float64Array(data.length);
  for (let i = 0; i < values.length; i++) values[i] = Number(data[i]);
  return values;
}

/**
 * Returns the element type of a feed. One class of arrays may hold several types, such as bytes and booleans, so the
 * type of the input decides.
 */
function typeOf({ name, type }: ValueDescription, feed: PlainTensor | HostFeed): ElementType {
  if ("type" in feed) {
    const isPlain = feed.data instanceof Float64Array;
    if (isPlain && (type === undefined || type === feed.type)) return feed.type;
    throw refused(
      name,
      `${type} in a Float64Array`,
      isPlain ? feed.type : `${feed.type} in ${kindOf(feed.data)}`,
    );
  }
  const dtype = type && DTYPES[type];
  const wanted = dtype && TENSOR_ARRAYS[dtype];
  if (type !== undefined && wanted !== undefined && feed.data instanceof wanted) return type;
  const requirement = wanted === undefined
    ? "{ type, dims, data: Float64Array }"
    : `${type} in a ${(wanted as unknown as { readonly name: string }).name}`;
  throw refused(name, requirement, kindOf(feed.data));
}

function kindOf(data: unknown): string {
  return `a ${(data as object | undefined)?.constructor?.name}`;
}

function refused(name: string, requirement: string, value: string): TypeError {
  return new TypeError(
    `Cannot evaluate a graph: the input ${JSON.stringify(name)} must be ${requirement}; ` +
      `got ${value}`,
  );
}

/**
 * Throws a RangeError if the shape of a feed does not fit the input. Variable lengths of the input accept any length.
 */
function checkDims({ name, shape }: ValueDescription, dims: readonly number[]): void {
  let fits = shape === undefined || shape.length === dims.length;
  for (let axis = 0; axis < dims.length && fits; axis++) {
    const length = shape?.[axis], dim = dims[axis]!;
    fits = Number.isInteger(dim) && dim >= 0 &&
      (typeof length !== "number" || length < 0 || length === dim);
  }
  if (fits) return;
  throw new RangeError(
    `Cannot evaluate a graph: the input ${JSON.stringify(name)} must have the shape [${
      shape === undefined ? "of integers" : shape.map((length) => length ?? "any").join(", ")
    }]; got [${dims.join(", ")}]`,
  );
}
