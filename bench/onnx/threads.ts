/**
 * Measures potentials on two threads of onnxruntime against one, in turns, in WebAssembly and in native code: a
 * relaxation of the 64 molecules with ANI-1x, or a step of NVT with 28 atoms of LiFePO4. It prints ms by the clock and
 * of CPU time, in a process of its own.
 *
 * Usage: `threads.ts CASE [TURNS] [--busy]`, with `--busy` beside a process that never waits.
 *
 * @module
 */

import { loadavg } from "node:os";
import { Batch, initVelocities } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { OnnxModel, type OnnxModelOptions } from "../../src/models/onnx.ts";
import { type Cost, takeTurns } from "../turns.ts";
import { crystal } from "./around_run.ts";
import { exportedModel, modelFolder } from "./models.ts";
import { ELEMENTS, molecules } from "./molecules.ts";

/** Potentials that are measured. */
export type ThreadCase = "ani1x_1" | "chgnet" | "sevennet0" | "mace_mp_small";

/** Costs of an event on one thread and on two. */
export interface ThreadCosts {
  readonly one: Cost;
  readonly two: Cost;
  /** Average of the load of the machine over the last minute. */
  readonly load: number;
}

/** Costs by runtime; `native` is undefined where onnxruntime-node cannot be loaded. */
export interface ThreadGains {
  readonly web: ThreadCosts;
  readonly native: ThreadCosts | undefined;
}

/** Options of potentials that have no manifest beside them. */
const OPTIONS: Readonly<Record<ThreadCase, Omit<OnnxModelOptions, "name">>> = {
  ani1x_1: { cutoff: 5.2, reach: 3.5, elements: [...ELEMENTS] },
  chgnet: { cutoff: 6, reach: 3, triplets: "ordered", inputs: { numbers: "species" } },
  sevennet0: { cutoff: 5, elements: { Li: 39, Fe: 24, P: 53, O: 51 } },
  mace_mp_small: {},
};

/** Steps of NVT in a turn. */
const STEPS = 6;

async function openBody(
  name: ThreadCase,
  runtime: keyof ThreadGains,
  threads: number,
): Promise<() => Promise<void>> {
  const path = name === "mace_mp_small"
    ? await exportedModel(name)
    : `${await modelFolder()}/${name}_e.onnx`;
  const model = await OnnxModel.open(path!, { ...OPTIONS[name], verify: false, runtime, threads });
  return name === "ani1x_1" ? () => relax(model) : () => heat(model);
}

async function relax(model: OnnxModel): Promise<void> {
  const batch = Batch.from((await molecules())!.systems);
  const hooks = [ConvergenceHook.fromFmax(0.05)];
  await using engine = new FIRE({ model, dt: 0.1, hooks, nSteps: 5000 });
  await engine.run(batch);
}

async function heat(model: OnnxModel): Promise<void> {
  const batch = Batch.from([crystal()]);
  initVelocities(batch, 300, { seed: 1 });
  await using engine = new NVTLangevin({ model, dt: 1, temperature: 300, friction: 0.01, seed: 1 });
  await engine.run(batch, STEPS);
}

async function costsOn(
  name: ThreadCase,
  runtime: keyof ThreadGains,
  turns: number,
): Promise<ThreadCosts> {
  const one = await openBody(name, runtime, 1), two = await openBody(name, runtime, 2);
  const events = name === "ani1x_1" ? 1 : STEPS + 1; // forces before the first step
  return { ...await takeTurns({ one, two }, { turns, events }), load: loadavg()[0]! };
}

if (import.meta.main) {
  const [name = "sevennet0", turns = "5"] = Deno.args as [ThreadCase?, string?];
  const busy = Deno.args.includes("--busy")
    ? new Deno.Command(Deno.execPath(), { args: ["eval", "for (;;);"] }).spawn()
    : undefined;
  const web = await costsOn(name, "web", Number(turns));
  const native = await costsOn(name, "native", Number(turns)).catch((error) => {
    if (error instanceof Error && error.name === "BackendUnavailableError") return undefined;
    throw error;
  });
  console.log(JSON.stringify({ web, native } satisfies ThreadGains));
  busy?.kill();
  Deno.exit(); // The worker of a session keeps the process alive while its threads wait.
}
