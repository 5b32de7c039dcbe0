/**
 * What training costs: the rows of the table in its issue. See bench/README.md.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { compareWith } from "./dynamics/against.ts";
import type { BenchRow } from "./row.ts";

const rows: BenchRow[] = [
  {
    id: "training/6",
    name: "fused AdamW, 1e7 parameters, against their 28 bytes each at the speed of C's copy",
    limit: 1.3,
    unit: "x",
    run: (setting) =>
      compareWith(setting, {
        ...{ case: "adamw 1e7", peers: ["c copy of 28 bytes"], of: "cpu" },
        ours: fileURLToPath(new URL("training/adamw.ts", import.meta.url)),
      }),
  },
];

export default rows;
