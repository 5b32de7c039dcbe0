import type { Backend, Buffer } from "../../backend.ts";
import { BackendUnavailableError } from "../../backend_unavailable_error.ts";
import { ReferenceBackend } from "../../reference/reference_backend.ts";
import { KERNEL_CASES, type KernelCase, type Result } from "./kernel_cases.ts";
import { SampleBatch } from "./sample_batch.ts";

/**
 * Largest allowed difference from the reference backend, relative to the largest number of a result. Correct kernels
 * in float32 stay below a fiftieth of this limit; wrong kernels differ in the second or third digit.
 */
const TOLERANCE = 1e-4;

/** Kernels whose results differ from those of the reference backend. */
export interface WrongKernel {
  /** Names of the kernels that ran in the case. The last one, or one that it depends on, is wrong. */
  readonly kernels: readonly string[];
  /** Name and index of the first number that differs, its value, and the expected value. */
  readonly difference: string;
}

/**
 * Runs a small case of each family of kernels, and compares the results with those of the reference backend. Returns
 * the first case that differs, or `undefined`. All results are read at once, because waiting for a device takes
 * longer than the cases.
 */
export async function findWrongKernel(backend: Backend): Promise<WrongKernel | undefined> {
  const [found, expected] = [await runCases(backend), await runCases(new ReferenceBackend())];
  for (const [family, { kernels, results }] of found) {
    for (const [name, { values, isExact }] of results) {
      const right = expected.get(family)!.results.get(name)!.values;
      const difference = differenceIn(values, right, isExact);
      if (difference !== undefined) return { kernels, difference: name + difference };
    }
  }
  return undefined;
}

/** Names of the kernels of a case, and the values of its results. */
interface Outcome {
  readonly kernels: readonly string[];
  readonly results: ReadonlyMap<string, {
    readonly values: ArrayLike<number>;
    readonly isExact: boolean;
  }>;
}

async function runCases(backend: Backend): Promise<Map<string, Outcome>> {
  const batch = new SampleBatch(backend);
  const cases = Object.entries(KERNEL_CASES).map(([family, make]) =>
    [family, make(batch)] as const
  );
  const ready = cases.filter(([, one]) => start(batch, one));
  const looks = ready.flatMap(([, { results }]) => Object.values(results).map(resultOf));
  const values = await backend.viewOrRead(looks.flatMap(({ buffers }) => buffers));
  let at = 0;
  return new Map(ready.map(([family, { calls, results }]) => {
    const all = Object.entries(results).map(([name, result]) => {
      const { buffers, from } = resultOf(result);
      const own = values.slice(at, at += buffers.length);
      const isExact = from === undefined && buffers[0]!.dtype === "i32";
      return [name, { values: from?.(own) ?? own[0]!, isExact }] as const;
    });
    return [family, { kernels: calls.map(({ kernel }) => kernel.name), results: new Map(all) }];
  }));
}

/**
 * Starts a case. Returns `false` if the device lacks a limit that a kernel needs. Such a kernel cannot give wrong
 * results, because preparing it throws in use, too.
 */
function start({ backend, frame }: SampleBatch, { calls }: KernelCase): boolean {
  try {
    backend.run(backend.prepare(frame, calls), 0, 1);
    return true;
  } catch (error) {
    if (error instanceof BackendUnavailableError && error.reason === "limits") return false;
    throw error;
  }
}

function resultOf(result: Buffer | Result): Result {
  return "buffers" in result ? result : { buffers: [result] };
}

/**
 * Describes the first number that differs from the expected one by more than the tolerance; `undefined` if there is
 * no such number. NaN and infinity differ from every number.
 */
function differenceIn(
  values: ArrayLike<number>,
  expected: ArrayLike<number>,
  isExact: boolean,
): string | undefined {
  let largest = 0;
  for (let k = 0; k < expected.length; k++) largest = Math.max(largest, Math.abs(expected[k]!));
  const allowed = isExact ? 0 : TOLERANCE * largest;
  for (let k = 0; k < expected.length; k++) {
    const off = Math.abs(values[k]! - expected[k]!);
    if (!(off <= allowed)) return `[${k}] is ${values[k]}, expected ${expected[k]}`;
  }
  return undefined;
}
