import { Batch, fcc, rattle, type System } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, SizeAwareSampler } from "../../src/dynamics/mod.ts";
import type { Model } from "../../src/models/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { argonModel } from "../dynamics/input.ts";
import type { BenchResult, BenchRow } from "../row.ts";
import { show } from "../show.ts";
import { takeTurns } from "../turns.ts";

const CRYSTALS = 2000, AT_ONCE = 64, FMAX = 0.01, TURNS = 8, QUICK_TURNS = 3;
/** With a graph each turn takes ten times as long, and there are as many systems fewer. */
const GRAPH_CRYSTALS = 640, GRAPH_TURNS = 2;
/** The settings of the other benchmarks of FIRE. */
const ROOT_OF_MASS = Math.sqrt(39.948);
const RELAX = { dt: 0.1 * ROOT_OF_MASS, dtMax: ROOT_OF_MASS, maxStep: 0.2 } as const;
const GOLDEN = 0.6180339887;

/** Crystals that come and go, by batches of as many one after the other: CPU time, taken in turns. */
export const inFlight: BenchRow = {
  id: "engines/3",
  name: "2,000 crystals of 32 atoms relaxed in flight, against batches of 64",
  limit: 0.55,
  unit: "x",
  run: ({ isQuick = false }) => measure(isQuick),
};

async function measure(isQuick: boolean): Promise<BenchResult> {
  const kernels = await compare(argonModel(), CRYSTALS, isQuick ? QUICK_TURNS : TURNS);
  const { ratio, told } = kernels;
  if (isQuick) return { value: ratio, runs: [ratio], note: told };
  const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 6 });
  await using graph = await OnnxModel.open(bytes);
  const graphs = await compare(graph, GRAPH_CRYSTALS, GRAPH_TURNS);
  const note = `${told}; by an ONNX graph ${show(graphs.ratio)}× (${graphs.told})`;
  return { value: ratio, runs: [ratio, graphs.ratio], note };
}

async function compare(model: Model, count: number, turns: number) {
  const crystals = rattled(count);
  const steps = { fixed: 0, flying: 0 };
  const bodies = {
    fixed: async () => void (steps.fixed = await inBatches(model, crystals)),
    flying: async () => void (steps.flying = await streaming(model, crystals)),
  };
  const { fixed, flying } = await takeTurns(bodies, { turns, events: 1 });
  const told = `${show(flying.cpu)} and ${show(fixed.cpu)} ms, ` +
    `${steps.flying} and ${steps.fixed} steps of the engine; systems at rest cost next to nothing in both`;
  return { ratio: flying.cpu / fixed.cpu, told };
}

/** Displaced by 0.02 to 0.3 Å, in no order. */
function rattled(count: number): System[] {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  return Array.from(
    { length: count },
    (_, i) => rattle(crystal, 0.02 + 0.28 * (i * GOLDEN % 1), i),
  );
}

function engineOf(model: Model): FIRE {
  return new FIRE({ model, ...RELAX, hooks: [ConvergenceHook.fromFmax(FMAX)] });
}

/** Batches one after the other, each until all of it is relaxed. Answers with how many steps that took. */
async function inBatches(model: Model, crystals: readonly System[]): Promise<number> {
  const sink = new MemorySink();
  await using engine = engineOf(model);
  for (let i = 0; i < crystals.length; i += AT_ONCE) {
    sink.write(await engine.run(Batch.from(crystals.slice(i, i + AT_ONCE)), Infinity));
  }
  assertAll(sink, crystals);
  return engine.stepCount;
}

/** One batch that is kept full. */
async function streaming(model: Model, crystals: readonly System[]): Promise<number> {
  const sink = new MemorySink();
  await using engine = engineOf(model);
  const sampler = new SizeAwareSampler(crystals, { maxSystems: AT_ONCE });
  await engine.stream(sampler, { sinks: [sink] });
  assertAll(sink, crystals);
  return engine.stepCount;
}

function assertAll(sink: MemorySink, crystals: readonly System[]): void {
  if (sink.length === crystals.length) return;
  throw new Error(
    `Cannot time relaxations: all ${crystals.length} must be there: ${sink.length} are`,
  );
}
