/**
 * What engines cost beside each other: the rows of the table in their issue. See bench/README.md.
 *
 * @module
 */

import { fused } from "./engines/fused.ts";
import { inFlight } from "./engines/in_flight.ts";
import { threads } from "./engines/threads.ts";
import type { BenchRow } from "./row.ts";

const rows: BenchRow[] = [
  fused,
  inFlight,
  threads,
];

export default rows;
