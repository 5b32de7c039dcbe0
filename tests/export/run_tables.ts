/**
 * Tables of docs/parity.md with runs: dynamics, relaxations, fine-tunings, times.
 *
 * @module
 */

import {
  BY_HOST,
  type Drift,
  type Errors,
  type Figures,
  isMeasured,
  type Measured,
  type Relaxation,
  type StepTime,
  type StepTimes,
  type Tuning,
} from "./figures.ts";
import { type ParityRow, table } from "./table.ts";

/** Accepted differences. */
const ACCEPTED = {
  /** meV per atom and ps. */
  drift: 0.5,
  /** meV per atom. */
  energy: 1,
  /** Å. */
  length: 0.01,
  /** Å. */
  apart: 0.02,
  /** Relative. */
  errors: 0.05,
} as const;

const FAILED = "**✗**";

/** Returns rows of a task; a potential without a result has one that says so. */
function rowsOf<R>(
  rows: readonly ParityRow[],
  width: number,
  resultOf: (figures: Figures) => Measured<R> | undefined,
  lines: (result: R) => readonly (readonly string[])[],
): string[][] {
  return rows.flatMap(({ potential: { file }, figures }) => {
    const result = figures && resultOf(figures);
    const found = isMeasured(result) ? lines(result) : [[reasonOf(result)]];
    return found.map((line) => {
      const cells = [`\`${file}\``, ...line];
      return [...cells, ...Array<string>(width - cells.length).fill("")];
    });
  });
}

function reasonOf(result: { readonly failed: string } | undefined): string {
  return result === undefined ? "not measured" : `${FAILED} ${escaped(result.failed)}`;
}

function escaped(text: string): string {
  return text.split(";")[0]!.replaceAll("|", "\\|").slice(0, 160);
}

/** Returns the section on dynamics. */
export function driftTable(rows: readonly ParityRow[]): string {
  const head = [
    "potential",
    "system",
    "steps",
    "drift in ASE",
    "drift in Hooke",
    "largest difference",
  ];
  const line = ({ label, dt, steps, ase, hooke, apart }: Drift) => [
    label,
    `${steps} of ${dt} fs`,
    small(ase),
    mark(Math.abs(hooke - ase) <= ACCEPTED.drift, small(hooke)),
    small(apart),
  ];
  return `## Dynamics

ASE and Hooke run velocity Verlet (NVE) from the same positions and velocities, drawn for 300 K. ASE uses the
Python code in the precision noted above, Hooke the exported file in float32. The drift is the slope of the total
energy in meV per atom and ps. The last column is the largest difference between the changes of both total
energies since the start, in meV per atom. ${FAILED}: the drifts differ by more than ${ACCEPTED.drift} meV per atom
and ps.

${table(head, rowsOf(rows, head.length, ({ md }) => md, (result) => [line(result)]))}`;
}

/** Returns the section on relaxations. */
export function relaxTable(rows: readonly ParityRow[]): string {
  const head = [
    "potential",
    "structure",
    "relaxed",
    "steps",
    "energy",
    "cell in ASE",
    "cell in Hooke",
    "displacement",
  ];
  const line = (one: Relaxation) => {
    const { label, cell, ase, hooke, apart } = one;
    const energy = 1e3 * (hooke.energy - ase.energy);
    const isConverged = ase.converged && hooke.converged;
    return [
      label,
      cell ? "atoms and cell" : "atoms",
      mark(isConverged, `${steps(ase)}, ${steps(hooke)}`),
      mark(Math.abs(energy) <= ACCEPTED.energy, small(energy)),
      cell ? sides(ase.lengths) : "–",
      cell ? mark(isSameCell(one), sides(hooke.lengths)) : "–",
      mark(apart <= ACCEPTED.apart, apart.toFixed(4)),
    ];
  };
  return `## Relaxation

ASE and Hooke run L-BFGS from the same structure with the same settings (ASE's defaults, 100 steps of memory). They
stop when no force is above 0.01 eV/Å, or above 0.001 eV/Å if the cell relaxes, too. In rows of earlier exports,
which have NaCl at a = 5.75 Å, the limit with cells was 0.01 eV/Å. The numbers of steps differ: ASE keeps its
first estimate of the curvature, while Hooke uses that of the last step. For cells, ASE uses \`FrechetCellFilter\`
and Hooke \`cell: true\`, which weight strains differently.

- **Steps**: first those of ASE, then those of Hooke.
- **Energy**: final energy of Hooke minus that of ASE, in meV per atom.
- **Cell**: lengths of the lattice vectors, in Å.
- **Displacement**: largest distance between the final positions of an atom, in Å.
- ${FAILED}: not converged, or energies differ by more than ${ACCEPTED.energy} meV per atom, lengths by more than
  ${ACCEPTED.length} Å, positions by more than ${ACCEPTED.apart} Å.

${table(head, rowsOf(rows, head.length, ({ relax }) => relax, (cases) => cases.map(line)))}`;
}

