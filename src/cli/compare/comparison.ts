import type { Pair } from "./pair.ts";
import type { Names } from "./structures.ts";

/** What `hooke compare` has compared. */
export interface Comparison {
  readonly names: Names;
  /** Description of the compared values, such as "3 structures of 96 atoms in all". */
  readonly of: string;
  /** Quantities that both have. */
  readonly pairs: readonly Pair[];
  /** Quantities that only one has, and other warnings. */
  readonly notes: readonly string[];
  /** True if a structure has failed in one alone, so that its values are not in the pairs. @default false */
  readonly failsInOne?: boolean;
}
