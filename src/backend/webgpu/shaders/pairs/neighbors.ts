import type { Shader } from "../../program/shader.ts";
import { BIN, FILL, PREPARE, SCAN, SORT } from "./neighbors/bins.ts";
import { decideDue } from "./neighbors/due.ts";
import { COMMIT, LIST } from "./neighbors/rows.ts";

/**
 * WGSL version of the kernel in src/kernels/pairs/neighbors.ts. The list has each pair in the rows of both atoms, so
 * that each atom sums its own forces and no two threads add to one number. All rows have the same capacity. Bins keep
 * their atoms in order, so that results do not depend on the order of threads. If a row is too long, the frame
 * freezes at this call. The host then grows the list and resumes there.
 */
export const neighbors: Shader = {
  words: { atoms: "u32", capacity: "u32", call: "u32", reach: "f32", slack: "f32", longest: "u32" },
  derived: ({ atoms }) => ({ atoms }),
  scratch: () => ({ need: { type: "u32", length: 1 } }),
  passes: (call) => [
    { per: "group", atomic: ["control"], code: decideDue(call) },
    { per: "group", code: PREPARE },
    { per: "atom", atomic: ["marks"], code: BIN },
    { per: "group", code: SCAN },
    { per: "atom", atomic: ["marks"], code: FILL },
    { per: "atom", code: SORT },
    { per: "atom", atomic: ["need"], code: LIST },
    { per: "system", atomic: ["control", "frame", "need"], code: COMMIT },
  ],
};