function steps({ steps, converged }: Relaxation["ase"]): string {
  return converged ? `${steps}` : `${steps} (not converged)`;
}

function isSameCell({ ase, hooke }: Relaxation): boolean {
  return ase.lengths.every((one, i) => Math.abs(one - hooke.lengths[i]!) <= ACCEPTED.length);
}

function sides(lengths: readonly number[]): string {
  return lengths.map((one) => one.toFixed(3)).join(", ");
}

/** Returns the section on fine-tuning. */
export function tuneTable(rows: readonly ParityRow[]): string {
  const head = [
    "potential",
    "tensors trained",
    "before in PyTorch",
    "before in Hooke",
    "after in PyTorch",
    "after in Hooke",
  ];
  const line = ({ parameters: [own, ours], torch, hooke }: Tuning) => [
    `${own}, ${ours}`,
    errors(torch.before),
    mark(areClose(torch.before, hooke.before), errors(hooke.before)),
    errors(torch.after),
    mark(areClose(torch.after, hooke.after), errors(hooke.after)),
  ];
  return `## Fine-tuning

The data are six frames with 8 atoms of NaCl, or with 28 atoms of water and ammonia if the potential does not
support NaCl. Their energies and forces are those of the potential plus those of a Morse potential. \`fineTune\`
trains the exported file, and a loop in PyTorch trains the exported module, both in float32, with 20 steps of Adam
at a rate of 1e-4 on all six frames at once. **Tensors trained** is the number in PyTorch and in Hooke, whose
graphs lack tensors that the energy does not need. Errors are mean absolute errors on two other frames: energies in
meV per atom, forces in meV/Å. ${FAILED}: errors differ by more than ${100 * ACCEPTED.errors} %.

${table(head, rowsOf(rows, head.length, ({ tune }) => tune, (result) => [line(result)]))}`;
}

function errors({ energy, forces }: Errors): string {
  return `${energy.toFixed(1)}, ${forces.toFixed(1)}`;
}

function areClose(a: Errors, b: Errors): boolean {
  return (["energy", "forces"] as const).every((name) =>
    Math.abs(a[name] - b[name]) <= ACCEPTED.errors * Math.max(a[name], 1)
  );
}

/** Returns the section on times. */
export function timeTable(rows: readonly ParityRow[]): string {
  const head = ["potential", "atoms", "ASE and PyTorch", "wasm", "native", "WebGPU"];
  const lines = ({ ase, wasm, native = [], webgpu }: StepTimes) => {
    const sizes = typeof wasm === "string" ? [] : wasm.map(({ atoms }) => atoms);
    // Only the smaller size is tried on WebGPU.
    return sizes.map((atoms, i) => [
      `${atoms}`,
      cost(ase, atoms),
      cost(wasm, atoms),
      cost(native, atoms),
      cost(i > 0 && typeof webgpu === "string" ? [] : webgpu, atoms),
    ]);
  };
  return `## Time per step

Each cell has the **CPU time / wall time** in ms of a step of velocity Verlet, including pair lists, in one process
with one thread, and in parentheses the load of the machine over the last minute. It is the least of three to ten
steps. ASE and PyTorch run the original packages in float32, except that MatterSim's compiled list of triplets is
replaced by a slow list in Python. The machine has two shared cores (AMD EPYC). With a load above two, wall times
are longer than on an idle machine; CPU times change less. WebGPU is a **software adapter** (llvmpipe), which uses
both cores: its times show that the potential runs, not how fast a GPU is.

${table(head, rowsOf(rows, head.length, ({ time }) => time, lines))}`;
}

function cost(times: readonly StepTime[] | string, atoms: number): string {
  if (typeof times === "string") return times === BY_HOST ? times : `${FAILED} ${escaped(times)}`;
  const own = times.find((one) => one.atoms === atoms);
  if (own === undefined) return "not measured";
  const show = (value: number) => value.toPrecision(value < 100 ? 2 : 3).replace(/e\+\d+$/, "");
  return `${number(own.cpu)} / ${number(own.wall)} (${show(own.load)})`;
}

function number(value: number): string {
  return value < 100 ? value.toPrecision(2) : value.toFixed(0);
}

function small(value: number): string {
  return Math.abs(value) < 5e-5 ? "0.0000" : value.toFixed(4);
}

function mark(isGood: boolean, text: string): string {
  return isGood ? text : `${FAILED} ${text}`;
}
