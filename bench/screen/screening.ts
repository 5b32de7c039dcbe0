/**
 * One side of the benchmark of screenings: `screening.ts command|engine FILE POTENTIAL` prints, as JSON, the time of
 * `hooke screen FILE`, or of opening the potential and a stream of the same structures, which are already in memory,
 * through an engine whose results are dropped. Potentials: `lj`, or the path of an ONNX file with a cutoff of 5 Å.
 *
 * @module
 */

import process from "node:process";
import type { System } from "../../src/batch/mod.ts";
import { run } from "../../src/cli/mod.ts";
import { ConvergenceHook, LBFGS, SizeAwareSampler } from "../../src/dynamics/mod.ts";
import { builtinPotential } from "../../src/cli/run/noble_gases.ts";
import { lennardJones, type Model } from "../../src/models/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { openSystems } from "../../src/sinks/mod.ts";

/** Times of a side in ms, largest memory of its process in bytes, and number of structures. */
export interface Screened {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
  readonly structures: number;
}

/** Largest number of steps, and of atoms in the batch: those of the command. */
const STEPS = 500, ATOMS = 8192;

/** Steps of an untrained network, whose structures do not converge. */
const NETWORK_STEPS = 20;

const stepsOf = (potential: string) => potential === "lj" ? STEPS : NETWORK_STEPS;

async function timed(work: () => Promise<number>): Promise<Screened> {
  const cpu = process.cpuUsage(), from = performance.now();
  const structures = await work();
  const wall = performance.now() - from, { user, system } = process.cpuUsage(cpu);
  const memory = process.resourceUsage().maxRSS * 1024;
  return { wall, cpu: (user + system) / 1e3, memory, structures };
}

async function command(file: string, potential: string): Promise<Screened> {
  const folder = await Deno.makeTempDir();
  const complaints: string[] = [];
  const terminal = { print: () => {}, complain: (line: string) => void complaints.push(line) };
  const network = "--device wasm --set modelOptions.cutoff=5 --set modelOptions.elements=Ar";
  const model = potential === "lj" ? [] : ["--model", potential, ...network.split(" ")];
  const args = ["screen", file, "-o", `${folder}/out`, "--quiet", ...model];
  try {
    return await timed(async () => {
      const code = await run([...args, "--steps", String(stepsOf(potential))], terminal);
      if (code !== 0 && code !== 3) throw new Error(`Cannot screen: ${complaints.join("\n")}`);
      const table = await Deno.readTextFile(`${folder}/out/status.csv`);
      return table.split("\n").length - 2;
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function openModel(potential: string): Promise<Model> {
  if (potential === "lj") return lennardJones(builtinPotential("lj", ["Ar"]));
  return await OnnxModel.open(potential, { cutoff: 5, elements: ["Ar"] });
}

async function engine(file: string, potential: string): Promise<Screened> {
  const systems: System[] = [];
  const opened = await openSystems(file);
  for await (const system of opened.each!(0)) systems.push(system);
  await opened.close();
  return await timed(async () => {
    const model = await openModel(potential);
    await using md = new LBFGS({
      model,
      device: "wasm",
      hooks: [ConvergenceHook.fromFmax(0.05)],
    });
    const sampler = new SizeAwareSampler(systems, { maxAtoms: ATOMS });
    const { graduated } = await md.stream(sampler, {
      sinks: [{ write: () => {} }],
      maxSteps: stepsOf(potential),
      onDiverged: "drop",
    });
    return graduated;
  });
}

if (import.meta.main) {
  const [side, file, potential] = Deno.args as [string, string, string];
  console.log(JSON.stringify(await (side === "engine" ? engine : command)(file, potential)));
}
