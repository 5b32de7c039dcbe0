/**
 * Measured figures of a potential, kept in tests/export/figures: one file per potential, from which docs/parity.md is
 * written. A figure that is not in a file has not been measured.
 *
 * @module
 */

import type {
  OnnxReference,
  OnnxReferenceTolerance,
} from "../../src/models/onnx/reference/reference.ts";

/** Atoms as ase_runs.py writes them: Å, Å/fs. */
export interface Start {
  /** One element per atom. */
  readonly symbols: readonly string[];
  /** Three per atom. */
  readonly positions: readonly number[];
  /** Nine numbers. */
  readonly cell: readonly number[];
  /** The lattice vectors along which it repeats. */
  readonly pbc: readonly boolean[];
  /** Three per atom. */
  readonly velocities?: readonly number[];
}

/** Differences on one structure. */
export interface Difference {
  /** The kind of structure. */
  readonly label: string;
  /** eV per atom. */
  readonly energy: number;
  /** Relative to the largest force of the structure, or to 1 eV/Å where that is larger. */
  readonly forces: number;
  /** Relative to the largest stress, or to 0.01 eV/Å³; undefined for structures without one. */
  readonly stress?: number | undefined;
}

/** Energies, forces and stresses beside the reference. */
export interface Agreement {
  /** Per structure. */
  readonly differences: readonly Difference[];
  /** Accepted differences. */
  readonly tolerance: OnnxReferenceTolerance;
  /** Errors of PyTorch in float32. */
  readonly float32?: OnnxReference["float32"];
  /** Structures that the original program refused. */
  readonly refused?: OnnxReference["refused"];
  /** Energy of the crystal whose energies others have published, eV; undefined if the potential does not know it. */
  readonly salt?: number;
}

/** One end of a relaxation. */
export interface Relaxed {
  /** eV per atom. */
  readonly energy: number;
  /** Lengths of the lattice vectors, Å. */
  readonly lengths: readonly number[];
  /** Steps until the end. */
  readonly steps: number;
  /** True if the forces came below the limit. */
  readonly converged: boolean;
}

/** A relaxation, by both programs from the same start. */
export interface Relaxation {
  /** The structure. */
  readonly label: string;
  /** True if the cell was relaxed, too. */
  readonly cell: boolean;
  /** The end of ASE. */
  readonly ase: Relaxed;
  /** The end of Hooke. */
  readonly hooke: Relaxed;
  /** Lengths of the lattice vectors at the start, Å. */
  readonly start: readonly number[];
  /** The largest distance between the places of an atom in both ends, in the cell of ASE, Å. */
  readonly apart: number;
}

/** Dynamics at constant energy, by both programs from the same start. */
export interface Drift {
  /** The structure. */
  readonly label: string;
  /** The step, fs. */
  readonly dt: number;
  /** Number of steps. */
  readonly steps: number;
  /** Slope of the total energy in ASE, meV per atom and ps. */
  readonly ase: number;
  /** The same in Hooke. */
  readonly hooke: number;
  /** The largest difference between the changes of both total energies, meV per atom. */
  readonly apart: number;
}

/** Costs of a step of one program. */
export interface StepTime {
  /** Number of atoms. */
  readonly atoms: number;
  /** CPU time of all threads, ms. */
  readonly cpu: number;
  /** Wall time, ms. */
  readonly wall: number;
  /** Steps that the least was taken from. */
  readonly steps: number;
  /** The load of the machine over the last minute. */
  readonly load: number;
}

/** Programs whose steps are timed. */
export const PROGRAMS = ["ase", "wasm", "native", "webgpu"] as const;

/** Said of a model that the host runs although the engine is on a GPU. */
export const BY_HOST = "run by the host, as on wasm";

/** Costs of steps by program; a text says why there are none. */
export type StepTimes = Readonly<
  & Record<Exclude<typeof PROGRAMS[number], "native">, readonly StepTime[] | string>
  // Figures that were measured before there was native code have none.
  & Partial<Record<"native", readonly StepTime[] | string>>
>;

/** Mean absolute errors: meV per atom, meV/Å. */
export interface Errors {
  readonly energy: number;
  readonly forces: number;
}

/** A fine-tuning, by both programs from the same frames. */
export interface Tuning {
  /** Passes over the frames, each of one step. */
  readonly epochs: number;
  /** Trained parameters in PyTorch and in Hooke. */
  readonly parameters: readonly [torch: number, hooke: number];
  /** Errors before and after in PyTorch. */
  readonly torch: { readonly before: Errors; readonly after: Errors };
  /** The same in Hooke. */
  readonly hooke: { readonly before: Errors; readonly after: Errors };
}

/** A result, or why there is none. */
export type Measured<T> = T | { readonly failed: string };

/** Measurements of a potential, by task. */
export interface Tasks {
  readonly agreement: Agreement;
  /** The same in native code. */
  readonly native: Agreement;
  readonly relax: readonly Relaxation[];
  readonly md: Drift;
  readonly time: StepTimes;
  readonly tune: Tuning;
}

/** All that has been measured of a potential. */
export interface Figures extends Partial<{ readonly [T in keyof Tasks]: Measured<Tasks[T]> }> {
  /** SHA-256 of the .onnx file; figures of another file are measured anew. */
  readonly model: string;
  /** Tasks that were measured on an earlier export of the same weights; they are measured anew if asked for. */
  readonly earlier?: readonly (keyof Tasks)[];
  /** Day of the last measurement. */
  readonly date: string;
  /** Versions of the Python packages. */
  readonly producer: string;
  /** Precision of the Python code. */
  readonly precision: string;
}

const FOLDER = new URL("figures/", import.meta.url);

/** Returns what has been measured of a potential; `undefined` if nothing has. */
export async function readFigures(file: string): Promise<Figures | undefined> {
  const text = await Deno.readTextFile(new URL(`${file}.json`, FOLDER)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** Keeps what has been measured of a potential. */
export async function writeFigures(file: string, figures: Figures): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  const rounded = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(7)) : value;
  const text = JSON.stringify(figures, rounded, 1);
  await Deno.writeTextFile(new URL(`${file}.json`, FOLDER), `${text}\n`);
}

/** Returns whether there is a result. */
export function isMeasured<T>(result: Measured<T> | undefined): result is T {
  return typeof result === "object" && result !== null && !("failed" in result);
}
