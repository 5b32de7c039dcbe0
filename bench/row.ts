/** One row of the tables in the issues: a case, what it may cost, and how to measure it. */
export interface BenchRow {
  /** Group and number, as in the table: `"hooks/1"`. */
  id: string;
  /** The case, in words. */
  name: string;
  /** The most it may measure. At or under it is good. */
  limit: number;
  /** `"x"` is a ratio within one run, `"B"` bytes per event, `"MB"` megabytes. */
  unit: "x" | "B" | "MB";
  /** Measures the case. */
  run(): Promise<BenchResult>;
}

/** What a case measured. */
export interface BenchResult {
  /** The value compared with the limit. */
  value: number;
  /** The single runs that the value was made from. */
  runs: number[];
  /** What the reader should know besides: the other contenders, an odd machine. */
  note?: string;
}
