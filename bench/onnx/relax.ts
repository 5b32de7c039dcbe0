/**
 * Measures a relaxation of the 64 molecules with ANI-1x, whose forces are derived from its energies, until fmax is
 * 0.05 eV/Å: with the model run on the active systems only, and with the model run on all systems. It prints ms of CPU
 * time per relaxation in WebAssembly and in native code, in a process of its own.
 *
 * Usage: `relax.ts [TURNS]`.
 *
 * @module
 */

import { loadavg } from "node:os";
import { Batch } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE } from "../../src/dynamics/mod.ts";
import type { OnnxDerive } from "../../src/models/onnx/derived_inputs.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { type Cost, takeTurns } from "../turns.ts";
import { modelFolder } from "./models.ts";
import { ELEMENTS, molecules } from "./molecules.ts";

/** Costs of a relaxation. */
export interface RelaxCosts {
  /** With the model run on the active systems. */
  readonly active: Cost;
  /** With the model run on all systems. */
  readonly all: Cost;
  /** Average of the load of the machine over the last minute. */
  readonly load: number;
}

/** Costs by runtime; `native` is undefined where onnxruntime-node cannot be loaded. */
export interface RelaxGains {
  readonly web: RelaxCosts;
  readonly native: RelaxCosts | undefined;
}

type Runtime = keyof RelaxGains;

/** The number of each atom's system, as the engine gives it. A model with a derived input receives all systems. */
const batchIndex: OnnxDerive = ({ batchIndex, nodeCount }) => ({
  data: batchIndex,
  dims: [nodeCount],
});

async function openRelaxation(
  runtime: Runtime,
  derived: Readonly<Record<string, OnnxDerive>>,
): Promise<() => Promise<number>> {
  const model = await OnnxModel.open(`${await modelFolder()}/ani1x_1_e.onnx`, {
    cutoff: 5.2,
    reach: 3.5,
    elements: [...ELEMENTS],
    threads: 1,
    runtime,
    derived,
  });
  const { systems } = (await molecules())!;
  return async () => {
    const batch = Batch.from(systems);
    const hooks = [ConvergenceHook.fromFmax(0.05)];
    await using engine = new FIRE({ model, dt: 0.1, hooks, nSteps: 5000 });
    await engine.run(batch);
    if (batch.get("status").includes(0)) {
      throw new Error("Cannot compare: a system has not converged");
    }
    return engine.stepCount;
  };
}

/** Relaxes the molecules in turns on a runtime. Throws an `Error` if the last systems do not converge in one step. */
async function costsOn(runtime: Runtime, turns: number): Promise<RelaxCosts> {
  const active = await openRelaxation(runtime, {});
  const all = await openRelaxation(runtime, { batch_idx: batchIndex });
  const steps = { active: 0, all: 0 };
  const costs = await takeTurns({
    active: async () => steps.active = await active(),
    all: async () => steps.all = await all(),
  }, { turns, events: 1 });
  if (steps.active !== steps.all) {
    throw new Error(`Cannot compare: steps must be equal: ${steps.active} and ${steps.all}`);
  }
  return { ...costs, load: loadavg()[0]! };
}

if (import.meta.main) {
  const turns = Number(Deno.args[0] ?? 3);
  const web = await costsOn("web", turns);
  const native = await costsOn("native", turns).catch((error) => {
    if (error instanceof Error && error.name === "BackendUnavailableError") return undefined;
    throw error;
  });
  console.log(JSON.stringify({ web, native } satisfies RelaxGains));
}
