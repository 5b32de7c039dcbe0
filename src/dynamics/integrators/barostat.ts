/**
 * Kernels of integrators that change cells: the kick of the cell, and the motion of atoms in a cell under strain.
 *
 * @module
 */

import { checkCoupling } from "./couplings.ts";
import { complaint } from "../../base/show.ts";
import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import { systemName } from "../../batch/store.ts";
import { signedVolume } from "../../kernels/cells/inverse.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { barostatChain as barostatChainKernel } from "../../kernels/barostats/barostat_chain.ts";
import { barostatKick, Coupling } from "../../kernels/barostats/barostat_kick.ts";
import { BOLTZMANN } from "../../kernels/constants.ts";
import { strainedDrift } from "../../kernels/barostats/strained_drift.ts";
import { strainedKick } from "../../kernels/barostats/strained_kick.ts";
import { outputsOf } from "../../models/model.ts";
import { parameter, parameterTable, type PerSystem, perSystem, times } from "./parameters.ts";
import { freedomOfBath } from "../engine/measures.ts";
import { CELL_LOW } from "../engine/state_names.ts";
import { lowOf } from "./motion.ts";

/** Degrees of freedom of the cell: its volume, its three lengths, or all lengths and angles. */
export type PressureCoupling = "isotropic" | "anisotropic" | "triclinic";

/** Parameters of a barostat. */
export interface BarostatParameters {
  /** Time step, fs. */
  readonly dt: PerSystem;
  /** External pressure, eV/Å³. */
  readonly pressure: PerSystem;
  /** Relaxation time of the cell, fs. */
  readonly barostatTime: PerSystem;
  /** Temperature, K. Together with `barostatTime` it determines the inertia of the cell. */
  readonly temperature: PerSystem;
  /** Degrees of freedom of the cell. */
  readonly pressureCoupling: PressureCoupling;
}

/** A barostat on a batch. */
export interface Barostat {
  /** Time step, fs, one number per system. */
  readonly step: Buffer<"real">;
  /** Kernel of half a kick of the cell. */
  readonly kickCell: KernelCall;
  /** Kernel of half a kick of the atoms, under the strain rate of the cell. */
  readonly kick: KernelCall;
  /** Kernel of a drift of atoms and cell over a whole step. */
  readonly drift: KernelCall;
  /** Arguments that all kernels of the cell have in common. */
  readonly cell: {
    readonly rate: Buffer<"f64">;
    readonly parameters: Buffer<"f64">;
    readonly freedom: Buffer<"i32">;
    readonly bathEnergy: Buffer<"f64">;
    readonly coupling: number;
  };
}

const COUPLINGS: Readonly<Record<PressureCoupling, number>> = {
  isotropic: Coupling.ISOTROPIC,
  anisotropic: Coupling.ANISOTROPIC,
  triclinic: Coupling.TRICLINIC,
};

/**
 * Throws a TypeError or RangeError if `pressureCoupling` is invalid, or `barostatTime` is too short for the time
 * step.
 */
export function checkBarostat(engine: string, parameters: BarostatParameters): void {
  checkPressureCoupling(engine, parameters.pressureCoupling);
  checkCoupling(engine, "barostatTime", parameters.barostatTime, parameters.dt);
}

function checkPressureCoupling(engine: string, coupling: unknown): void {
  if (typeof coupling === "string" && Object.hasOwn(COUPLINGS, coupling)) return;
  const Wrong = typeof coupling === "string" ? RangeError : TypeError;
  const requirement = `pressureCoupling must be ${Object.keys(COUPLINGS).join(", ")}`;
  throw new Wrong(
    complaint(`make ${engine}`, requirement, coupling, Object.keys(COUPLINGS)),
  );
}

/**
 * Creates a barostat on a batch. Throws a RangeError if a system is not periodic in all directions, or its cell does
 * not fit `pressureCoupling`.
 */
