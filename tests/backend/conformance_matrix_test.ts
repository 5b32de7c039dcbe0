/** The conformance suite, on each backend. */
import { rowsOf } from "../suite.ts";
import { type ConformanceRow, conformanceRows, testConformance } from "./conformance_case.ts";

/** A kernel's name, and what is tried of it. */
function partsOf({ name }: ConformanceRow): readonly [kernel: string, what: string] | undefined {
  const found = /^(\w+) (agrees with its definition|does not change a bit|is bitwise reproducible)/
    .exec(name);
  return found === null ? undefined : [found[1]!, found[2]!];
}

// On a GPU a case waits for the device again and again. In the fast suite each kernel runs there in one case, and each
// kind of case for one kernel; everything that is not of one kernel runs everywhere.
const chosen = rowsOf(conformanceRows(), {
  keys: (row) => {
    const parts = partsOf(row);
    return row.backend !== "webgpu" || parts === undefined
      ? [`${row.backend}: ${row.name}`]
      : [`kernel ${parts[0]}`, `case ${parts[1]}`];
  },
  cost: ({ name }) => name.endsWith("for ragged batches") ? 1 : 2,
});

testConformance(chosen);
