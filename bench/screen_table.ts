/**
 * Rows of the benchmark of screenings. bench/README.md describes them.
 *
 * @module
 */

import { middle } from "./dynamics/cpu.ts";
import { modelFolder } from "./onnx/models.ts";
import { printedBy } from "./processes.ts";
import type { BenchResult, BenchRow, BenchSetting, NotMeasured } from "./row.ts";
import type { Screened } from "./screen/screening.ts";
import { writeStructures } from "./screen/structures.ts";

const MEGABYTE = 2 ** 20;

/** Numbers of structures of a screening, and of a short one that the memory is compared with. */
const MANY = 10_000, FEW = 2_000;

/** Numbers of pairs of processes, for a cheap potential, a network and the guard. */
const PAIRS = { lj: 3, network: 1, guard: 1 } as const;

/** Runs `work` with a file of structures, which is removed afterwards. */
async function withFile<T>(count: number, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    await writeStructures(`${folder}/argon.xyz`, count);
    return await work(`${folder}/argon.xyz`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function measured(
  side: "command" | "engine",
  file: string,
  potential: string,
  flags: readonly string[] = [],
): Promise<Screened> {
  const [result] = await printedBy<Screened>("screen/screening.ts", {
    args: [side, file, potential],
    flags,
    times: 1,
  });
  return result!;
}

/** Compares the CPU time of the command with that of a stream through an engine, in turn. */
async function overhead(
  potential: string,
  { count, pairs }: { readonly count: number; readonly pairs: number },
): Promise<BenchResult> {
  return await withFile(count, async (file) => {
    const runs: number[] = [], walls: number[] = [], floors: number[] = [];
    for (let i = 0; i < pairs; i++) {
      const engine = await measured("engine", file, potential);
      const command = await measured("command", file, potential);
      if (engine.structures !== count || command.structures !== count) {
        throw new Error(`Cannot measure: both sides must relax ${count} structures`);
      }
      runs.push(command.cpu / engine.cpu);
      walls.push(command.wall / engine.wall);
      floors.push(engine.cpu / count);
    }
    return {
      value: middle(runs),
      runs,
      note: `by wall time ${middle(walls).toFixed(2)}×; the engine takes ${
        middle(floors).toFixed(2)
      } ms of CPU time for a structure`,
    };
  });
}

async function overNetwork(
  { isQuick }: BenchSetting,
): Promise<BenchResult | NotMeasured> {
  if (isQuick) return { missing: "it takes minutes" };
  const folder = await modelFolder();
  if (folder === undefined) {
    return { missing: "reference models: set HOOKE_MODELS to their folder" };
  }
  return await overhead(`${folder}/mlp_e.onnx`, { count: MANY, pairs: PAIRS.network });
}

/** Limit of V8's old heap: with more room V8 collects garbage later, so that the process grows without need. */
const HEAP = "--v8-flags=--max-old-space-size=64";

/** Compares the largest memory of two screenings. */
async function growth({ isQuick }: BenchSetting): Promise<BenchResult | NotMeasured> {
  if (isQuick) return { missing: "the heap grows differently on a busy machine" };
  const memoryOf = (count: number) =>
    withFile(
      count,
      async (file) => (await measured("command", file, "lj", [HEAP])).memory / MEGABYTE,
    );
  const [few, many] = [await memoryOf(FEW), await memoryOf(MANY)];
  return {
    value: many - few,
    runs: [many - few],
    note: `${Math.round(few)} MB with ${FEW} structures, ${Math.round(many)} MB with ${MANY}`,
  };
}

const rows: BenchRow[] = [
  {
    id: "screen/1",
    name: "hooke screen, 10,000 structures, Lennard-Jones, against the engine's stream of the same",
    limit: 1.05,
    unit: "x",
    run: ({ isQuick }) =>
      isQuick
        ? Promise.resolve({ missing: "it takes a minute" })
        : overhead("lj", { count: MANY, pairs: PAIRS.lj }),
  },
  {
    id: "screen/2",
    name: "hooke screen, 10,000 structures, a small network, against the engine's stream",
    limit: 1.05,
    unit: "x",
    run: overNetwork,
  },
  {
    id: "screen/3",
    name: "hooke screen, largest memory with 10,000 structures beyond that with 2,000",
    limit: 64,
    unit: "MB",
    run: growth,
  },
];

export default rows;
