import { bufferCases } from "./cases/buffer_cases.ts";
import { divergedCases } from "./cases/diverged_cases.ts";
import { graphCases } from "./cases/graph_cases.ts";
import { kernelCases, largeKernelCases, type MakeBackend } from "./cases/kernel_cases.ts";
import { type Held, memoryCases } from "./cases/memory_cases.ts";
import { noiseCases, type WordsOf } from "./cases/noise_cases.ts";
import { pairCases } from "./cases/pair_cases.ts";
import { programCases } from "./cases/program_cases.ts";
import type { TestCase } from "./cases/test_case.ts";

/** Options of {@linkcode backendSuite}. */
export interface BackendSuiteOptions {
  /**
   * Numbers of atoms of systems that are tested alone.
   *
   * @default 0, 1, 3, 63, 64, 65 and 1000, which are critical for lanes and workgroups
   */
  readonly sizes?: readonly number[];
  /**
   * True to test the kernels only on 100,003 atoms and on 70,000 systems, which takes minutes.
   *
   * @default false
   */
  readonly isLarge?: boolean;
  /**
   * Returns the amount of memory that all backends of this kind hold and must release explicitly: bytes, or a
   * number of buffers.
   *
   * @default no check that memory is released
   */
  readonly held?: Held;
  /**
   * Returns random words of the backend, if it can generate them separately.
   *
   * @default undefined: only the resulting noise is tested
   */
  readonly wordsOf?: WordsOf;
}

const SIZES = [0, 1, 3, 63, 64, 65, 1000];

/**
 * Returns test cases for any test runner that every backend must pass. `open` creates a backend. Each case opens a new
 * one and disposes of it.
 *
 * The cases check
 * - that every kernel agrees with its definition within {@linkcode KERNEL_TOLERANCES}: alone, in ragged batches and in
 *   skewed cells
 * - that inactive systems do not change
 * - that results are bitwise reproducible, and identical for a system alone and in a batch
 * - random numbers, buffers, programs, pair lists, and errors
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
export function backendSuite(open: MakeBackend, options: BackendSuiteOptions = {}): TestCase[] {
  const { sizes = SIZES, isLarge = false, held, wordsOf } = options;
  if (isLarge) return largeKernelCases(open);
  return [
    ...bufferCases(open),
    ...programCases(open),
    ...divergedCases(open),
    ...pairCases(open),
    ...graphCases(open),
    ...noiseCases(open, wordsOf),
    ...(held === undefined ? [] : memoryCases(open, held)),
    ...kernelCases(open, sizes),
  ];
}
