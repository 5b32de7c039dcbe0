/**
 * Relaxation of cells together with atoms, for any optimizer.
 *
 * The optimizer moves the atoms as if their cell were not deformed, and the cell as one more atom with nine
 * coordinates. Kernels before and after the optimizer convert between these variables and the real positions and
 * cells.
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

/** Buffers on which an optimizer works when cells relax, and the kernels that convert them to positions and cells. */
export interface CellRelaxation {
  /** Kernels that run before the optimizer, and compute its forces. */
  readonly before: readonly KernelCall[];
  /** Kernels that run after the optimizer, and apply its step to positions and cells. */
  readonly after: readonly KernelCall[];
  /** Displacements of the atoms in a step; zero before it. */
  readonly positions: Buffer<"real">;
  /** Forces on the atoms. */
  readonly forces: Buffer<"real">;
  /** E + P V of each system, eV; `undefined` if the optimizer does not need it. */
  readonly enthalpy: Buffer<"f64"> | undefined;
  /** Displacements of the cells in a step, nine numbers per system; zero before it. */
  readonly cellPositions: Buffer<"real">;
  /** Forces on the cells, nine numbers per system. */
  readonly cellForces: Buffer<"real">;
}

/** Kernel arguments of an optimizer that relaxes cells, and its stage in a fused run. */
interface Driver {
  readonly drive: ReturnType<typeof driveOf>;
  readonly place: StagePlace | undefined;
}

/** Shapes of states with nine numbers per system, and with three per atom. */
const NINE = { dtype: "real", level: "system", width: 9 } as const;
const THREE = { dtype: "real", level: "node", width: 3 } as const;

/** A number above that of every stage. The last stage ends there, so that it includes finished systems. */
const NO_STAGE = 2 ** 30;

/** The optimizers that relax the cells of each batch. */
const DRIVERS = new WeakMap<ResidentBatch, Driver[]>();

/** Returns a relaxer that consists of one kernel, with the kernels that relax cells around it. */
export function withCell(step: KernelCall, cells: CellRelaxation | undefined): OpenIntegrator {
  return { pre: cells ? [...cells.before, step, ...cells.after] : [step], post: [] };
}

/**
 * Prepares the relaxation of the cells of a batch. If `needsEnthalpy` is true, E + P V is computed. Throws a
 * RangeError if a pressure is given for a system that is not periodic in all directions.
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

/** Returns the arguments of the kernels that compute the forces on cells and deform the cells. */
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
    parameters: parameterTable(state, engine, { ...cell }), // The order must be that of StrainParameter.
  };
}

/**
 * Returns the forces on the cell of each system, as the optimizer of its stage computes them, for convergence
 * criteria. The kernels do not change the state of the relaxation.
 */
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
