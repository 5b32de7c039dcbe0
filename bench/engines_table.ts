/**
 * What engines cost beside each other: the rows of the table in their issue. See bench/README.md.
 *
 * @module
 */

import { fused } from "./engines/fused.ts";
import { threads } from "./engines/threads.ts";
import type { BenchRow } from "./row.ts";

const rows: BenchRow[] = [
  fused,
  threads,
];

export default rows;
