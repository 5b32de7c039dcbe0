import { fullCases, listCases, reopenCases, truncateCases } from "./sink_runs.ts";
import { readingCases, sliceCases, writingCases } from "../cases/sink_cases.ts";
import type { Lost, OpenSink, SinkTrial } from "./sink_trial.ts";
import type { TestCase } from "../cases/test_case.ts";

/** What a suite has to know of a sink. */
export interface SinkSuiteOptions {
  /**
   * What it says that it does not keep: fields per edge; `info`; systems at all, where it gives back none.
   *
   * @default nothing
   */
  readonly loses?: readonly Lost[];
  /**
   * Makes a sink that holds only so many systems, where there is such.
   *
   * @default there is none
   */
  readonly bounded?: (capacity: number) => SinkTrial | Promise<SinkTrial>;
  /**
   * Whether it keeps systems when it is closed, so that `reopen` of what `open` makes finds them.
   *
   * @default false
   */
  readonly isStored?: boolean;
}

/**
 * What every sink must do, as cases for any test runner: what is written comes back, in order and to the bit; masks;
 * copies taken at once; nothing taken by halves, and nothing lost; slices, draining and clearing as of a list; and
 * adding to what an earlier one has left.
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
export function sinkSuite(open: OpenSink, options: SinkSuiteOptions = {}): TestCase[] {
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
