/**
 * Stages of a dynamics step, and the context that hooks receive at each.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import type { Model } from "../models/model.ts";
import type { BaseContext, ClassContext, ROWS_OF_BATCH } from "../hooks/protocol/context.ts";
import { defineKind, type Observe, type StageKind, type StageOf } from "../hooks/protocol/stage.ts";

/** Members of the context at every dynamics stage. */
export interface DynamicsBase extends BaseContext {
  /**
   * The batch that runs. During a run, read its values with `reads: [...]` and `ctx.read`, or with `await
   * ctx.batch.fetch(name)`.
   */
  readonly batch: Batch;
  /** The model, which computes the forces. */
  readonly model: Model;
  /** Progress of the stream; `undefined` if the engine runs one batch. */
  readonly stream?: StreamProgress | undefined;
}

/** Progress of a stream of systems. */
export interface StreamProgress {
  /** Number of finished systems: written to a sink, or dropped because they diverged. */
  readonly done: number;
  /** Number of systems in the source. */
  readonly total: number;
}

/** Name of a field that a dynamics hook can read or write. */
export type DynamicsFieldName = Extract<keyof DynamicsFields, string>;

/** Fields that a dynamics hook can read and write: one value per system, or one or three per atom. */
export interface DynamicsFields {
  /**
   * Exists only in the type. It adds the methods `atom(…)` and `system(…)`, which return the numbers of one atom or
   * system, to the fields that hooks read.
   */
  readonly [ROWS_OF_BATCH]?: true;
  /** Potential energy of each system, eV. */
  readonly energy: Float64Array;
  /** Largest force on an atom of each system, eV/Å. */
  readonly fmax: Float64Array;
  /** Temperature of each system, K. */
  readonly temperature: Float64Array;
  /** Change of the potential energy of each system since the previous step, eV. */
  readonly energyChange: Float64Array;
  /** Kinetic energy of each system, eV. */
  readonly kineticEnergy: Float64Array;
  /**
   * Conserved energy of each system at the end of a step, eV: the sum of the potential energy, the kinetic energy,
   * and the energy of thermostats and barostats. It does not exist in relaxations.
   */
  readonly conservedEnergy: Float64Array;
  /** Stress, dE/dε / V, eV/Å³, nine numbers per system; 0 without a cell. */
  readonly stress: Float64Array;
  /** Elapsed time of each system, fs; NaN if steps take no time. */
  readonly time: Float64Array;
  /** Positions, Å, three per atom. */
  readonly positions: Float32Array | Float64Array;
  /** Velocities, Å/fs, three per atom. */
  readonly velocities: Float32Array | Float64Array;
  /** Forces, eV/Å, three per atom. */
  readonly forces: Float32Array | Float64Array;
  /** Masses, amu, one per atom. */
  readonly masses: Float32Array | Float64Array;
  /** Charges in units of the elementary charge, one per atom. */
  readonly charges: Float32Array | Float64Array;
  /** Cells, Å, nine numbers per system: the lattice vectors a, b and c. */
  readonly cell: Float32Array | Float64Array;
  /** Periodicity, three numbers per system: 1 if the direction a, b or c is periodic, otherwise 0. */
  readonly pbc: Int32Array;
  /** Atomic numbers, one per atom. */
  readonly numbers: Int32Array;
  /** Numbers of lattice vectors a, b, c that wrapping has subtracted, three per atom. */
  readonly images: Int32Array;
  /** Status of each system: its stage in a fused run; otherwise 0, and by default 1 once it has converged. */
  readonly status: Int32Array;
  /** Id of each system. */
  readonly systemId: Int32Array;
  /** Number of steps that each system has done. It includes the current step once the system has moved. */
  readonly stepsDone: Int32Array;
  /** All fields of the batch that the engine holds, by name, in the form that `batch.snapshot` accepts. */
  readonly frame: Readonly<Record<string, Float32Array | Float64Array | Int32Array>>;
}

/** Context at {@linkcode DynamicsStage}`.ON_CONVERGE`. */
export interface ConvergedContext extends DynamicsBase {
  /** One number per system: 1 if it has just converged, otherwise 0. */
  readonly convergedMask: ArrayLike<number>;
}

/** Context at {@linkcode DynamicsStage}`.ON_ADMIT`. */
export interface AdmittedContext extends DynamicsBase {
  /** One number per system: 1 if it was just admitted, otherwise 0. */
  readonly admittedMask: ArrayLike<number>;
}

/** The dynamics stages in the order of a step, with their contexts. */
export interface DynamicsStageMap {
  /** Before all other work of a step. */
  readonly BEFORE_STEP: Observe<DynamicsBase>;
  /** Before the first half of the update. */
  readonly BEFORE_PRE_UPDATE: Observe<DynamicsBase>;
  /** After the first half of the update. Positions are new; forces still belong to the old positions. */
  readonly AFTER_PRE_UPDATE: Observe<DynamicsBase>;
  /** Before the model is evaluated. */
  readonly BEFORE_COMPUTE: Observe<DynamicsBase>;
  /** After the model is evaluated: energies and forces are new. */
  readonly AFTER_COMPUTE: Observe<DynamicsBase>;
  /** Before the second half of the update. */
  readonly BEFORE_POST_UPDATE: Observe<DynamicsBase>;
  /** After the second half of the update. */
  readonly AFTER_POST_UPDATE: Observe<DynamicsBase>;
  /** After all other work of a step except convergence. */
  readonly AFTER_STEP: Observe<DynamicsBase>;
  /** After systems have converged in this step. */
  readonly ON_CONVERGE: Observe<ConvergedContext>;
  /** After systems were admitted to a running batch and their forces were computed. */
  readonly ON_ADMIT: Observe<AdmittedContext>;
}

/**
 * Context type for hook classes. `R` and `W` are the fields that the hook declares to read and write. Without `R`,
 * each field may be undefined.
 */
export type DynamicsContext<
  R extends DynamicsFieldName = never,
  W extends DynamicsFieldName = never,
> = ClassContext<DynamicsBase, DynamicsFields, R, W>;

/** The kind of dynamics stages. For example, `DynamicsStage.AFTER_STEP` is `"dynamics/AFTER_STEP"`. */
export const DynamicsStage: StageKind<"dynamics", DynamicsStageMap, DynamicsFields> =
  /* @__PURE__ */ defineKind(
    "dynamics",
    {
      BEFORE_STEP: "observe",
      BEFORE_PRE_UPDATE: "observe",
      AFTER_PRE_UPDATE: "observe",
      BEFORE_COMPUTE: "observe",
      AFTER_COMPUTE: "observe",
      BEFORE_POST_UPDATE: "observe",
      AFTER_POST_UPDATE: "observe",
      AFTER_STEP: "observe",
      ON_CONVERGE: "observe",
      ON_ADMIT: "observe",
    },
  );

/** Name of any dynamics stage. */
export type DynamicsStage = StageOf<typeof DynamicsStage>;
