/**
 * Rows of the benchmark of training. bench/README.md describes them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { compareWith } from "./dynamics/against.ts";
import { middle } from "./dynamics/cpu.ts";
import { printedBy } from "./processes.ts";
import type { BenchResult, BenchRow, BenchSetting } from "./row.ts";
import { show } from "./show.ts";
import { assertSameLosses } from "./training/same_losses.ts";
import type { Cost } from "./turns.ts";

/** Processes that a ratio is taken from. */
const RUNS = 3;
const MEGABYTE = 2 ** 20;

/** A row that divides our steps by PyTorch's, as its optimizers come. */
function besideTorch(
  id: number | string,
  name: string,
  limit: number,
  network: string,
  side: string = "ours",
): BenchRow {
  return {
    id: `training/${id}`,
    name,
    limit,
    unit: "x",
    run: (setting) =>
      compareWith(setting, {
        case: `train ${network}`,
        peers: ["torch"],
        of: "cpu",
        side,
        check: assertSameLosses,
        ours: fileURLToPath(new URL("training/ours.ts", import.meta.url)),
      }),
  };
}

/** Rows of a step of the large network with this number of rows, in WebAssembly and in native code. */
function largeMlp(batch: number, web: number, native: number): BenchRow[] {
  const name = `step of an MLP (784-1024³-10, batch ${batch}, Adam), one thread, against PyTorch`;
  const network = `mlp_large_${batch}`;
  return [
    besideTorch(`8-${batch}`, name, web, network),
    besideTorch(`8n-${batch}`, `${name}, in native code`, native, network, "ours native"),
  ];
}

/** A row that divides steps by what they would be without something. */
function alone(n: number, name: string, limit: number, of: string): BenchRow {
  return {
    id: `training/${n}`,
    name,
    limit,
    unit: "x",
    async run({ isQuick = false }: BenchSetting): Promise<BenchResult> {
      const all = await printedBy<Record<"ours" | "alone", Cost>>("training/alone.ts", {
        args: [of],
        times: isQuick ? 1 : RUNS,
      });
      const runs = all.map(({ ours, alone }) => ours.cpu / alone.cpu);
      const [ours, without] = (["ours", "alone"] as const)
        .map((one) => show(middle(all.map((costs) => costs[one].cpu))));
      const wall = middle(all.map(({ ours, alone }) => ours.wall / alone.wall));
      return {
        value: middle(runs),
        runs,
        note: `${ours} ms of CPU time to ${without}; by the clock ${wall.toFixed(3)}×`,
      };
    },
  };
}

async function growth(): Promise<BenchResult> {
  const [{ bytes }] = await printedBy<{ bytes: number }>("training/alone.ts", {
    args: ["memory"],
    times: 1,
    flags: ["--v8-flags=--expose-gc"],
  }) as [{ bytes: number }];
  return { value: Math.max(0, bytes / MEGABYTE), runs: [bytes / MEGABYTE] };
}

const rows: BenchRow[] = [
  besideTorch(1, "step of an MLP (784-256-10, batch 64, Adam), against PyTorch", 2.5, "mlp"),
  alone(2, "that step, against the run of its gradient graph alone", 1.3, "session"),
  besideTorch(3, "step of SchNet on energies and forces, against PyTorch", 1.5, "schnet"),
  alone(4, "the MLP's step with 20 hooks of which none is due, against none", 1.01, "idle"),
  alone(5, "that step with gradients monitored every 100 steps", 1.01, "monitor"),
  {
    id: "training/6",
    name: "fused AdamW, 1e7 parameters, against their 28 bytes each at the speed of C's copy",
    limit: 1.3,
    unit: "x",
    run: (setting) =>
      compareWith(setting, {
        case: "adamw 1e7",
        peers: ["c copy of 28 bytes"],
        of: "cpu",
        ours: fileURLToPath(new URL("training/adamw.ts", import.meta.url)),
      }),
  },
  {
    id: "training/7",
    name: "growth of memory in 1e4 steps of the MLP",
    limit: 2,
    unit: "MB",
    run: growth,
  },
  ...largeMlp(64, 2, 0.6),
  ...largeMlp(1024, 3, 0.6),
];

export default rows;
