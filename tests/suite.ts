/**
 * Chooses the tests of a file that the fast suite runs, and those that the slow suite runs.
 *
 * Of a matrix, such as engines × backends × ways of running, the fast suite runs a covering set, and the slow suite
 * the rest, or another covering set of it. A test file that imports this module is run by both suites. The runner in tools/suite sets the variable
 * HOOKE_SUITE to the name of the suite. Without it, as in `deno test tests/models/conformance_test.ts`, all tests
 * run.
 *
 * @module
 */

/** A suite that runs a part of a matrix. */
export type Suite = "fast" | "slow" | "all";

/** Keys that the rows of a matrix must cover in the fast suite, and the costs of the rows. */
export interface Thinning<Row> {
  /**
   * The keys of a row. Every key that any row has is a key of some row of the fast suite: `pairsOf(engine, backend)`
   * asks for each engine on each backend at least once. A row without keys is left to the slow suite.
   */
  readonly keys: (row: Row) => readonly string[];
  /** Keys that the slow suite covers again with the rest of the rows. Without them it runs all of the rest. */
  readonly slowKeys?: (row: Row) => readonly string[];
  /** Time that a row takes, in any unit. Of rows with as many new keys, the cheapest is chosen. */
  readonly cost?: (row: Row) => number;
}

/** The keys of all pairs of these values. Each value must say by itself what it is. */
export function pairsOf(...values: readonly string[]): string[] {
  return values.flatMap((a, i) => values.slice(i + 1).map((b) => JSON.stringify([a, b])));
}

/** Returns the rows that belong to a suite, in their order. */
export function rowsOf<Row>(
  rows: readonly Row[],
  { keys, slowKeys, cost = () => 1 }: Thinning<Row>,
  suite: Suite = runningSuite(),
): readonly Row[] {
  if (suite === "all") return rows;
  const [chosen, rest] = partsOf(rows, keys, cost);
  if (suite === "fast") return chosen;
  return slowKeys === undefined ? rest : partsOf(rest, slowKeys, cost)[0];
}

/** The rows of a covering set and the rest, both in their order. */
function partsOf<Row>(
  rows: readonly Row[],
  keys: (row: Row) => readonly string[],
  cost: (row: Row) => number,
): [chosen: Row[], rest: Row[]] {
  const chosen = coveringRows(rows.map((row) => ({ keys: keys(row), cost: cost(row) })));
  return [rows.filter((_, i) => chosen.has(i)), rows.filter((_, i) => !chosen.has(i))];
}

/** Registers a test of the slow suite in a file that has fast ones, too. */
export function slowTest(name: string, fn: (t: Deno.TestContext) => void | Promise<void>): void {
  if (runningSuite() !== "fast") Deno.test(name, fn);
}

/**
 * Registers a test of the fast suite, in a file of which the slow suite runs the rest. By `Deno.test` it would run in
 * both, which is for tests that do more in the slow suite (`few`).
 */
export function test(name: string, fn: (t: Deno.TestContext) => void | Promise<void>): void {
  fast(Deno.test)(name, fn);
}

/** The same for other functions that register tests, as in `fast(testOnGpu)("a short run", run)`. */
export function fast<Fn>(
  register: (name: string, fn: Fn) => void,
): (name: string, fn: Fn) => void {
  return (name, fn) => {
    if (runningSuite() !== "slow") register(name, fn);
  };
}

/** Returns what registers tests in the slow suite only, as in `slow(testOnGpu)("a long run", run)`. */
export function slow<Fn>(
  register: (name: string, fn: Fn) => void,
): (name: string, fn: Fn) => void {
  return (name, fn) => {
    if (runningSuite() !== "fast") register(name, fn);
  };
}

/**
 * Chooses between a few and all of something that a test goes through, such as the steps after which a run is stopped.
 * The slow suite goes through all.
 */
export function few<T>(fast: T, all: T): T {
  return runningSuite() === "fast" ? fast : all;
}

/** Returns whether tests of this suite are run: without HOOKE_SUITE those of both are. */
export function isRun(suite: "fast" | "slow"): boolean {
  return runningSuite() !== (suite === "fast" ? "slow" : "fast");
}

function runningSuite(): Suite {
  const suite = Deno.env.get("HOOKE_SUITE");
  return suite === "fast" || suite === "slow" ? suite : "all";
}

/**
 * Greedy set cover: always the row with the most new keys for its cost; of equal ones that whose keys have been chosen
 * least, so that values which are not asked for in pairs are spread over the rows.
 */
function coveringRows(rows: readonly { keys: readonly string[]; cost: number }[]): Set<number> {
  const uses = new Map(rows.flatMap(({ keys }) => keys.map((key) => [key, 0])));
  const chosen = new Set<number>();
  let missing = uses.size;
  while (missing > 0) {
    let best = -1, most = 0, least = 0;
    for (const [i, { keys, cost }] of rows.entries()) {
      const gain = keys.filter((key) => uses.get(key) === 0).length / cost;
      if (gain < most || gain === 0) continue;
      const used = keys.reduce((sum, key) => sum + uses.get(key)!, 0);
      if (gain > most || used < least) [best, most, least] = [i, gain, used];
    }
    chosen.add(best);
    for (const key of rows[best]!.keys) {
      if (uses.get(key) === 0) missing--;
      uses.set(key, uses.get(key)! + 1);
    }
  }
  return chosen;
}
