/** One row of the tables in the issues: a case, what it may cost, and how to measure it. */
export interface BenchRow {
  /** Group and number, as in the table: `"hooks/1"`. */
  id: string;
  /** The case, in words. */
  name: string;
  /** The most it may measure. At or under it is good. */
  limit: number;
  /** `"x"` is a ratio within one run, `"B"` bytes per event, `"MB"` megabytes, `"ms"` milliseconds. */
  unit: "x" | "B" | "MB" | "ms";
  /** Measures the case, or says what it would take to. */
  run(setting: BenchSetting): Promise<BenchResult | NotMeasured>;
}

/** Result of a case. */
export interface BenchResult {
  /** The value compared with the limit. */
  value: number;
  /** The single runs that the value was made from. */
  runs: number[];
  /** Additional information for readers, such as the other contenders or an unusual machine. */
  note?: string;
}

/** A case that could not be measured here. It is neither good nor bad, and says so. */
export interface NotMeasured {
  /** Description of the missing program or file. */
  missing: string;
}

/** Settings of a measurement. */
export interface BenchSetting {
  /** The folder of the peers; left out, what needs peers is not measured. */
  peers?: string;
  /** Folder of the environments, programs and inputs of the peers. */
  work: string;
  /** True to make missing environments, which takes minutes and needs the network. */
  makes: boolean;
  /** True to detect only large deviations, with fewer processes. */
  isQuick?: boolean;
}

/** Was a case measured? */
export function isMeasured(result: BenchResult | NotMeasured): result is BenchResult {
  return !("missing" in result);
}
