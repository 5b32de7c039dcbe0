/**
 * Cases that are compared with peers: the programs of Hooke and of the peers. The crystals are those of the peers'
 * own benchmarks: argon, fcc, a = 5.26 Å, 80 K, cutoff 8.5 Å, dt 1 fs. With a skin of 1 Å, such a crystal rebuilds
 * its list once in about 130 steps. Turns are long enough for several rebuilds, because the least of short turns
 * would be a turn without a rebuild. The cluster program is measured twice: as its own script runs it (the best 50
 * steps, without a rebuild), and with rebuilds.
 *
 * @module
 */

import { type Command, type Contender, openProgram, openServer, type Turn } from "./contender.ts";
import {
  environmentOf,
  here,
  inputOf,
  type Places,
  type Program,
  pythonOf,
  type PythonPeer,
} from "./places.ts";

/** A peer, and how to open it. */
export interface Opponent {
  /** Python environment that the opponent needs in addition to the C programs. */
  readonly needs?: PythonPeer;
  /** Program of the system that the opponent runs. */
  readonly runs?: Program;
  open(places: Places): Promise<Contender>;
}

/** A case: the programs of both sides. */
export interface Task {
  /** The ids of the rows that this case serves. */
  readonly rows: readonly string[];
  /** The input file: a key of the work folder's `inputs`. */
  readonly input?: string;
  /** Steps per turn and before the first. */
  readonly steps?: number;
  readonly warm?: number;
  /**
   * Contenders of our side, and the options that each receives in addition. The first is called `ours`, and the names
   * of the others begin with it. @default { ours: {} }
   */
  readonly ours?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Unit that the cost of a turn is divided by. */
  readonly per: "atom-step" | "atom" | "relaxation" | "step" | "parameter" | "frame";
  readonly peers: Readonly<Record<string, Opponent>>;
}

function python(
  peer: PythonPeer,
  script: string,
  args: (places: Places) => Record<string, unknown>,
): Opponent {
  return {
    needs: peer,
    open(places) {
      const asked = JSON.stringify({ peers: places.peers, ...args(places) });
      const program = pythonOf(places, peer);
      return openServer({ program, args: [here(script), asked], env: environmentOf(places) });
    },
  };
}

/** LAMMPS on an input, one instance per system, in each of its styles for one core. */
function lammps(input: string, warm: number, steps: number): Record<string, Opponent> {
  const styled = (style: string) =>
    python("lammps", "lammps_nve.py", (places) => ({
      input: inputOf(places, input),
      style,
      warm,
      steps,
    }));
  return { "lammps opt": styled("opt"), "lammps plain": styled("plain") };
}

/** GROMACS on a crystal, as the slope between two numbers of steps. Its driver needs a Python with no packages. */
function gromacs(input: string, short: number, long: number): Record<string, Opponent> {
  const asked = (places: Places) => ({ input: inputOf(places, input), short, long });
  return { gromacs: { ...python("lammps", "gromacs_nve.py", asked), runs: "gmx" } };
}

function nvalchemi(n: number, systems: number, warm: number, steps: number): Opponent {
  return python("nvalchemi", "nvalchemi_nve.py", () => ({ n, systems, warm, steps }));
}

function torchsim(n: number, systems: number, list: string): Opponent {
  return python("torchsim", "torchsim_nve.py", () => ({ n, systems, list, warm: 2, steps: 3 }));
}

/** L-BFGS with the list that is the fastest for small crystals. */
function relaxedByTorchsim(dtype: "float32" | "float64"): Opponent {
  const asked = { n: 32, systems: 64, fmax: 0.01, list: "default", dtype };
  return python("torchsim", "torchsim_lbfgs.py", () => asked);
}

/** FIRE in flight, 64 crystals at once. */
function inFlight(dtype: "float32" | "float64"): Opponent {
  return python("torchsim", "torchsim_in_flight.py", (places) => ({
    input: inputOf(places, "crystals_32x640"),
    at_once: 64,
    fmax: 0.01,
    dtype,
  }));
}

/** Steps of ANI-1x as ours has them, without finding neighbors where the program would do that itself. */
function ani(peer: PythonPeer, script: string): Opponent {
  return python(peer, script, (places) => ({
    input: inputOf(places, "ani_molecules"),
    warm: 5,
    steps: 20,
  }));
}

/** Our side on both implementations of onnxruntime. */
const BOTH = { ours: { runtime: "web" }, "ours native": { runtime: "native" } } as const;

/** A training step of the large network of dense layers. */
function largeMlp(batch: number, warm: number, steps: number): Task {
  const input = `train_mlp_large_${batch}`;
  return {
    rows: [`training/8-${batch}`, `training/8n-${batch}`],
    input,
    warm,
    steps,
    per: "step",
    ours: BOTH,
    peers: torch(input.slice("train_".length), warm, steps),
  };
}

