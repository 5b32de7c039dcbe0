/**
 * Rows of the benchmark that compares engines with each other. bench/README.md describes them.
 *
 * @module
 */

import { fused } from "./engines/fused.ts";
import { inFlight } from "./engines/in_flight.ts";
import { lbfgsRow } from "./engines/lbfgs.ts";
import { optimizersRow } from "./engines/optimizers.ts";
import { threads } from "./engines/threads.ts";
import type { BenchRow } from "./row.ts";

/** The rows, in the order of the issue. */
const ROWS: BenchRow[] = [optimizersRow, fused, threads, lbfgsRow, inFlight];

export default ROWS;