export function openBarostat(
  state: ResidentBatch,
  engine: string,
  options: BarostatParameters,
): Barostat {
  const { dt, pressure, barostatTime, temperature, pressureCoupling } = options;
  checkCoupling(engine, "barostatTime", barostatTime, dt, state.batch);
  checkCells(state, engine, pressureCoupling);
  const step = parameter(state, engine, "dt", dt);
  const cell = {
    // The order must be that of BarostatParameter.
    parameters: parameterTable(state, engine, {
      dt,
      pressure,
      temperature: times(temperature, BOLTZMANN),
      barostatTime,
    }),
    freedom: freedomOfBath(state),
    rate: state.state("strainRate", { dtype: "f64", level: "system", width: 9 }),
    bathEnergy: state.state("bathEnergy", {
      dtype: "f64",
      level: "system",
      isShared: true,
      initial: work(state, perSystem(engine, "pressure", pressure, state.batch)),
    }),
    coupling: COUPLINGS[pressureCoupling],
  };
  return { step, cell, ...callsOf(state, step, cell) };
}

function callsOf(
  state: ResidentBatch,
  dt: Buffer<"real">,
  { parameters, bathEnergy, coupling, ...shared }: Barostat["cell"],
): Pick<Barostat, "kickCell" | "kick" | "drift"> {
  const [velocities, weights, cell] = [
    state.field("velocities"),
    state.weights(),
    state.field("cell"),
  ];
  const cellLow = state.state(CELL_LOW, { dtype: "f64", level: "system", width: 9 });
  const { virial } = outputsOf(state);
  const { rate } = shared;
  const positions = state.field("positions"), low = lowOf(state);
  return {
    kickCell: call(barostatKick, {
      ...shared,
      parameters,
      bathEnergy,
      coupling,
      velocities,
      weights,
      cell,
      cellLow,
      virial,
    }),
    kick: call(strainedKick, { ...shared, velocities, forces: state.field("forces"), weights, dt }),
    drift: call(strainedDrift, { positions, velocities, cell, dt, rate, low, cellLow }),
  };
}

/** Options of {@linkcode barostatChain}. */
export interface CellChain {
  /** Number of thermostats in the chain. */
  readonly length: number;
  /** Number of substeps into which half a step is divided. */
  readonly parts: 1 | 3 | 5;
  /** Energy of the other chains, eV, one number per system. */
  readonly others: Buffer<"f64">;
}

/**
 * Returns the kernel call of half a step of a Nosé–Hoover chain on the cell of each system. It must be the last
 * kernel of a step, because it completes `bathEnergy`.
 */
export function barostatChain(
  state: ResidentBatch,
  cell: Barostat["cell"],
  { length, parts, others }: CellChain,
): KernelCall {
  const links = { dtype: "f64", level: "system", width: length } as const;
  const eta = state.state("cellEta", links), etaDot = state.state("cellEtaDot", links);
  return call(barostatChainKernel, { ...cell, eta, etaDot, length, parts, others });
}

/** Returns p V of each system, eV. */
function work({ batch }: ResidentBatch, pressure: Float64Array): Float64Array {
  const cell = batch.get("cell");
  return pressure.map((p, system) => p * Math.abs(signedVolume(cell, 9 * system)));
}

function checkCells({ batch }: ResidentBatch, engine: string, coupling: PressureCoupling): void {
  const [cell, pbc] = [batch.get("cell"), batch.get("pbc")];
  for (let system = 0; system < batch.size; system++) {
    const periodic = Array.from(pbc.subarray(3 * system, 3 * system + 3), (flag) => flag !== 0);
    if (periodic.includes(false)) {
      throw new RangeError(
        `Cannot run ${engine}: pbc of system ${
          systemName(batch.infos, system)
        } must be true along all ` +
          `three lattice vectors; got ${periodic.join(", ")}`,
      );
    }
    const own = Array.from(cell.subarray(9 * system, 9 * system + 9));
    if (coupling === "anisotropic" && !isAlongAxes(own)) {
      throw new RangeError(
        `Cannot run ${engine}: the cell of system ${
          systemName(batch.infos, system)
        } must have its lattice vectors ` +
          `along x, y and z; got ${
            own.join(", ")
          }. Rotate it, or pass pressureCoupling: "triclinic"`,
      );
    }
  }
}

/** Returns whether each lattice vector is along x, y or z, so that the lengths can change without changing an angle. */
function isAlongAxes(cell: readonly number[]): boolean {
  return [0, 3, 6].every((k) => cell.slice(k, k + 3).filter((x) => x !== 0).length === 1);
}
