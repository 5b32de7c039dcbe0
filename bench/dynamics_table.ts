/**
 * Rows of the benchmark of simulations. bench/README.md describes them.
 *
 * @module
 */

import { compareWith, compareWorst, type Comparison } from "./dynamics/against.ts";
import { measureAlone } from "./dynamics/alone.ts";
import { middle } from "./dynamics/cpu.ts";
import { threadsOnOneSystem } from "./engines/threads.ts";
import { type BenchResult, type BenchRow, type BenchSetting, isMeasured } from "./row.ts";
import type { NotMeasured } from "./row.ts";
import { show } from "./show.ts";

/** Processes that a ratio is taken from. */
const RUNS = 3;

/** A row that divides ours by the fastest of these peers. */
function against(
  n: number,
  name: string,
  limit: number,
  comparison: Comparison,
): BenchRow {
  return {
    id: `dynamics/${n}`,
    name,
    limit,
    unit: "x",
    run: (setting) => compareWith(setting, comparison),
  };
}

/** CPU time per atom and step. */
function cpu(name: string, ...peers: readonly string[]): Comparison {
  return { case: name, peers, of: "cpu" };
}

/**
 * Measures the whole update of a step. The note also reports half a kick and a drift alone, which do not occur in
 * this form in a run.
 */
async function update(setting: BenchSetting): Promise<BenchResult | NotMeasured> {
  const whole = await compareWith(setting, cpu("velocity Verlet update", "c vv_full sse4.1"));
  const part = await compareWith(setting, cpu("kick and drift", "c kick_drift sse4.1"));
  if (!isMeasured(whole) || !isMeasured(part)) return whole;
  return { ...whole, note: `${whole.note}; not counted (${show(part.value)}×): ${part.note}` };
}

/** A ratio that some processes find, each by itself. */
async function alone(name: "rebuild" | "observers" | "generated" | "many"): Promise<BenchResult> {
  const runs: number[] = [];
  for (let i = 0; i < RUNS; i++) runs.push(await measureAlone(name));
  return { value: middle(runs), runs };
}

async function garbage(): Promise<BenchResult> {
  const { without, notDue } = await measureAlone("garbage");
  return {
    value: Math.max(without, notDue),
    runs: [without, notDue],
    note: "without hooks, with 8 none due",
  };
}

const OPT = "lammps opt";
const FIRE = "FIRE to fmax 0.05, 64 × 32 atoms";

const rows: BenchRow[] = [
  against(1, "NVE, 4000 atoms in random order, against LAMMPS opt", 0.8, cpu("crystal 4000", OPT)),
  against(
    2,
    "NVE, 32000 atoms in random order, against LAMMPS opt",
    0.8,
    cpu("crystal 32000", OPT),
  ),
  against(
    3,
    "NVE, 4000 atoms in random order, against 4×4 clusters in C (SSE4.1)",
    1.15,
    cpu("clusters 4000", "c cluster sse4.1"),
  ),
  against(4, "liquid argon, 4000 atoms, against LAMMPS opt", 0.85, cpu("liquid 4000", OPT)),
  against(
    5,
    "NVE, one system of 108 atoms, no hook due, against LAMMPS opt",
    1,
    cpu("alone 108", OPT),
  ),
  against(
    6,
    "NVE, 64 × 32 atoms, against LAMMPS opt, one system after another",
    0.75,
    cpu("batch 64x32", OPT),
  ),
  against(7, "NVE, 64 × 32 atoms, against nvalchemi", 0.067, cpu("batch 64x32", "nvalchemi")),
  against(
    8,
    "NVE, 64 × 108 atoms, against torch-sim",
    0.0167,
    cpu("batch 64x108", "torch-sim default", "torch-sim alchemi_cell", "torch-sim vesin_ts"),
  ),
  {
    id: "dynamics/9",
    name: "velocity-Verlet update, 1e5 atoms, against C (SSE4.1)",
    limit: 1.3,
    unit: "x",
    run: update,
  },
  {
    id: "dynamics/10",
    name: "neighbor list rebuild, 32000 atoms, relative to a force call",
    limit: 12,
    unit: "x",
    run: () => alone("rebuild"),
  },
  against(11, `${FIRE}: wall time, against ASE one by one`, 0.02, {
    case: "relax 64x32",
    peers: ["ase"],
    of: "wall",
  }),
  against(12, `${FIRE}: wall time, against nvalchemi`, 0.05, {
    case: "relax 64x32",
    peers: ["nvalchemi", "nvalchemi f32"],
    of: "wall",
  }),
  against(13, `${FIRE}: steps, against nvalchemi`, 1.05, {
    case: "relax 64x32",
    peers: ["nvalchemi", "nvalchemi f32"],
    of: "steps",
  }),
  {
    id: "dynamics/14",
    name: "NVE, 64 × 108 atoms, 8 observers every 10 steps, against no observers",
    limit: 1.03,
    unit: "x",
    run: () => alone("observers"),
  },
  {
    id: "dynamics/15",
    name: "bytes of garbage per step, no hook due",
    limit: 0,
    unit: "B",
    run: garbage,
  },
  {
    id: "dynamics/16",
    name: "NVE, 4000 and 32000 atoms in random order, against GROMACS (Debian, SSE4.1); the worse",
    limit: 0.5,
    unit: "x",
    run: (setting) =>
      compareWorst(setting, [cpu("gromacs 4000", "gromacs"), cpu("gromacs 32000", "gromacs")]),
  },
  {
    id: "dynamics/17",
    name: "NVE, per atom and step, 10,000 × 32 atoms, against 64 × 32 atoms",
    limit: 1.1,
    unit: "x",
    run: () => alone("many"),
  },
  threadsOnOneSystem,
  {
    id: "dynamics/19",
    name: "NVE, 4000 atoms, a generated pair potential, against the handwritten Morse kernel",
    limit: 1.3,
    unit: "x",
    run: () => alone("generated"),
  },
];

export default rows;
