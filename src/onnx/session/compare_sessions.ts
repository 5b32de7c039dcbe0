import type { Session } from "./session_run.ts";
import {
  createTensorBuffer,
  type GpuFeed,
  type HostFeed,
  type TensorArray,
} from "./session_tensor.ts";

/** How far apart two results may be: absolute + relative · the largest expected value. Whole numbers: not at all. */
export interface Tolerance {
  /**
   * In parts of the largest value.
   *
   * @default 1e-3
   */
  readonly relative?: number;
  /**
   * In the unit of the value.
   *
   * @default 1e-6
   */
  readonly absolute?: number;
}

/** How far apart two results are. */
export interface Difference {
  /** Whether it is within the tolerance. */
  readonly ok: boolean;
  /** The largest difference; NaN when one of the two is no number anywhere, equal or not. */
  readonly worst: number;
  /** Where that is. */
  readonly at: number;
  /** How large it may be. */
  readonly limit: number;
}

/** How far apart two sessions are in one output for one input. */
export interface Comparison extends Difference {
  /** Which run. */
  readonly run: number;
  /** Which output. */
  readonly output: string;
}

/** Input → tensor in host memory. */
export type HostFeeds = Readonly<Record<string, HostFeed>>;

/**
 * Compares two runs of numbers. What is not finite is never equal to anything, itself included: a comparison that
 * lets NaN pass proves nothing.
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
    // Not `>`: that is false for NaN, which would be forgotten. Once it is NaN it stays.
    if (!(difference <= worst) && !Number.isNaN(worst)) [worst, at] = [difference, i];
  }
  const limit = isExact ? 0 : absolute + relative * largest;
  return { ok: worst <= limit && Number.isFinite(limit), worst, at, limit };
}

/** NaN for infinities, as for NaN: nothing is said of how far apart they are. */
function distance(a: number | bigint, b: number | bigint): number {
  // As a number a large one would lose what tells it from the next.
  if (typeof a === "bigint" && typeof b === "bigint") return Number(a > b ? a - b : b - a);
  return Math.abs(Number(a) - Number(b));
}

/**
 * Runs two sessions of one model on the same inputs, in turns: the first, the second …, the first again. A recording
 * that replays what it was recorded with shows in the second; one that adds up shows in the last.
 *
 * @param feeds at least two, of the same shapes if either session is captured
 * @throws {RangeError} for fewer than two, and when they are all alike: one input proves nothing
 */
export async function compareSessions(
  actual: Session,
  expected: Session,
  feeds: readonly HostFeeds[],
  tolerance: Tolerance = {},
): Promise<readonly Comparison[]> {
  if (feeds.length < 2 || feeds.slice(1).every((each) => isAlike(each, feeds[0]!))) {
    throw new RangeError(
      `Cannot compare sessions of ${actual.name} as there must be two inputs that differ: there are ${feeds.length}` +
        `${feeds.length < 2 ? "" : ", all alike"}`,
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

/** A session from host memory to host memory, wherever it keeps its tensors. */
interface Bound {
  run(feeds: HostFeeds): Promise<ReadonlyMap<string, TensorArray>>;
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

/** Puts inputs into buffers that stay the same. */
function upload(
  session: Session,
  feeds: HostFeeds,
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
    // A queue takes whole words.
    const bytes = new Uint8Array(Math.ceil(feed.data.byteLength / 4) * 4);
    bytes.set(new Uint8Array(feed.data.buffer, feed.data.byteOffset, feed.data.byteLength));
    device.queue.writeBuffer(given.buffer, 0, bytes);
  }
  return Object.fromEntries(buffers);
}

function isAlike(a: HostFeeds, b: HostFeeds): boolean {
  return Object.keys({ ...a, ...b }).every((name) => {
    const [one, other] = [a[name]?.data, b[name]?.data];
    return one !== undefined && other !== undefined && one.length === other.length &&
      one.every((value: number | bigint, i: number) => Object.is(value, other[i]));
  });
}
