import type { Session } from "./session_run.ts";
import {
  createTensorBuffer,
  type GpuFeed,
  type HostFeed,
  type TensorArray,
} from "./session_tensor.ts";

/**
 * Largest accepted difference between two arrays: absolute + relative · max |expected value|. Integers must be equal.
 */
export interface Tolerance {
  /**
   * Relative part, in units of the largest expected value.
   *
   * @default 1e-3
   */
  readonly relative?: number;
  /**
   * Absolute part, in the unit of the value.
   *
   * @default 1e-6
   */
  readonly absolute?: number;
}

/** Difference between two arrays. */
export interface Difference {
  /** True if the difference is within the tolerance. */
  readonly ok: boolean;
  /**
   * The largest difference. It is NaN if the lengths differ, or if either array has a non-finite value anywhere, even
   * if the two arrays are equal.
   */
  readonly worst: number;
  /** Index of the largest difference in the flat arrays; −1 if all values are equal or the lengths differ. */
  readonly at: number;
  /** Largest accepted difference; 0 for integers. */
  readonly limit: number;
}

/** Difference between two sessions in one output of one run. */
export interface Comparison extends Difference {
  /** Zero-based index of the run. The last run uses the inputs of the first again. */
  readonly run: number;
  /** Name of the output. */
  readonly output: string;
}

/** Input tensors in host memory, by input name. */
export type FeedsByInput = Readonly<Record<string, HostFeed>>;

/**
 * Compares two arrays of numbers. Non-finite values never agree with anything, not even with themselves, because a
 * comparison that accepts NaN proves nothing.
 *
 * ```ts
 * import { compareTensors } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const nan = Float32Array.of(1, NaN);
 * assertEquals(compareTensors(nan, nan).ok, false);
 * ```
 */
export function compareTensors(
  actual: TensorArray,
  expected: TensorArray,
  { relative = 1e-3, absolute = 1e-6 }: Tolerance = {},
): Difference {
  if (actual.length !== expected.length) return { ok: false, worst: NaN, at: -1, limit: 0 };
  const isExact = !(expected instanceof Float32Array || expected instanceof Float64Array ||
    expected.constructor.name === "Float16Array");
  let [largest, worst, at] = [0, 0, -1];
  for (let i = 0; i < expected.length; i++) {
    const difference = distance(actual[i]!, expected[i]!);
    largest = Math.max(largest, Math.abs(Number(expected[i])));
    // Do not write this as `>`, which is false for NaN and would ignore it. Once `worst` is NaN, it stays NaN.
    if (!(difference <= worst) && !Number.isNaN(worst)) [worst, at] = [difference, i];
  }
  const limit = isExact ? 0 : absolute + relative * largest;
  return { ok: worst <= limit && Number.isFinite(limit), worst, at, limit };
}

/** Returns the absolute difference of two values; NaN if one of them is infinite or NaN. */
function distance(a: number | bigint, b: number | bigint): number {
  // Subtract as bigints: large ones would be equal after a conversion to numbers.
  if (typeof a === "bigint" && typeof b === "bigint") return Number(a > b ? a - b : b - a);
  return Math.abs(Number(a) - Number(b));
}

/**
 * Runs two sessions of one model on each set of inputs in `feeds`, then on the first set again, and compares the
 * outputs. A recording that replays stale inputs differs in the second run. A recording that adds to its earlier
 * results differs in the last run.
 *
 * @param feeds at least two sets of inputs that differ; all have the same shapes if either session is captured
 * @throws {RangeError} if `feeds` has fewer than two sets, or all sets are equal, because one set proves nothing
 */
export async function compareSessions(
  actual: Session,
  expected: Session,
  feeds: readonly FeedsByInput[],
  tolerance: Tolerance = {},
): Promise<readonly Comparison[]> {
  if (feeds.length < 2 || feeds.slice(1).every((each) => isAlike(each, feeds[0]!))) {
    throw new RangeError(
      `Cannot compare sessions of ${actual.name}: at least two different sets of inputs are required; got ${feeds.length}` +
        `${feeds.length < 2 ? "" : " equal ones"}`,
    );
  }
  const [one, other] = [bindHost(actual), bindHost(expected)];
  const comparisons: Comparison[] = [];
  try {
    for (const [run, feed] of [...feeds, feeds[0]!].entries()) {
      const [found, wanted] = [await one.run(feed), await other.run(feed)];
      for (const [output, numbers] of wanted) {
        const difference = compareTensors(found.get(output)!, numbers, tolerance);
        comparisons.push({ run, output, ...difference });
      }
    }
    return comparisons;
  } finally {
    one.free();
    other.free();
  }
}

/** A session that accepts and returns arrays in host memory, even if its tensors are on a GPU. */
interface Bound {
  run(feeds: FeedsByInput): Promise<ReadonlyMap<string, TensorArray>>;
  free(): void;
}

function bindHost(session: Session): Bound {
  const buffers = new Map<string, GpuFeed>();
  return {
    run: async (feeds) => {
      const given = session.isCaptured ? upload(session, feeds, buffers) : feeds;
      const outputs = Object.entries(await session.run(given));
      const numbers = outputs.map(async ([name, output]): Promise<[string, TensorArray]> => {
        if (output.location === "host") return [name, output.data];
        try {
          return [name, await output.read()];
        } finally {
          output.dispose();
        }
      });
      return new Map(await Promise.all(numbers));
    },
    free: () => buffers.forEach(({ buffer }) => buffer.destroy()),
  };
}

/**
 * Writes inputs to GPU buffers, and returns these buffers as feeds. New buffers are added to `buffers`, by name of
 * the input, so that every run uses the same buffers.
 */
function upload(
  session: Session,
  feeds: FeedsByInput,
  buffers: Map<string, GpuFeed>,
): Readonly<Record<string, GpuFeed>> {
  const device = session.gpuDevice!;
  for (const { name, dtype } of session.inputs) {
    const feed = feeds[name];
    if (feed === undefined) continue;
    const dims = feed.dims ?? [feed.data.length];
    const given = buffers.get(name) ??
      { buffer: createTensorBuffer(device, { dtype, dims, label: name }), dims };
    buffers.set(name, { buffer: given.buffer, dims });
    // `writeBuffer` accepts only multiples of 4 bytes.
    const bytes = new Uint8Array(Math.ceil(feed.data.byteLength / 4) * 4);
    bytes.set(new Uint8Array(feed.data.buffer, feed.data.byteOffset, feed.data.byteLength));
    device.queue.writeBuffer(given.buffer, 0, bytes);
  }
  return Object.fromEntries(buffers);
}

function isAlike(a: FeedsByInput, b: FeedsByInput): boolean {
  return Object.keys({ ...a, ...b }).every((name) => {
    const [one, other] = [a[name]?.data, b[name]?.data];
    return one !== undefined && other !== undefined && one.length === other.length &&
      one.every((value: number | bigint, i: number) => Object.is(value, other[i]));
  });
}
