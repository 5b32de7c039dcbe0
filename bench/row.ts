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
  /** Measures the case, or says what it would take to. */
  run(setting: BenchSetting): Promise<BenchResult | NotMeasured>;
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

/** A case that could not be measured here. It is neither good nor bad, and says so. */
export interface NotMeasured {
  /** What is missing. */
  missing: string;
}

/** What is there to measure with. */
export interface BenchSetting {
  /** The folder of the peers; left out, what needs peers is not measured. */
  peers?: string;
  /** Where the peers' environments, programs and inputs are. */
  work: string;
  /** Whether environments that are missing are to be made, which takes minutes and the network. */
  makes: boolean;
  /** Whether only what is far off is to be found: fewer processes will do. @default false */
  isQuick?: boolean;
}

/** Was a case measured? */
export function isMeasured(result: BenchResult | NotMeasured): result is BenchResult {
  return !("missing" in result);
}
