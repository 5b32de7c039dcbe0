/**
 * Checks of written models: they are run, and compared with the original model.
 *
 * @module
 */

import { openBackend } from "../../backend/open.ts";
import { disposing } from "../../base/disposing.ts";
import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import { type Evaluated, evaluateModel } from "../../models/evaluate.ts";
import { OnnxModel } from "../../models/onnx/onnx_model.ts";
import { deformed } from "./probe.ts";

/** Results of a check. All differences are the largest ones. */
export interface Checked {
  /** The structure, such as `8 atoms of C, H in a periodic box`. */
  readonly structure: string;
  /** Runtime that ran the written file. */
  readonly runtime: string;
  /** True if the original was evaluated in double precision. */
  readonly isDouble: boolean;
  /** Largest force of the original, eV/Å. */
  readonly fmax: number;
  /** Difference between the forces of the written file and of the original, eV/Å. */
  readonly forces: number;
  /** Difference between the virials of both, eV; undefined if the written file has none. */
  readonly virial: number | undefined;
  /** Difference between the slope of the energy along a direction and the one of forces and virials, relative. */
  readonly slope: number;
}

/** Number of directions that are tried: a potential that jumps at its cutoff may jump on one of them. */
const DIRECTIONS = 3;

/**
 * Runs a written model and compares it with the original: with its forces and virials, and with differences of its
 * energies, along a direction that moves all atoms and strains the cell.
 *
 * @param model the original with derived forces, whose energies are those of the original
 * @throws {Error} if the results differ
 */
export async function checkWritten(
  { path, name }: { readonly path: string; readonly name: string },
  model: OnnxModel,
  systems: Iterable<System>,
): Promise<Checked> {
  const { system, of } = await firstUsable(model, systems, name);
  const isDouble = model.describe().includes("in double precision");
  const written = await OnnxModel.open(path, { differentiate: false, onWarning: () => {} });
  return await disposing(written, async (written) => {
    const wanted = { energy: true, stress: model.gives.includes("stress") };
    const own = await evaluated(written, system, "wasm", wanted.stress);
    const forces = farthest(own.forces, of.forces), fmax = largest(of.forces);
    const virial = wanted.stress ? farthest(own.virial, of.virial) : undefined;
    assertClose(name, "forces", forces, fmax, "eV/Å");
    if (virial !== undefined) assertClose(name, "virials", virial, largest(of.virial), "eV");
    const slope = await slopeDifference(model, system, of, isDouble);
    if (!(slope <= (isDouble ? 1e-4 : 3e-2))) {
      throw new Error(
        `Cannot export ${name}: its derived forces differ from the slope of its energy by ${
          slope.toExponential(1)
        } (relative); the energy may not be smooth. Pass another structure by --struct`,
      );
    }
    const structure = described(system), runtime = written.runtime.replace(/[,;].*$/, "");
    return { structure, runtime, isDouble, fmax, forces, virial, slope };
  });
}

/** Returns the first structure that the model can evaluate, and on which forces act. */
async function firstUsable(
  model: OnnxModel,
  systems: Iterable<System>,
  name: string,
): Promise<{ readonly system: System; readonly of: Evaluated }> {
  let reason = "no forces act in the built structures";
  for (const system of systems) {
    try {
      const of = await evaluated(model, system, "reference", model.gives.includes("stress"));
      if (of.diverged === undefined && largest(of.forces) > 1e-6) return { system, of };
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  throw new Error(
    `Cannot check the forces of ${name}: ${reason}. Pass a structure with elements of the model by --struct FILE`,
  );
}

async function evaluated(
  model: OnnxModel,
  system: System | Batch,
  device: "wasm" | "reference",
  stress: boolean,
): Promise<Evaluated> {
  const backend = openBackend(device);
  try {
    const batch = system instanceof Batch ? system : Batch.from([system]);
    return await evaluateModel(model, batch, backend, { wanted: { energy: true, stress } });
  } finally {
    backend.dispose();
  }
}

/**
 * Returns the relative difference between the slope of the energy along a direction, as a central difference, and the
 * slope that forces and virials predict. Of several directions, it is the smallest.
 */
async function slopeDifference(
  model: OnnxModel,
  system: System,
  { energy, forces, virial }: Evaluated,
  isDouble: boolean,
): Promise<number> {
  const hasVirial = model.gives.includes("stress"), step = isDouble ? 1e-4 : 1e-2;
  let least = Infinity;
  for (let direction = 1; direction <= DIRECTIONS && !(least <= 1e-5); direction++) {
    const moves = numbers(forces.length, direction);
    const strain = hasVirial ? symmetric(numbers(9, direction + 0.5)) : new Array(9).fill(0);
    const at = async (amount: number) => {
      const batch = deformed(system, amount, { moves, strain });
      return (await evaluated(model, batch, "reference", hasVirial)).energy[0]!;
    };
    const slope = (await at(step) - await at(-step)) / (2 * step);
    const predicted = -dot(forces, moves) - (hasVirial ? dot(virial, strain) : 0);
    // Energies in single precision have about seven digits, of which the difference has fewer.
    const noise = isDouble ? 0 : 1e-6 * Math.abs(energy[0]!) / step;
    const difference = Math.max(0, Math.abs(slope - predicted) - noise);
    least = Math.min(least, difference / Math.sqrt(dot(forces, forces)));
  }
  return least;
}

/** Throws an Error if results of single precision differ by more than their rounding errors. */
function assertClose(
  name: string,
  what: string,
  difference: number,
  scale: number,
  unit: string,
): void {
  if (difference <= 1e-4 + 2e-3 * scale) return;
  throw new Error(
    `Cannot export ${name}: the ${what} of the written file differ by ${
      difference.toExponential(1)
    } ${unit} from those of the original, whose largest is ${scale.toPrecision(3)} ${unit}`,
  );
}

function described({ symbols, pbc }: System): string {
  const elements = [...new Set(symbols)].sort().join(", ");
  const atoms = symbols.length === 1 ? "1 atom" : `${symbols.length} atoms`;
  return `${atoms} of ${elements} ${pbc.includes(1) ? "in a periodic box" : "without a box"}`;
}

/** Returns numbers between −1 and 1 without a pattern. */
function numbers(length: number, seed: number): number[] {
  return Array.from({ length }, (_, i) => Math.sin(78.233 * seed + 12.9898 * i * i + i));
}

function symmetric(rows: readonly number[]): number[] {
  return rows.map((x, i) => (x + rows[3 * (i % 3) + Math.floor(i / 3)]!) / 2);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

function largest(values: readonly number[]): number {
  return values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

/** Returns the largest difference; NaN if a value is not a number. */
function farthest(a: readonly number[], b: readonly number[]): number {
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);
}
