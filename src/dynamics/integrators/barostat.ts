/**
 * The parts of integrators that change cells: the kick of a cell, and the motion of atoms in a cell under strain.
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

/** The part of a cell that can change. */
export type PressureCoupling = "isotropic" | "anisotropic" | "triclinic";

/** The parameters of a barostat. */
export interface BarostatParameters {
  /** The time of a step, fs. */
  readonly dt: PerSystem;
  /** The pressure outside, eV/Å³. */
  readonly pressure: PerSystem;
  /** The relaxation time of the cell, fs. */
  readonly barostatTime: PerSystem;
  /** K: together with the time it gives the cell its inertia. */
  readonly temperature: PerSystem;
  /** The part of the cell that can change. */
  readonly pressureCoupling: PressureCoupling;
}

/** A barostat on a batch. */
export interface Barostat {
  /** dt, fs, one number per system. */
  readonly step: Buffer<"real">;
  /** Half a kick of the cell. */
  readonly kickCell: KernelCall;
  /** Half a kick of the atoms. */
  readonly kick: KernelCall;
  /** A drift of atoms and cell. */
  readonly drift: KernelCall;
  /** Arguments that the kernels of the cell share. */
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

/** Throws a TypeError or RangeError if `pressureCoupling` does not exist, or the cell would answer too fast. */
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

/** Throws a RangeError for a system that has no cell to be changed, or not one that can be changed so. */
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
    // In the order of BarostatParameter.
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

/** A chain of thermostats, for {@linkcode barostatChain}. */
export interface CellChain {
  /** The number of links. */
  readonly length: number;
  /** The number of parts into which a half step is divided. */
  readonly parts: 1 | 3 | 5;
  /** The energy of other chains, eV, one number per system. */
  readonly others: Buffer<"f64">;
}

/**
 * Returns the call of half a step of a Nosé–Hoover chain on the cell of each system. At the end of a step it must
 * be the last: then `bathEnergy` is whole.
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

/** Returns p V of each system. */
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

/** Returns whether lengths can change along x, y and z without changing an angle. */
function isAlongAxes(cell: readonly number[]): boolean {
  return [0, 3, 6].every((k) => cell.slice(k, k + 3).filter((x) => x !== 0).length === 1);
}
