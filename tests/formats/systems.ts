/**
 * Systems that tests write to structure files.
 *
 * @module
 */

import { System } from "../../src/batch/system.ts";

/** Twelve atoms in a triclinic cell that is not in the standard orientation, with all fields that files can hold. */
export const SLAB: System = new System({
  symbols: Array.from({ length: 12 }, (_, i) => ["Fe", "O", "H"][i % 3]!),
  positions: Array.from({ length: 36 }, (_, i) => 3 + 2.5 * Math.sin(1.7 * i)),
  cell: [[0.1, 7, 0], [6, 0.5, 0.25], [0.3, -0.4, -8]],
  pbc: true,
  velocities: Array.from({ length: 36 }, (_, i) => 0.01 * Math.cos(i)),
  forces: Array.from({ length: 36 }, (_, i) => Math.cos(2 * i)),
  charges: Array.from({ length: 12 }, (_, i) => Math.sin(i) / 2),
  masses: Array.from({ length: 12 }, (_, i) => [55.845, 15.999, 1.008][i % 3]!),
  stress: [1, 2, 3, 2, 5, 6, 3, 6, 9].map((x) => x / 1000),
  energy: -12.345678901234567,
  fields: {
    move_mask: {
      values: Array.from({ length: 12 }, (_, i) => i % 4 === 0 ? 0 : 1),
      level: "node",
      dtype: "u8",
      fill: 1,
    },
    tags: { values: Array.from({ length: 12 }, (_, i) => i - 3), level: "node", dtype: "i32" },
  },
});

/** Two atoms of argon in a cubic cell. */
export const ARGON: System = new System({
  symbols: ["Ar", "Ar"],
  positions: [[0, 0, 0], [2.6, 2.6, 0]],
  cell: [5.2, 5.2, 5.2],
});
