import { bufferCases } from "./cases/buffer_cases.ts";
import { graphCases } from "./cases/graph_cases.ts";
import { kernelCases, largeKernelCases, type OpenBackend } from "./cases/kernel_cases.ts";
import { type Held, memoryCases } from "./cases/memory_cases.ts";
import { noiseCases, type WordsOf } from "./cases/noise_cases.ts";
import { pairCases } from "./cases/pair_cases.ts";
import { programCases } from "./cases/program_cases.ts";
import type { TestCase } from "./cases/test_case.ts";

/** What else a suite may ask of a backend. */
export interface BackendSuiteOptions {
  /**
   * How many atoms systems have that are tried alone.
   *
   * @default 0, 1, 3, 63, 64, 65 and 1000: what lanes and workgroups may get wrong
   */
  readonly sizes?: readonly number[];
  /**
   * Whether the kernels are tried on 100,003 atoms and on 70,000 systems, and on nothing else: that takes minutes.
   *
   * @default false
   */
  readonly isLarge?: boolean;
  /**
   * How much all backends of this kind hold, of what only they can give back: bytes, or buffers.
   *
   * @default none: nobody looks whether memory is given back
   */
  readonly held?: Held;
  /**
   * The random words of the backend, where it can give them by themselves.
   *
   * @default none: they are seen only by the noise that is made of them
   */
  readonly wordsOf?: WordsOf;
}

const SIZES = [0, 1, 3, 63, 64, 65, 1000];

/**
 * What every backend must do, as cases for any test runner: every kernel as near to its plain meaning as
 * {@linkcode TOLERANCES} says, alone and in ragged batches, in skewed cells; systems at rest untouched; the same bits
 * again, and for a system alone as in a batch; random numbers; buffers, programs, lists of pairs; and errors.
 *
 * `open` makes a backend; each case opens its own, and disposes of it.
 *
 * @example
 * ```ts
 * import { openBackend } from "@hooke/hooke/backend";
 * import { backendSuite } from "@hooke/hooke/testing";
 *
 * const cases = backendSuite(() => openBackend("reference"), { sizes: [0, 3, 65] });
 * // In a file of tests: for (const { name, run } of cases) Deno.test(name, run);
 * for (const { run } of cases) await run();
 * ```
 */
export function backendSuite(open: OpenBackend, options: BackendSuiteOptions = {}): TestCase[] {
  const { sizes = SIZES, isLarge = false, held, wordsOf } = options;
  if (isLarge) return largeKernelCases(open);
  return [
    ...bufferCases(open),
    ...programCases(open),
    ...pairCases(open),
    ...graphCases(open),
    ...noiseCases(open, wordsOf),
    ...(held === undefined ? [] : memoryCases(open, held)),
    ...kernelCases(open, sizes),
  ];
}
