/**
 * Lennard-Jones argon by kernels alone (neighbors, clear, lennard_jones, kick_drift, kick), beside C programs of the
 * same physics run right after each repeat:
 * `deno run -A bench/kernels_force.ts [--peers DIR] [--skin Å] [--repeats N] [case …]`.
 *
 * One line of JSON per case: the least CPU time per atom and step in ns, and its ratio to each C program's.
 *
 * @module
 */

import process from "node:process";
import { openBackend } from "../src/backend/mod.ts";
import { BOLTZMANN } from "../src/kernels/constants.ts";
import { ARGON, type Argon, argon } from "./kernels_force/argon.ts";
import { Nve } from "./kernels_force/nve.ts";

interface Case {
  readonly atoms: number;
  readonly systems: number;
  readonly isLiquid?: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  "108": { atoms: 108, systems: 1 },
  "4000": { atoms: 4000, systems: 1 },
  "32000": { atoms: 32000, systems: 1 },
  "108000": { atoms: 108000, systems: 1 },
  "64x32": { atoms: 32, systems: 64 },
  "64x108": { atoms: 108, systems: 64 },
  "liquid": { atoms: 4000, systems: 1, isLiquid: true },
};

const flags: Record<string, string> = { peers: "", skin: "1.5", repeats: "5" };
const names: string[] = [];
for (let i = 0; i < Deno.args.length; i++) {
  const arg = Deno.args[i]!;
  if (arg.startsWith("--")) flags[arg.slice(2)] = Deno.args[++i]!;
  else names.push(arg);
}
for (const name of names.length > 0 ? names : Object.keys(CASES)) {
  console.log(JSON.stringify({ case: name, ...measure(CASES[name]!) }));
}

function measure({ atoms, systems, isLiquid = false }: Case): Record<string, number> {
  const all = Array.from(
    { length: systems },
    (_, s) => isLiquid ? melt(atoms) : argon(atoms, 80, s + 1),
  );
  const nve = new Nve(openBackend("wasm"), all, Number(flags.skin));
  const steps = Math.ceil(1.2e6 / nve.atoms);
  nve.run(2 * steps);
  const before = nve.builds();
  const turns = Array.from({ length: Number(flags.repeats) }, () => ({
    step: timed(() => nve.run(steps)) / (steps * nve.atoms),
    force: timed(() => nve.backend.run(nve.force, 0, steps)) / (steps * nve.atoms),
    cluster: peer("ljc_f32_sse", atoms, systems, steps),
    halfList: peer("lj_f64", atoms, systems, steps),
  }));
  const least = (key: keyof typeof turns[0]) => Math.min(...turns.map((turn) => turn[key]));
  const [step, force] = [least("step"), least("force")];
  const again = rebuild(all, nve.atoms);
  return {
    ns: round(step),
    force: round(force),
    ...flags.peers === "" ? {} : {
      cluster: round(least("cluster")),
      toCluster: round(step / least("cluster")),
      halfList: round(least("halfList")),
      toHalfList: round(step / least("halfList")),
    },
    steps: steps * turns.length,
    builds: nve.builds() - before,
    rebuild: round(again),
    inForceCalls: round(again / force),
  };
}

/** Argon above its melting point, then at 90 K with the density it has there. */
function melt(atoms: number): Argon {
  const solid = argon(atoms, 600, 1, 5.77);
  const nve = new Nve(openBackend("wasm"), [solid], 1);
  for (const temperature of [300, 200, 150, 120, 100, 90, 90, 90]) {
    nve.run(1000);
    nve.rescale(temperature, BOLTZMANN);
  }
  const { backend, positions, velocities } = nve;
  const copy = (values: ArrayLike<number>) => Float64Array.from(values);
  return {
    ...solid,
    positions: copy(backend.view(positions)),
    velocities: copy(backend.view(velocities)),
  };
}

/** Measures the time to find the pairs, ns per atom. Positions jump back and forth by more than the skin. */
function rebuild(systems: readonly Argon[], atoms: number): number {
  const nve = new Nve(openBackend("wasm"), systems, Number(flags.skin));
  const run = () => nve.backend.run(nve.force, 0, 1);
  const turns = Array.from({ length: 16 }, (_, i) => {
    const x = nve.backend.view(nve.positions);
    for (const k of x.keys()) x[k]! += i % 2 === 0 ? ARGON.cutoff : -ARGON.cutoff;
    return { both: timed(run), force: timed(run) };
  }).slice(4);
  const least = (key: "both" | "force") => Math.min(...turns.map((turn) => turn[key]));
  return (least("both") - least("force")) / atoms;
}

function timed(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1e3;
}

function peer(name: string, atoms: number, systems: number, steps: number): number {
  if (flags.peers === "") return 0;
  const args = ["-n", atoms, "-b", systems, "-s", steps, "-r", 2].map(String);
  const { stdout } = new Deno.Command(`${flags.peers}/${name}`, { args }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).cpu_min;
}

function round(x: number): number {
  return Number(x.toPrecision(4));
}
