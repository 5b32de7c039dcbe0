/**
 * Rows of the benchmark of the page. bench/README.md describes them.
 *
 * @module
 */

import { middle } from "./dynamics/cpu.ts";
import { printedBy } from "./processes.ts";
import type { BenchResult, BenchRow, BenchSetting } from "./row.ts";
import type { Cost } from "./turns.ts";

interface Watched {
  readonly watched: Cost;
  readonly alone: Cost;
  readonly frames: number;
}

async function watching({ isQuick = false }: BenchSetting): Promise<BenchResult> {
  const all = await printedBy<Watched>("page/watched.ts", {
    times: isQuick ? 1 : 3,
    args: ["page/client.ts", isQuick ? "3" : "9"],
  });
  const ratios = (of: keyof Cost) => all.map(({ watched, alone }) => watched[of] / alone[of]);
  const frames = middle(all.map(({ frames }) => frames));
  const step = 1e3 * middle(all.map(({ alone }) => alone.wall));
  const wall = ratios("wall").map((ratio) => `${ratio.toFixed(2)}×`).join(", ");
  const note = `by the clock ${wall}, of steps of ${step.toFixed(0)} µs; the page got ${
    frames.toFixed(1)
  } frames per second`;
  return { value: middle(ratios("cpu")), runs: ratios("cpu"), note };
}

const ROWS: BenchRow[] = [{
  id: "page/1",
  name: "a step of 4000 atoms while a page watches at 10 Hz, against the same without, CPU time",
  limit: 1.02,
  unit: "x",
  run: watching,
}];

export default ROWS;
