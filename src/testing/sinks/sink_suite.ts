import { fullCases, listCases, reopenCases, truncateCases } from "./sink_runs.ts";
import { readingCases, sliceCases, writingCases } from "../cases/sink_cases.ts";
import type { Lost, MakeSinkTrial, SinkTrial } from "./sink_trial.ts";
import type { TestCase } from "../cases/test_case.ts";

/** Options of {@linkcode sinkSuite}. */
export interface SinkSuiteOptions {
  /**
   * Data that the sink cannot return: `"edges"` (fields per edge), `"info"`, or `"systems"` if it cannot be read at
   * all.
   *
   * @default []
   */
  readonly loses?: readonly Lost[];
  /**
   * Creates a sink with a limited capacity, if it supports that.
   *
   * @default no such sink
   */
  readonly bounded?: (capacity: number) => SinkTrial | Promise<SinkTrial>;
  /**
   * True if the sink keeps systems when it is closed, so that `reopen` finds them.
   *
   * @default false
   */
  readonly isStored?: boolean;
}

/**
 * Returns test cases for any test runner that every sink must pass.
 *
 * The cases check
 * - that systems are read back in order and bitwise identical
 * - that masks select systems
 * - that input is copied immediately
 * - that batches are accepted completely or not at all, and nothing is lost
 * - slices, draining, clearing, and appending to an existing sink
 *
 * @example
 * ```ts
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { sinkSuite } from "@hooke/hooke/testing";
 *
 * const cases = sinkSuite(() => ({ sink: new MemorySink() }), {
 *   bounded: (capacity) => ({ sink: new MemorySink({ capacity }) }),
 * });
 * // In a file of tests: for (const { name, run } of cases) Deno.test(name, run);
 * for (const { run } of cases) await run();
 * ```
 */
export function sinkSuite(open: MakeSinkTrial, options: SinkSuiteOptions = {}): TestCase[] {
  const { loses = [], bounded, isStored = false } = options;
  const isReadable = !loses.includes("systems");
  return [
    ...writingCases(open),
    ...(isReadable ? readingCases(open, loses) : []),
    ...(isReadable ? listCases(open, loses) : []),
    ...(isReadable && isStored ? sliceCases(open, loses) : []),
    ...(isStored ? reopenCases(open, loses) : []),
    ...(isStored ? truncateCases(open, loses) : []),
    ...(bounded === undefined ? [] : fullCases(bounded, loses)),
  ];
}
