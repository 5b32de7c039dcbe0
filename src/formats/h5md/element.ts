/**
 * Elements of H5MD: values that may change from frame to frame.
 *
 * @module
 */

import type { HdfDataset, HdfGroup, HdfValue } from "./library.ts";

/** A value of particles or of the box, at one frame or at all. */
export interface H5mdElement {
  readonly value: HdfDataset;
  /** Steps of the frames; undefined if the value does not depend on time. */
  readonly steps: readonly number[] | undefined;
  /** Times of the frames; undefined if the file has none. */
  readonly times: readonly number[] | undefined;
  /** Unit of the times. */
  readonly timeUnit: string | undefined;
}

/** Returns the dataset at a path; undefined if there is none. */
export function datasetAt(group: HdfGroup, path: string): HdfDataset | undefined {
  const found = partAt(group, path);
  return found?.type === "Dataset" ? found as HdfDataset : undefined;
}

/** Returns the group at a path; undefined if there is none. */
export function groupAt(group: HdfGroup, path: string): HdfGroup | undefined {
  const found = partAt(group, path);
  return found?.type === "Group" ? found as HdfGroup : undefined;
}

function partAt(group: HdfGroup, path: string): { readonly type: string } | undefined {
  const [first, ...rest] = path.split("/");
  // `get` throws for names that do not exist.
  if (!group.keys().includes(first!)) return undefined;
  const found = group.get(first!);
  if (found === null) return undefined;
  if (rest.length === 0) return found;
  return found.type === "Group" ? partAt(found as HdfGroup, rest.join("/")) : undefined;
}

/** Returns the element of a name; undefined if the group has none. */
export function elementAt(group: HdfGroup, name: string): H5mdElement | undefined {
  const fixed = datasetAt(group, name);
  if (fixed !== undefined) {
    return { value: fixed, steps: undefined, times: undefined, timeUnit: undefined };
  }
  const value = datasetAt(group, `${name}/value`);
  if (value === undefined) return undefined;
  const frames = value.shape?.[0] ?? 0, time = datasetAt(group, `${name}/time`);
  const step = datasetAt(group, `${name}/step`);
  return {
    value,
    steps: step === undefined ? Array.from({ length: frames }, (_, i) => i) : series(step, frames),
    times: time === undefined ? undefined : series(time, frames),
    timeUnit: time === undefined ? undefined : textOf(time.attrs.unit?.value),
  };
}

/** Returns the numbers of all frames: those of a list, or of a start and an increment as H5MD 1.1 permits. */
function series(dataset: HdfDataset, frames: number): readonly number[] {
  if ((dataset.shape?.length ?? 0) > 0) return numbersOf(dataset.value);
  const [increment = 0] = numbersOf(dataset.value);
  const [offset = 0] = numbersOf(dataset.attrs.offset?.value ?? 0);
  return Array.from({ length: frames }, (_, i) => offset + i * increment);
}

/** Returns a value as numbers. */
export function numbersOf(value: HdfValue): number[] {
  if (value === null) return [];
  if (typeof value === "number" || typeof value === "bigint") return [Number(value)];
  return Array.from(value as ArrayLike<number>, Number);
}

/** Returns a value as a text; undefined for other values. */
export function textOf(value: HdfValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) && typeof value[0] === "string" ? value[0] : undefined;
}
