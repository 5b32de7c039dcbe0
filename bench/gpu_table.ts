/**
 * What running on a GPU costs: the rows of the table in its issue. See bench/README.md.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { modelFolder } from "./onnx/models.ts";
import type { BenchResult, BenchRow, NotMeasured } from "./row.ts";

/** Processes that a ratio is taken from. */
const RUNS = 3;

/** What a script prints, in processes of their own. */
async function numbersOf(script: string, ...args: string[]): Promise<Record<string, number>[]> {
  const all: Record<string, number>[] = [];
  for (let i = 0; i < RUNS; i++) {
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", fileURLToPath(new URL(`gpu/${script}`, import.meta.url)), ...args],
      stderr: "inherit",
    }).output();
    if (!success) throw new Error(`Cannot measure ${script} as its process must end well`);
    all.push(JSON.parse(new TextDecoder().decode(stdout)));
  }
  return all;
}

/** The middle one of the ratios. */
function middle(runs: readonly number[]): number {
  return runs.toSorted((a, b) => a - b)[runs.length >> 1]!;
}

async function replayed(): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return { missing: "the models beside the project" };
  const all = await numbersOf("schnet.ts", folder);
  const runs = all.map(({ exported, replayed }) => replayed! / exported!);
  const byHost = middle(all.map(({ withHostLists, replayed }) => replayed! / withHostLists!));
  const note = `with the lists of the file as exported handed over by the host: ${
    byHost.toFixed(2)
  }×`;
  return { value: middle(runs), runs, note };
}

const rows: BenchRow[] = [
  {
    id: "gpu/5",
    name: "SchNet with forces, rewritten and replayed, against the file as exported",
    limit: 0.5,
    unit: "x",
    run: replayed,
  },
];

export default rows;
