/**
 * Rows of the benchmark of models. bench/README.md describes them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { compareWith } from "./dynamics/against.ts";
import { middle } from "./dynamics/cpu.ts";
import type { AroundRun } from "./onnx/around_run.ts";
import type { PassGains } from "./onnx/passes.ts";
import { exportedModel, largestModel, modelFolder } from "./onnx/models.ts";
import { OPTIONS } from "./onnx/potentials.ts";
import type { RelaxGains } from "./onnx/relax.ts";
import type { ThreadGains } from "./onnx/threads.ts";
import { assertSameEnergies } from "./onnx/same_energies.ts";
import { printedBy } from "./processes.ts";
import type { BenchResult, BenchRow, BenchSetting, NotMeasured } from "./row.ts";
import { show } from "./show.ts";
import type { Cost } from "./turns.ts";

/** Processes that a ratio is taken from. */
const RUNS = 5;

const NO_MODELS = { missing: "the models beside the project" } as const;

async function aroundSession(
  { isQuick = false }: BenchSetting,
): Promise<BenchResult | NotMeasured> {
  if (await modelFolder() === undefined) return NO_MODELS;
  const all = await printedBy<{ engine: Cost; alone: Cost }>("onnx/step.ts", {
    times: isQuick ? 1 : RUNS,
  });
  const runs = all.map(({ engine, alone }) => engine.cpu / alone.cpu);
  const [ours, alone] = (["engine", "alone"] as const)
    .map((one) => show(middle(all.map((costs) => costs[one].cpu))));
  const wall = middle(all.map(({ engine, alone }) => engine.wall / alone.wall));
  return {
    value: middle(runs),
    runs,
    note: `${ours} ms of CPU time against ${alone} ms; by the clock ${wall.toFixed(2)}×`,
  };
}

/** Rows that divide ours by a peer: in WebAssembly, and in native code (the row with an n). */
function against(
  n: number,
  { name, limits: [web, native], ...comparison }: {
    readonly name: string;
    readonly limits: readonly [web: number, native: number];
    readonly case: string;
    readonly peers: readonly string[];
    /** Our program. */
    readonly ours: string;
  },
): BenchRow[] {
  const row = (id: string, limit: number, side: string): BenchRow => ({
    id: `onnx/${id}`,
    name: side === "ours" ? name : `${name}, in native code`,
    limit,
    unit: "x",
    async run(setting) {
      if (await modelFolder() === undefined) return NO_MODELS;
      return await compareWith(setting, {
        ...comparison,
        of: "cpu",
        side,
        check: assertSameEnergies,
        ours: fileURLToPath(new URL(comparison.ours, import.meta.url)),
      });
    },
  });
  return [row(`${n}`, web, "ours"), row(`${n}n`, native, "ours native")];
}

/** A row of dynamics in native code, against ASE and PyTorch. */
function inNative(id: string, potential: string, of: string): BenchRow {
  const name = `a step of Langevin dynamics, ${potential}, 28 atoms, one thread, against ASE`;
  const rows = against(10, {
    name,
    limits: [1, 1],
    case: `nvt ${of}`,
    peers: [`ase ${of}`],
    ours: "onnx/nvt.ts",
  });
  return { ...rows[1]!, id: `onnx/${id}` };
}

async function codec(): Promise<BenchResult | NotMeasured> {
  const model = await largestModel();
  if (model === undefined) return NO_MODELS;
  const runs = await printedBy<number>("onnx/codec.ts", { args: [model], times: RUNS });
  return { value: middle(runs), runs };
}

async function built({ isQuick = false }: BenchSetting): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return NO_MODELS;
  const all = await printedBy<{ parse: number; build: number; nodes: number }>("onnx/build.ts", {
    args: [folder],
    times: isQuick ? 1 : RUNS,
  });
  const runs = all.map(({ parse, build }) => build / parse);
  const [build, parse] = (["build", "parse"] as const)
    .map((part) => show(middle(all.map((each) => each[part]))));
  return { value: middle(runs), runs, note: `${build} ms to ${parse} ms; ${all[0]!.nodes} nodes` };
}

/** Number of copies of a model's reference in one batch, and number of runs in a turn. */
type Size = readonly [copies: number, events: number];

