/**
 * Rows of the benchmark of sinks. bench/README.md describes them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { compareWith } from "./dynamics/against.ts";
import { middle } from "./dynamics/cpu.ts";
import { printedBy } from "./processes.ts";
import type { BenchResult, BenchRow, BenchSetting } from "./row.ts";
import type { Cost } from "./turns.ts";

const MEGABYTE = 2 ** 20;

/** A row that divides what a frame of ours costs by what one of another's costs. */
function beside(
  n: number,
  name: string,
  limit: number,
  [played, peer, repeats]: readonly [string, string, number],
): BenchRow {
  return {
    id: `sinks/${n}`,
    name,
    limit,
    unit: "x",
    run: (setting) =>
      compareWith(setting, {
        case: played,
        peers: [peer],
        of: "cpu",
        repeats,
        ours: fileURLToPath(new URL("sinks/ours.ts", import.meta.url)),
      }),
  };
}

async function growth(): Promise<BenchResult> {
  const [{ bytes, rss }] = await printedBy<{ bytes: number; rss: number }>("sinks/memory.ts", {
    times: 1,
    flags: ["--v8-flags=--expose-gc"],
  }) as [{ bytes: number; rss: number }];
  return {
    value: Math.max(0, bytes / MEGABYTE),
    runs: [bytes / MEGABYTE],
    note: `the process, memory that it keeps for later included, by ${
      Math.round(rss / MEGABYTE)
    } MB`,
  };
}

/**
 * Returns a function that measures the cost of a trajectory: by wall time, because the file may be written in parallel
 * to the run, or by CPU time of all threads.
 */
function writing(played: string, of: keyof Cost): BenchRow["run"] {
  return async ({ isQuick = false }: BenchSetting) => {
    const all = await printedBy<Record<"ours" | "alone", Cost>>("sinks/writing.ts", {
      args: [played],
      times: isQuick ? 1 : 3,
    });
    const ratios = (of: keyof Cost) => all.map(({ ours, alone }) => ours[of] / alone[of]);
    const [wall, cpu] = [middle(ratios("wall")), middle(ratios("cpu"))];
    const step = 1e3 * middle(all.map(({ alone }) => alone.cpu));
    const note = `by wall time ${wall.toFixed(3)}×, by CPU time of all threads ${
      cpu.toFixed(3)
    }×, of steps of ${step.toFixed(2)} µs`;
    return { value: of === "wall" ? wall : cpu, runs: ratios(of), note };
  };
}

const rows: BenchRow[] = [
  beside(1, "frame of 4000 atoms into Zarr, not packed, against ASE's Trajectory", 1, [
    "frames none",
    "ase trajectory",
    5,
  ]),
  beside(2, "that frame into Zarr with zstd, against torch-sim's compressed HDF5", 0.33, [
    "frames zstd",
    "torch-sim hdf5",
    3,
  ]),
  beside(3, "that frame into Zarr with zstd, against nvalchemi's Zarr sink", 0.1, [
    "frames zstd, zarr",
    "nvalchemi zarr",
    1,
  ]),
  {
    id: "sinks/4",
    name: "run of 4000 atoms that writes every tenth step, against one that does not",
    limit: 1.05,
    unit: "x",
    run: writing("forces", "wall"),
  },
  {
    id: "sinks/5",
    name: "growth of memory in 1e5 frames of 108 atoms",
    limit: 8,
    unit: "MB",
    run: growth,
  },
  ...(["4000", "32"] as const).map((atoms, i): BenchRow => ({
    id: `sinks/${6 + i}`,
    name: `run of ${atoms} atoms that writes all fields as openSink does, every tenth step`,
    limit: 1.25,
    unit: "x",
    run: writing(atoms, "cpu"),
  })),
];

export default rows;
