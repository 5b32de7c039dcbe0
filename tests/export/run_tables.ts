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

Velocity Verlet (NVE) from the same positions and velocities, drawn for 300 K: ASE over the Python code in the
precision noted above, Hooke over the exported file in float32. The drift is the slope of the total energy in
meV per atom and ps; the last column is the largest difference between both total energies, less those at the
start, in meV per atom. ${FAILED}: the drifts differ by more than ${ACCEPTED.drift} meV per atom and ps.

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

L-BFGS from the same start with the same settings (ASE's defaults, 100 steps of memory) until no force is above
0.01 eV/Å, or 0.001 eV/Å if the cell relaxes, too (0.01 eV/Å in rows of earlier exports, which have NaCl at a =
5.75 Å). ASE keeps its first estimate of the curvature, Hooke takes that of the last step, so they take
different numbers of steps. Cells relax by ASE's \`FrechetCellFilter\` and by Hooke's \`cell: true\`, which weigh
strains differently. Steps are those of ASE and of Hooke; **energy** is Hooke's less ASE's at the end in meV per
atom, **cell** the lengths of the lattice vectors in Å, **displacement** the largest distance between the places
of an atom in both ends, in Å. ${FAILED}: not converged, or energies differ by more than ${ACCEPTED.energy} meV
per atom, lengths by more than ${ACCEPTED.length} Å, places by more than ${ACCEPTED.apart} Å.

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

Six frames of 8 atoms of NaCl (potentials that do not know it: of 28 atoms of water and ammonia), with the
potential's own energies and forces and those of a Morse potential added: 20 steps of Adam with a rate of 1e-4
on all six at once, by \`fineTune\` on the exported file and by a loop in PyTorch on the module that was
exported, both in float32. **Tensors trained** are counted in PyTorch and in Hooke,
whose graphs lack those that no energy needs. The errors are mean absolute errors on two more frames: energies in
meV per atom,
forces in meV/Å. ${FAILED}: errors differ by more than ${100 * ACCEPTED.errors} %.

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

A step of velocity Verlet, pair lists included, in one process with one thread: **CPU time / wall time** in ms,
and in parentheses the load of the machine over the last minute. The least of three to ten steps. ASE and
PyTorch run the package as it comes, in float32, but for MatterSim, whose compiled list of triplets is replaced
by a slow one in Python. The machine has two shared cores (AMD EPYC): with a load above two, wall times are
longer than they would be on an idle machine; CPU times suffer less. WebGPU is a **software adapter**
(llvmpipe), which uses both cores: its times say that it runs, not how fast a GPU is.

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
