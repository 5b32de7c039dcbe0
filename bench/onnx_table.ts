/**
 * What models cost: the rows of the table in its issue. See bench/README.md.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { largestModel } from "./onnx/models.ts";
import type { BenchResult, BenchRow, NotMeasured } from "./row.ts";

/** Processes that the ratio is taken from. */
const RUNS = 5;

async function codec(): Promise<BenchResult | NotMeasured> {
  const model = await largestModel();
  if (model === undefined) return { missing: "the models beside the project" };
  const runs: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", fileURLToPath(new URL("onnx/codec.ts", import.meta.url)), model],
      stderr: "inherit",
    }).output();
    if (!success) throw new Error("Cannot measure the codec as its process must end well");
    runs.push(JSON.parse(new TextDecoder().decode(stdout)));
  }
  return { value: runs.toSorted((a, b) => a - b)[RUNS >> 1]!, runs };
}

const rows: BenchRow[] = [
  {
    id: "onnx/4",
    name: "codec: read and write the largest model, against onnx-buf alone",
    limit: 1.2,
    unit: "x",
    run: codec,
  },
];

export default rows;
