/**
 * An attack: a kind of misuse that is tried many times, and its outcomes.
 *
 * @module
 */

/** One kind of attack. */
export interface Attack {
  /** The name that `--only` takes. */
  readonly name: string;
  /** The misuse that is tried, and the required result. */
  readonly aim: string;
  /** Number of cases of the standard run, which takes about an hour with all attacks together. */
  readonly cases: number;
  /** Tries cases and reports them. */
  run(trial: Trial): Promise<void>;
}

/** Counts the cases of an attack and collects what went wrong. */
export class Trial {
  /** Number of cases to try. */
  readonly cases: number;
  /** Numbers from 0 to 1, the same for the same seed. */
  readonly random: () => number;
  /** Figures for the page, in words. */
  readonly notes: string[] = [];
  readonly #failures: string[] = [];
  readonly #outcomes = new Map<string, number>();

  constructor(cases: number, seed: number) {
    this.cases = cases;
    this.random = randomFrom(seed);
  }

  /** Number of cases that were tried. */
  get tried(): number {
    return this.#outcomes.values().reduce((sum, count) => sum + count, 0);
  }

  /** Number of cases by outcome. */
  get outcomes(): ReadonlyMap<string, number> {
    return this.#outcomes;
  }

  /** Descriptions of the cases that failed. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Counts cases with an outcome that is right. */
  count(outcome: string, times = 1): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + times);
  }

  /** Counts a case that failed. */
  fail(what: string): void {
    this.count("FAILED");
    this.#failures.push(what);
  }

  /** Tries one case: it fails if it throws. */
  async attempt(what: string, outcome: string, work: () => unknown): Promise<void> {
    try {
      await work();
      this.count(outcome);
    } catch (error) {
      this.fail(`${what}: ${error instanceof Error ? error.stack ?? error.message : error}`);
    }
  }

  /** A whole number from 0 to below `n`. */
  below(n: number): number {
    return Math.floor(this.random() * n);
  }

  /** One of a list. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

/** Makes a generator by mulberry32: numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