/** A row that divides forces by our gradient by those traced by PyTorch. */
function besideTraced(n: number, name: string, model: string, sizes: readonly Size[]): BenchRow {
  return {
    id: `onnx/${n}`,
    name,
    limit: 1,
    unit: "x",
    async run({ isQuick = false }) {
      const folder = await modelFolder();
      if (folder === undefined) return NO_MODELS;
      const notes: string[] = [], values: number[][] = [];
      for (const [copies, events] of isQuick ? sizes.slice(0, 1) : sizes) {
        const all = await printedBy<Record<"ours" | "traced", Cost>>("onnx/forces.ts", {
          args: [folder, model, `${copies}`, `${events}`],
          times: isQuick ? 1 : RUNS,
        });
        values.push(all.map(({ ours, traced }) => ours.cpu / traced.cpu));
        const [ours, traced] = (["ours", "traced"] as const)
          .map((one) => show(middle(all.map((costs) => costs[one].cpu))));
        const wall = middle(all.map(({ ours, traced }) => ours.wall / traced.wall));
        const of = copies === 1 ? "the reference" : `${copies} times the reference`;
        notes.push(`${of}: ${ours} ms of CPU time to ${traced}, by the clock ${show(wall)}×`);
      }
      // The one that is worse counts.
      const runs = values.reduce((a, b) => middle(a) > middle(b) ? a : b);
      return { value: middle(runs), runs, note: notes.join("; ") };
    },
  };
}

/** A row that divides forces after all passes by forces without one of them. */
function gained(
  n: number,
  { pass, model, size: [copies, events], limit }: {
    readonly pass: string;
    readonly model: string;
    readonly size: Size;
    readonly limit: number;
  },
): BenchRow {
  return {
    id: `onnx/${n}`,
    name: `${model} with forces, with ${pass} against without it`,
    limit,
    unit: "x",
    async run({ isQuick = false }) {
      const folder = await modelFolder(), isExported = copies === 0;
      const path = isExported ? await exportedModel(model) : `${folder}/${model}_e.onnx`;
      if (path === undefined) return { missing: `${model}, which deno task test:export exports` };
      if (folder === undefined && !isExported) return NO_MODELS;
      const all = await printedBy<PassGains>("onnx/passes.ts", {
        args: [path, `${copies}`, `${events}`, pass],
        times: isQuick ? 1 : RUNS,
      });
      const notes = (["web", "native"] as const).map((runtime) => {
        const found = all.map((each) => each[runtime]).filter((each) => each !== undefined);
        if (found.length === 0) return `${runtime} was not measured`;
        const [ours, others] = (["with", "without"] as const)
          .map((one) => show(middle(found.map((gain) => gain[one].cpu))));
        const load = middle(found.map((gain) => gain.load)).toFixed(1);
        return `${runtime}: ${ours} ms of CPU time to ${others}, at a load of ${load}`;
      });
      // The runtime that gains less counts.
      const runs = all.map(({ web, native }) =>
        Math.max(...[web, native ?? web].map((gain) => gain.with.cpu / gain.without.cpu))
      );
      return { value: middle(runs), runs, note: notes.join("; ") };
    },
  };
}

/** Relaxes molecules with the model run on the active systems, and with the model run on all systems. */
async function relaxed({ isQuick = false }: BenchSetting): Promise<BenchResult | NotMeasured> {
  if (await modelFolder() === undefined) return NO_MODELS;
  const all = await printedBy<RelaxGains>("onnx/relax.ts", {
    args: [isQuick ? "1" : "7"],
    times: isQuick ? 1 : 3,
  });
  const notes = (["web", "native"] as const).map((runtime) => {
    const found = all.map((each) => each[runtime]).filter((each) => each !== undefined);
    if (found.length === 0) return `${runtime} was not measured`;
    const [ours, others] = (["active", "all"] as const)
      .map((one) => show(middle(found.map((costs) => costs[one].cpu))));
    const load = middle(found.map((costs) => costs.load)).toFixed(1);
    return `${runtime}: ${ours} ms of CPU time to ${others}, at a load of ${load}`;
  });
  // The runtime that gains less counts.
  const runs = all.map(({ web, native }) =>
    Math.max(...[web, native ?? web].map((costs) => costs.active.cpu / costs.all.cpu))
  );
  return { value: middle(runs), runs, note: notes.join("; ") };
}

/** Steps of large potentials over the run that is in each; the worst of them counts. */
async function aroundRun({ isQuick = false }: BenchSetting): Promise<BenchResult | NotMeasured> {
  const folder = await modelFolder();
  if (folder === undefined) return NO_MODELS;
  const paths = Object.keys(OPTIONS).map((name) => [name, `${folder}/${name}.onnx`] as const);
  const mace = isQuick ? undefined : await exportedModel("mace_mp_small");
  const all = mace === undefined ? paths : [...paths, ["mace_mp_small", mace] as const];
  const notes: string[] = [], values: number[][] = [];
  for (const [name, path] of all) {
    const options = OPTIONS[name] ?? {};
    const found = await printedBy<AroundRun>("onnx/around_run.ts", {
      args: [path, JSON.stringify(options)],
      times: isQuick ? 1 : 3,
    });
    values.push(found.map(({ step, outside }) => step / (step - outside)));
    const [step, outside] = (["step", "outside"] as const)
      .map((one) => show(middle(found.map((each) => each[one]))));
    notes.push(`${name}: ${outside} of ${step} ms are outside`);
  }
  if (mace === undefined) notes.push("MACE was not measured: deno task test:export exports it");
  const runs = values.reduce((a, b) => middle(a) > middle(b) ? a : b);
  return { value: middle(runs), runs, note: notes.join("; ") };
}

