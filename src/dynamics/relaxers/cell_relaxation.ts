/**
 * The relaxation of cells along with atoms, for any optimizer.
 *
 * The optimizer moves atoms as if their cell had not been deformed, and the cell as one more atom of nine coordinates;
 * kernels before and after it translate.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import { deform } from "../../kernels/cells/deform.ts";
import { strainForces } from "../../kernels/cells/strain_forces.ts";
import { outputsOf } from "../../models/model.ts";
import { type CellForces, noteCellForces } from "../engine/cell_forces.ts";
import type { CheckedCell } from "./cell_options.ts";
import type { OpenIntegrator } from "../integrators/integrator.ts";
import { parameterTable, perSystem } from "../integrators/parameters.ts";
import { placeOf, type StagePlace } from "../stages/stage_place.ts";

/** The variables of an optimizer that relaxes cells. */
export interface CellRelaxation {
  /** Kernels before the optimizer: they compute its forces. */
  readonly before: readonly KernelCall[];
  /** Kernels after the optimizer: they apply its step. */
  readonly after: readonly KernelCall[];
  /** The displacements of the atoms: zero before a step. */
  readonly positions: Buffer<"real">;
  /** The forces on the atoms. */
  readonly forces: Buffer<"real">;
  /** E + P V, where it was asked for. */
  readonly enthalpy: Buffer<"f64"> | undefined;
  /** The displacements of the cells: nine numbers for each, zero before a step. */
  readonly cellPositions: Buffer<"real">;
  /** The forces on the cells. */
  readonly cellForces: Buffer<"real">;
}

/** An optimizer that relaxes cells. */
interface Driver {
  readonly drive: ReturnType<typeof driveOf>;
  readonly place: StagePlace | undefined;
}

/** Numbers of a cell, and of an atom. */
const NINE = { dtype: "real", level: "system", width: 9 } as const;
const THREE = { dtype: "real", level: "node", width: 3 } as const;

/** A stage after all others: finished systems keep the cell of the last stage. */
const NO_STAGE = 2 ** 30;

/** Batch → the relaxation of its cells. */
const DRIVERS = new WeakMap<ResidentBatch, Driver[]>();

/** Returns a relaxer that runs one kernel, with the calls around it by which cells relax. */
export function withCell(step: KernelCall, cells: CellRelaxation | undefined): OpenIntegrator {
  return { pre: cells ? [...cells.before, step, ...cells.after] : [step], post: [] };
}

/**
 * Opens the relaxation of cells for a batch on a backend. Throws a RangeError for a pressure on a system without a
 * volume.
 */
export function openCell(
  state: ResidentBatch,
  engine: string,
  cell: CheckedCell,
  needsEnthalpy: boolean = false,
): CellRelaxation {
  const drive = driveOf(state, engine, cell);
  const { cell: h, strain, reference, cellForces } = drive;
  const drivers = [...DRIVERS.get(state) ?? [], { drive, place: placeOf(state) }];
  DRIVERS.set(state, drivers);
  noteCellForces(state, () => measureOf(state, drivers));
  const pulled = state.scratch("pulledForces", THREE);
  const moved = state.scratch("moved", THREE), strained = state.scratch("strained", NINE);
  const enthalpy = needsEnthalpy
    ? state.scratch("enthalpy", { dtype: "f64", level: "system" })
    : undefined;
  const searched = { energy: needsEnthalpy ? outputsOf(state).energy : undefined, enthalpy };
  const positions = state.field("positions");
  return {
    before: [call(strainForces, { ...drive, ...searched, pulled, first: 0, end: 0 })],
    after: [call(deform, { positions, cell: h, moved, strained, strain, reference })],
    positions: moved,
    forces: pulled,
    enthalpy,
    cellPositions: strained,
    cellForces,
  };
}

/** Returns the forces on cells, and their deformation. */
function driveOf(state: ResidentBatch, engine: string, cell: CheckedCell) {
  const { forces, virial } = outputsOf(state);
  const pbc = state.field<"i32">("pbc");
  assertVolumes(state, engine, cell);
  return {
    forces,
    virial,
    pbc,
    cell: state.field("cell"),
    strain: state.state("strain", NINE),
    reference: state.state("cellReference", { ...NINE, width: 18 }),
    cellForces: state.scratch("cellForces", NINE),
    parameters: parameterTable(state, engine, { ...cell }), // in the order of StrainParameter
  };
}

/** Measures the forces on the cell of each system as its relaxation does, without changing its state. */
function measureOf(state: ResidentBatch, drivers: readonly Driver[]): CellForces {
  const { drive, place } = drivers[0]!;
  const none = { energy: undefined, pulled: undefined, enthalpy: undefined };
  if (place === undefined) {
    const all = { first: 0, end: 0 };
    const { cellForces } = drive;
    return { args: { cellForces }, calls: [call(strainForces, { ...drive, ...none, ...all })] };
  }
  const { stage, count } = place, cellForces = state.scratch("measuredCellForces", NINE);
  const flags = Array.from({ length: count }, (_, k) => drivers.some((one) => one.place!.at === k));
  return {
    args: { cellForces, stage, drives: state.constants("i32", flags.map(Number), "all") },
    calls: drivers.map(({ drive, place }) => {
      const first = place!.at, end = first + 1 === count ? NO_STAGE : first + 1;
      return call(strainForces, { ...drive, ...none, cellForces, stage, first, end });
    }),
  };
}

function assertVolumes(state: ResidentBatch, engine: string, { pressure }: CheckedCell): void {
  const pbc = state.mirroredField("pbc");
  const pressures = perSystem(engine, "pressure", pressure, state.batch);
  for (const [system, one] of pressures.entries()) {
    const directions = pbc.subarray(3 * system, 3 * system + 3);
    if (one === 0 || directions.every((flag) => flag !== 0)) continue;
    throw new RangeError(
      `Cannot run ${engine} under pressure: pbc of system ${
        systemName(state.batch.infos, system)
      } must be true in ` +
        `all three directions; got ${Array.from(directions, Boolean).join(", ")}`,
    );
  }
}