/** Langevin dynamics of a crystal with a potential, in ASE. */
function nvt(
  peer: "chgnet" | "sevennet" | "mace",
  { rows, steps }: { readonly rows: readonly string[]; readonly steps: number },
): Task {
  const input = `nvt_${peer}`, warm = 3;
  const asked = (places: Places) => ({
    calculator: peer,
    input: inputOf(places, input),
    warm,
    steps,
  });
  const peers = { [`ase ${peer}`]: python(peer, "ase_nvt.py", asked) };
  return { rows, input, warm, steps, per: "step", ours: BOTH, peers };
}

/** Steps of training, as they come and with all of the update in one kernel. */
function torch(network: string, warm: number, steps: number): Record<string, Opponent> {
  const one = (fused: boolean) =>
    python("torch", "train_torch.py", (places) => ({
      input: inputOf(places, `train_${network}`),
      network,
      warm,
      steps,
      fused,
    }));
  return { torch: one(false), "torch fused": one(true) };
}

/** Frames of 4000 atoms into a file. */
function frames(peer: PythonPeer, script: string): Opponent {
  return python(peer, script, () => ({ steps: FRAMES }));
}

const FRAMES = 1000;
const RELAXED = { n: 32, systems: 64, fmax: 0.05 };

/** Returns the least cost of the repeats that a C program prints. */
function least({ cpu_min, min, ...told }: Record<string, unknown>): Turn {
  return { cpu: Number(cpu_min), wall: Number(min), told };
}

function program({ work }: Places, name: string, args: readonly string[]): Command {
  return { program: `${work}/c/bin/${name}`, args, env: {} };
}

function c(name: string, args: readonly string[]): Opponent {
  return {
    open: (places) => Promise.resolve(openProgram(program(places, name, args), least)),
  };
}

/** One of the update kernels at 1e5 atoms, in the build that stands for 128-bit vectors. */
function kernel(which: "kick_drift" | "vv_full"): Opponent {
  const read = (printed: Record<string, unknown>): Turn => {
    const { cpu, wall } = printed[which] as { cpu: number; wall: number };
    return { cpu, wall, told: {} };
  };
  return {
    open: (places) =>
      Promise.resolve(openProgram(program(places, "kernel_turn", ["100000", "5"]), read)),
  };
}

/**
 * Returns an opponent that copies 160 MB in C, and scales the time to `bytes`. 160 MB is the size of the four arrays of
 * Adam for ten million parameters, more than caches hold.
 */
function copied(bytes: number): Opponent {
  const read = ({ cpu, wall }: Record<string, unknown>): Turn => ({
    cpu: Number(cpu) * bytes / 8,
    wall: Number(wall) * bytes / 8,
    told: {},
  });
  return {
    open: (places) =>
      Promise.resolve(openProgram(program(places, "copy_turn", ["20000000", "5"]), read)),
  };
}

/** Opens the baseline that runs after each turn: a plain half-list program in C, float64, 4000 atoms, one thread. */
export function openBaseline(places: Places): Contender {
  const args = ["-n", "4000", "-s", "8", "-r", "3"];
  return openProgram(
    program(places, "lj_f64", args),
    ({ cpu, ns_per_atom_step }) => ({
      cpu: Number(cpu),
      wall: Number(ns_per_atom_step),
      told: {},
    }),
  );
}

