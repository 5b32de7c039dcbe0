/**
 * Conversion of samples to the tensors of a batch.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed, TensorArray } from "../../onnx/session/session_tensor.ts";
import type { TrainingFeeds } from "./data_source.ts";
import { dtypeOf, type Sized, sized, zerosLike } from "./tensor_rows.ts";

/**
 * A tensor of a sample. Numbers and lists of numbers become float32, a bigint becomes int64, and a typed array keeps
 * its type. A `{ data, dims }` object may have any shape.
 */
export type SampleValue = number | bigint | readonly number[] | TensorArray | HostFeed;

/** A sample: its tensors by their names in the graph. */
export type Sample = Readonly<Record<string, SampleValue>>;

const ACTION = "stack samples";

/**
 * Stacks the tensors of samples along a new first axis. The results are the tensors of a batch.
 *
 * @param places the numbers of the samples in errors; their indices by default
 * @throws {TypeError} if a sample is not an object of tensors, or if its fields or their types differ from those of
 * the first sample
 * @throws {RangeError} if there are no samples, or if the shape of a field differs from that in the first sample; the
 * message names the field and the sample
 *
 * @example
 * ```ts
 * import { stackSamples } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const feeds = stackSamples([{ x: [1, 2], label: 0n }, { x: [3, 4], label: 1n }]);
 * assertEquals(feeds.x, { data: Float32Array.of(1, 2, 3, 4), dims: [2, 2] });
 * assertEquals(feeds.label, { data: BigInt64Array.of(0n, 1n), dims: [2] });
 * ```
 */
export function stackSamples(
  samples: readonly Sample[],
  places?: ArrayLike<number>,
): TrainingFeeds {
  const placeOf = (k: number) => places?.[k] ?? k;
  if (samples.length === 0) {
    throw new RangeError(`Cannot ${ACTION}: at least one sample is required; got 0`);
  }
  const fields = fieldsOf(samples[0]!, placeOf(0));
  for (let k = 1; k < samples.length; k++) checkFields(samples[k]!, fields, placeOf(k));
  return Object.fromEntries(fields.map((field) => [field, stacked(field, samples, placeOf)]));
}

function stacked(
  field: string,
  samples: readonly Sample[],
  placeOf: (k: number) => number,
): HostFeed {
  const first = tensorOf(samples[0]![field]!, field, placeOf(0));
  const { length } = first.data;
  const data = zerosLike(first.data, samples.length * length);
  for (const [k, sample] of samples.entries()) {
    const one = k === 0 ? first : tensorOf(sample[field]!, field, placeOf(k));
    checkSame(first, one, () => [`the field ${show(field)}`, placeOf(0), placeOf(k)]);
    (data as Float32Array).set(one.data as Float32Array, k * length);
  }
  return { data, dims: [samples.length, ...first.dims] };
}

function checkSame(
  first: Sized,
  one: Sized,
  of: () => [field: string, first: number, one: number],
): void {
  const [a, b] = [dtypeOf(first.data), dtypeOf(one.data)];
  if (a !== b) {
    const [field, i, k] = of();
    throw new TypeError(
      `Cannot ${ACTION}: ${field} must be ${a}, as in sample ${i}; got ${b} in sample ${k}`,
    );
  }
  const isSame = first.dims.length === one.dims.length &&
    first.dims.every((length, axis) => length === one.dims[axis]);
  if (isSame) return;
  const [field, i, k] = of();
  throw new RangeError(
    `Cannot ${ACTION}: ${field} must have the shape [${
      first.dims.join(", ")
    }], as in sample ${i}; got [${one.dims.join(", ")}] in sample ${k}`,
  );
}

function tensorOf(value: unknown, field: string, place: number): Sized {
  if (typeof value === "number") return { data: Float32Array.of(value), dims: [] };
  if (typeof value === "bigint") return { data: BigInt64Array.of(value), dims: [] };
  const what = `the field ${show(field)} of sample ${place}`;
  if (Array.isArray(value)) {
    const wrong = value.find((each) => typeof each !== "number");
    if (wrong === undefined && !value.includes(undefined)) {
      return { data: Float32Array.from(value), dims: [value.length] };
    }
    throw new TypeError(
      `Cannot ${ACTION}: ${what} must be a flat list of numbers, or { data, dims }; got ${
        show(wrong)
      } in it`,
    );
  }
  if (dtypeOf(value) !== undefined) {
    return { data: value as TensorArray, dims: [(value as TensorArray).length] };
  }
  return sized(ACTION, what, value as HostFeed);
}

function fieldsOf(sample: unknown, place: number): string[] {
  if (typeof sample === "object" && sample !== null && Object.keys(sample).length > 0) {
    return Object.keys(sample);
  }
  throw new TypeError(
    `Cannot ${ACTION}: sample ${place} must be an object with at least one field; got ${
      show(sample)
    }`,
  );
}

function checkFields(sample: unknown, fields: readonly string[], place: number): void {
  const own = fieldsOf(sample, place);
  if (own.length === fields.length && fields.every((field) => own.includes(field))) return;
  throw new TypeError(
    `Cannot ${ACTION}: sample ${place} must have the fields ${fields.join(", ")}; got ${
      own.join(", ")
    }`,
  );
}
