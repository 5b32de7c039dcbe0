/**
 * Rows of the benchmark on a GPU. bench/README.md describes them.
 *
 * @module
 */

import { middle } from "./dynamics/cpu.ts";
import { modelFolder } from "./onnx/models.ts";
import { printedBy } from "./processes.ts";
import type { BenchResult, BenchRow, BenchSetting, NotMeasured } from "./row.ts";
import { show } from "./show.ts";
import type { Cost } from "./turns.ts";

/** Processes that a ratio is taken from. */
const RUNS = 3;

const NO_MODELS = { missing: "the models beside the project" } as const;

/** Returns the number of processes. */
function timesOf({ isQuick = false }: BenchSetting): number {
  return isQuick ? 1 : RUNS;
}

/** Two rows are of these processes. */
let argon: Promise<Record<"engine" | "looking" | "bare", Cost>[]> | undefined;

async function argonRow(
  setting: BenchSetting,
  of: "engine" | "looking",
  to: "engine" | "bare",
): Promise<BenchResult> {
  const args = setting.isQuick ? ["40", "3"] : [];
  argon ??= printedBy("gpu/argon.ts", { times: timesOf(setting), args });
  return ratioOf((await argon).map((costs) => [costs[of], costs[to]]));
}

/**
 * Returns the ratio of wall times. The note has the ratio of CPU times, which include the work of a software adapter.
 */
function ratioOf(pairs: readonly (readonly [Cost, Cost])[]): BenchResult {
  const runs = pairs.map(([a, b]) => a.wall / b.wall);
  const cpu = middle(pairs.map(([a, b]) => a.cpu / b.cpu));
  const [one, other] = [0, 1].map((i) => show(middle(pairs.map((pair) => pair[i]!.wall))));
  const note = `${one} ms against ${other} ms; by CPU time ${cpu.toFixed(2)}×`;
  return { value: middle(runs), runs, note };
}

interface AroundSession {
  readonly engine: Cost;
  readonly alone: Cost;
}

async function aroundSession(setting: BenchSetting): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return NO_MODELS;
  const stepOf = async (atoms: string, ...args: string[]) => {
    const all = { args: [folder, atoms, ...args], times: timesOf(setting) };
    const costs = await printedBy<AroundSession>("gpu/session_step.ts", all);
    return ratioOf(costs.map(({ engine, alone }) => [engine, alone]));
  };
  if (setting.isQuick) return await stepOf("512", "20", "2");
  const [many, few] = [await stepOf("512"), await stepOf("40")];
  return { ...many, note: `${many.note}; with 40 atoms ${show(few.value)}×: ${few.note}` };
}

async function copied(): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return NO_MODELS;
  const [counted] = await printedBy<{ shared: number; other: number }>("gpu/copied.ts", {
    args: [folder],
    times: 1,
  });
  const { shared, other } = counted!;
  return {
    value: shared,
    runs: [shared],
    note: `besides, ${show(other)} B by which the host learns how steps have ended`,
  };
}

async function replayed(setting: BenchSetting): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return NO_MODELS;
  const all = await printedBy<Record<"exported" | "withHostLists" | "replayed", number>>(
    "gpu/schnet.ts",
    { args: [folder], times: timesOf(setting) },
  );
  const runs = all.map(({ exported, replayed }) => replayed / exported);
  const byHost = middle(all.map(({ withHostLists, replayed }) => replayed / withHostLists));
  const note = `with the lists of the file as exported handed over by the host: ${
    byHost.toFixed(2)
  }×`;
  return { value: middle(runs), runs, note };
}

async function besideTraced(setting: BenchSetting): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return NO_MODELS;
  const ratio = async (copies: number) => {
    const all = await printedBy<Record<"ours" | "traced", Cost>>("gpu/forces.ts", {
      args: [folder, `${copies}`],
      times: timesOf(setting),
    });
    return ratioOf(all.map(({ ours, traced }) => [ours, traced]));
  };
  const one = await ratio(1);
  if (setting.isQuick) return one;
  const many = await ratio(8);
  return { ...one, note: `${one.note}; 8 times the batch: ${show(many.value)}×, ${many.note}` };
}

const rows: BenchRow[] = [
  {
    id: "gpu/1",
    name: "4096 argon atoms: energy, fmax and temperature seen at each step, or not",
    limit: 1.05,
    unit: "x",
    run: (setting) => argonRow(setting, "looking", "engine"),
  },
  {
    id: "gpu/2",
    name: "the same steps, against their passes submitted by a bare program",
    limit: 1.1,
    unit: "x",
    run: (setting) => argonRow(setting, "engine", "bare"),
  },
  {
    id: "gpu/3",
    name: "a step around a session of SchNet with forces, against the session",
    limit: 1.1,
    unit: "x",
    run: aroundSession,
  },
  {
    id: "gpu/4",
    name: "bytes copied between integrator and model per step",
    limit: 0,
    unit: "B",
    run: copied,
  },
  {
    id: "gpu/5",
    name: "SchNet with forces, rewritten and replayed, against the file as exported",
    limit: 0.5,
    unit: "x",
    run: replayed,
  },
  {
    id: "gpu/6",
    name: "SchNet, forces by our gradient against those traced, both replayed",
    limit: 1,
    unit: "x",
    run: besideTraced,
  },
];

export default rows;