/** All cases, by name. */
export const CASES: Readonly<Record<string, Task>> = {
  "crystal 4000": {
    rows: ["dynamics/1"],
    input: "crystal_4000",
    warm: 300,
    steps: 1000,
    per: "atom-step",
    peers: lammps("crystal_4000", 300, 1000),
  },
  "crystal 32000": {
    rows: ["dynamics/2"],
    input: "crystal_32000",
    warm: 300,
    steps: 300,
    per: "atom-step",
    peers: lammps("crystal_32000", 300, 300),
  },
  "gromacs 4000": {
    rows: ["dynamics/16"],
    input: "crystal_4000",
    warm: 300,
    steps: 4000,
    per: "atom-step",
    peers: gromacs("crystal_4000", 1000, 5000),
  },
  "gromacs 32000": {
    rows: ["dynamics/16"],
    input: "crystal_32000",
    warm: 300,
    steps: 600,
    per: "atom-step",
    peers: gromacs("crystal_32000", 200, 800),
  },
  "clusters 4000": {
    rows: ["dynamics/3"],
    input: "crystal_4000",
    warm: 300,
    steps: 1000,
    per: "atom-step",
    peers: {
      "c cluster sse4.1": c("ljc_f32_sse", ["-n", "4000", "-s", "50", "-r", "9"]),
      "c cluster sse4.1 with builds": c("ljc_f32_sse", ["-n", "4000", "-s", "1000", "-r", "1"]),
    },
  },
  "liquid 4000": {
    rows: ["dynamics/4"],
    input: "liquid_4000",
    warm: 300,
    steps: 1000,
    per: "atom-step",
    peers: lammps("liquid_4000", 300, 1000),
  },
  "alone 108": {
    rows: ["dynamics/5"],
    input: "crystal_108",
    warm: 1000,
    steps: 5000,
    per: "atom-step",
    peers: lammps("crystal_108", 1000, 5000),
  },
  "batch 64x32": {
    rows: ["dynamics/6", "dynamics/7"],
    input: "crystal_32x64",
    warm: 300,
    steps: 1000,
    per: "atom-step",
    peers: {
      ...lammps("crystal_32x64", 300, 1000),
      nvalchemi: nvalchemi(32, 64, 30, 150),
    },
  },
  "batch 64x108": {
    rows: ["dynamics/8"],
    input: "crystal_108x64",
    warm: 300,
    steps: 300,
    per: "atom-step",
    peers: {
      "torch-sim default": torchsim(108, 64, "default"),
      "torch-sim alchemi_cell": torchsim(108, 64, "alchemi_cell"),
      "torch-sim vesin_ts": torchsim(108, 64, "vesin_ts"),
    },
  },
  "kick and drift": {
    rows: ["dynamics/9"],
    per: "atom",
    peers: { "c kick_drift sse4.1": kernel("kick_drift") },
  },
  "velocity Verlet update": {
    rows: ["dynamics/9"],
    per: "atom",
    peers: { "c vv_full sse4.1": kernel("vv_full") },
  },
  "relax 64x32": {
    rows: ["dynamics/11", "dynamics/12", "dynamics/13"],
    input: "rattled_32x64",
    per: "relaxation",
    peers: {
      ase: python("ase", "ase_fire.py", () => RELAXED),
      nvalchemi: python(
        "nvalchemi",
        "nvalchemi_fire.py",
        () => ({ ...RELAXED, dtype: "float64" }),
      ),
      "nvalchemi f32": python(
        "nvalchemi",
        "nvalchemi_fire.py",
        () => ({ ...RELAXED, dtype: "float32" }),
      ),
    },
  },
  "lbfgs 64x32": {
    rows: ["engines/5"],
    input: "rattled_32x64",
    per: "relaxation",
    peers: {
      "torch-sim": relaxedByTorchsim("float64"),
      "torch-sim f32": relaxedByTorchsim("float32"),
    },
  },
  "in flight 640x32": {
    rows: ["engines/6"],
    input: "crystals_32x640",
    per: "relaxation",
    peers: { "torch-sim": inFlight("float64"), "torch-sim f32": inFlight("float32") },
  },
  "ani 64": {
    rows: ["onnx/2", "onnx/2n", "onnx/3", "onnx/3n"],
    input: "ani_molecules",
    warm: 30,
    steps: 20,
    per: "step",
    ours: {
      ours: { runtime: "web" },
      "ours native": { runtime: "native" },
      "ours with traced forces": { runtime: "web", file: "model" },
      "ours native with traced forces": { runtime: "native", file: "model" },
    },
    peers: {
      onnxruntime: ani("onnxruntime", "ani_onnxruntime.py"),
      "torch autograd": ani("torchani", "ani_torch.py"),
    },
  },
  "relax ani 64": {
    rows: ["onnx/8", "onnx/8n"],
    input: "ani_displaced",
    per: "relaxation",
    ours: BOTH,
    peers: {
      "torchani batched": python(
        "torchani",
        "ani_fire.py",
        (places) => ({ input: inputOf(places, "ani_displaced") }),
      ),
    },
  },
  "nvt chgnet": nvt("chgnet", { rows: ["onnx/9", "onnx/9n"], steps: 8 }),
  "nvt sevennet": nvt("sevennet", { rows: ["onnx/10n-sevennet"], steps: 5 }),
  "nvt mace": nvt("mace", { rows: ["onnx/10n-mace"], steps: 5 }),
  "train mlp": {
    rows: ["training/1"],
    input: "train_mlp",
    warm: 200,
    steps: 500,
    per: "step",
    peers: torch("mlp", 200, 500),
  },
  "train mlp_large_64": largeMlp(64, 10, 20),
  "train mlp_large_1024": largeMlp(1024, 2, 4),
  "train schnet": {
    rows: ["training/3"],
    input: "train_schnet",
    warm: 30,
    steps: 100,
    per: "step",
    peers: torch("schnet", 30, 100),
  },
  "adamw 1e7": {
    rows: ["training/6"],
    steps: 20,
    per: "parameter",
    peers: { "c copy of 28 bytes": copied(28) },
  },
  "frames none": {
    rows: ["sinks/1"],
    steps: FRAMES,
    per: "frame",
    peers: { "ase trajectory": frames("ase", "ase_trajectory.py") },
  },
  "frames zstd": {
    rows: ["sinks/2"],
    steps: FRAMES,
    per: "frame",
    peers: { "torch-sim hdf5": frames("torchsim", "torchsim_hdf5.py") },
  },
  "frames zstd, zarr": {
    rows: ["sinks/3"],
    steps: FRAMES,
    per: "frame",
    peers: { "nvalchemi zarr": frames("nvalchemi", "nvalchemi_zarr.py") },
  },
};