/** Steps of a potential on two threads of onnxruntime against one. It needs two idle processors. */
async function onThreads({ isQuick = false }: BenchSetting): Promise<BenchResult | NotMeasured> {
  if (await modelFolder() === undefined) return NO_MODELS;
  const all = await printedBy<ThreadGains>("onnx/threads.ts", {
    args: ["sevennet0", isQuick ? "1" : "5"],
    times: isQuick ? 1 : 3,
  });
  const notes = (["web", "native"] as const).map((runtime) => {
    const found = all.map((each) => each[runtime]).filter((each) => each !== undefined);
    if (found.length === 0) return `${runtime} was not measured`;
    const [two, one] = (["two", "one"] as const)
      .map((side) => show(middle(found.map((costs) => costs[side].wall))));
    const load = middle(found.map((costs) => costs.load)).toFixed(1);
    return `${runtime}: ${two} ms to ${one}, at a load of ${load}`;
  });
  const runs = all.map(({ web }) => web.two.wall / web.one.wall);
  return { value: middle(runs), runs, note: notes.join("; ") };
}

const rows: BenchRow[] = [
  {
    id: "onnx/1",
    name: "a step around a session, ANI-1x and 64 molecules, against the session",
    limit: 1.1,
    unit: "x",
    run: aroundSession,
  },
  ...against(2, {
    name: "a step of ANI-1x, 64 molecules, one thread, against Python's onnxruntime",
    limits: [1.8, 1],
    case: "ani 64",
    peers: ["onnxruntime"],
    ours: "onnx/ours.ts",
  }),
  ...against(3, {
    name: "that step against torchani with autograd",
    limits: [2.2, 0.8],
    case: "ani 64",
    peers: ["torch autograd"],
    ours: "onnx/ours.ts",
  }),
  ...against(8, {
    name:
      "relaxing 64 molecules, 493 atoms, with energies of ANI-1x, against torchani in one batch",
    limits: [1.7, 0.7],
    case: "relax ani 64",
    peers: ["torchani batched"],
    ours: "onnx/relaxed.ts",
  }),
  ...against(9, {
    name: "a step of Langevin dynamics, CHGNet, 40 atoms, one thread, against chgnet in ASE",
    limits: [1, 0.4],
    case: "nvt chgnet",
    peers: ["ase chgnet"],
    ours: "onnx/nvt.ts",
  }),
  inNative("10n-sevennet", "SevenNet-0", "sevennet"),
  inNative("10n-mace", "MACE-MP-0 small", "mace"),
  {
    id: "onnx/4",
    name: "codec: read and write the largest model, against onnx-buf alone",
    limit: 1.2,
    unit: "x",
    run: codec,
  },
  {
    id: "onnx/5",
    name: "ANI-1x: building the graph with forces, against parsing the file",
    limit: 10,
    unit: "x",
    run: built,
  },
  besideTraced(6, "ANI-1x, forces by our gradient against those traced by PyTorch", "ani1x_1", [
    [6, 2],
  ]),
  besideTraced(7, "SchNet, forces by our gradient against those traced by PyTorch", "schnet", [
    [1, 100],
    [8, 20],
  ]),
  gained(11, { pass: "matMulToMul", model: "sevennet0", size: [1, 1], limit: 0.85 }),
  gained(12, { pass: "selectRowsFirst", model: "ani1x_1", size: [6, 2], limit: 0.75 }),
  gained(13, { pass: "contractSmallFirst", model: "sevennet0", size: [1, 1], limit: 0.7 }),
  gained(14, { pass: "repeatShortAxes", model: "sevennet0", size: [1, 1], limit: 0.9 }),
  gained(15, { pass: "reduceLastAxis", model: "ani1x_1", size: [6, 2], limit: 1 }),
  gained(16, { pass: "indexWholeRows", model: "mace_mp_small", size: [0, 1], limit: 0.8 }),
  gained(17, { pass: "multiplyBeforeGather", model: "chgnet", size: [1, 1], limit: 0.85 }),
  gained(19, { pass: "repeatShortAxes", model: "ani1x_1", size: [6, 2], limit: 0.95 }),
  gained(20, { pass: "shareActivations", model: "chgnet", size: [1, 1], limit: 1 }),
  {
    id: "onnx/21",
    name: "relaxing 64 molecules with ANI-1x, the model run on active systems against all",
    limit: 1,
    unit: "x",
    run: relaxed,
  },
  {
    id: "onnx/22",
    name: "a step of 28 atoms, SevenNet-0, CHGNet and MACE, against onnxruntime's run in it",
    limit: 1.05,
    unit: "x",
    run: aroundRun,
  },
  {
    id: "onnx/23",
    name: "a step of NVT with SevenNet-0 on two threads of onnxruntime-web against one, wall time",
    limit: 0.9,
    unit: "x",
    run: onThreads,
  },
];

export default rows;
