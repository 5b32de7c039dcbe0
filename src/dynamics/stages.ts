/**
 * The stages of a dynamics step, and the context of hooks at each.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import type { Model } from "../models/model.ts";
import type { BaseContext, ClassContext, ROWS_OF_BATCH } from "../hooks/protocol/context.ts";
import { defineKind, type Observe, type StageKind, type StageOf } from "../hooks/protocol/stage.ts";

/** Fields at every dynamics stage. */
export interface DynamicsBase extends BaseContext {
  /** The batch that runs. During a run, values are read by `reads: [...]` and `ctx.read`, or by `await ctx.batch.fetch(name)`. */
  readonly batch: Batch;
  /** Computes the forces. */
  readonly model: Model;
  /** Progress of the stream; `undefined` if the engine runs one batch. */
  readonly stream?: StreamProgress | undefined;
}

/** Progress of a stream of systems. */
export interface StreamProgress {
  /** Finished systems: written, or dropped because they diverged. */
  readonly done: number;
  /** Systems of the source. */
  readonly total: number;
}

/** Name of a field that a dynamics hook can read or write. */
export type DynamicsFieldName = Extract<keyof DynamicsFields, string>;

/** Fields that a dynamics hook can read and write: one value per system, or one or three per atom. */
export interface DynamicsFields {
  /** Type only: hooks read the numbers of atoms and systems by `atom(…)` and `system(…)`. */
  readonly [ROWS_OF_BATCH]?: true;
  /** Potential energy per system, eV. */
  readonly energy: Float64Array;
  /** Largest force on an atom, per system, eV/Å. */
  readonly fmax: Float64Array;
  /** Temperature per system, K. */
  readonly temperature: Float64Array;
  /** Change of the potential energy since the step before, per system, eV. */
  readonly energyChange: Float64Array;
  /** Kinetic energy per system, eV. */
  readonly kineticEnergy: Float64Array;
  /**
   * Conserved energy per system, eV, as of the end of a step: potential and kinetic energy, and that of baths. It does not
   * exist in relaxations.
   */
  readonly conservedEnergy: Float64Array;
  /** Stress, dE/dε / V, nine numbers per system, eV/Å³; 0 without a cell. */
  readonly stress: Float64Array;
  /** Elapsed time of each system, fs; NaN if steps take no time. */
  readonly time: Float64Array;
  /** Å, three per atom. */
  readonly positions: Float32Array | Float64Array;
  /** Å/fs, three per atom. */
  readonly velocities: Float32Array | Float64Array;
  /** eV/Å, three per atom. */
  readonly forces: Float32Array | Float64Array;
  /** amu, one per atom. */
  readonly masses: Float32Array | Float64Array;
  /** e, one per atom. */
  readonly charges: Float32Array | Float64Array;
  /** Å, nine numbers per system: the lattice vectors one after the other. */
  readonly cell: Float32Array | Float64Array;
  /** 1 along each lattice vector by which the system repeats, three numbers per system. */
  readonly pbc: Int32Array;
  /** Atomic numbers. */
  readonly numbers: Int32Array;
  /** Number of lattice vectors that wrapping has subtracted, three per atom. */
  readonly images: Int32Array;
  /** Stage of each system in a run of stages; by default 1 once it has converged. */
  readonly status: Int32Array;
  /** Id of each system. */
  readonly systemId: Int32Array;
  /** Steps each system has done, this one included once it has moved. */
  readonly stepsDone: Int32Array;
  /** All fields of the batch that the engine has, by name, as `batch.snapshot` takes them. */
  readonly frame: Readonly<Record<string, Float32Array | Float64Array | Int32Array>>;
}

/** The context at {@linkcode DynamicsStage}`.ON_CONVERGE`. */
export interface ConvergedContext extends DynamicsBase {
  /** 1 for each system that has just converged. */
  readonly convergedMask: ArrayLike<number>;
}

/** The context at {@linkcode DynamicsStage}`.ON_ADMIT`. */
export interface AdmittedContext extends DynamicsBase {
  /** 1 for each system that was just admitted. */
  readonly admittedMask: ArrayLike<number>;
}

/** Each dynamics stage, in the order of a step. */
export interface DynamicsStageMap {
  /** Before all other work of a step. */
  readonly BEFORE_STEP: Observe<DynamicsBase>;
  /** Before the first half of the update. */
  readonly BEFORE_PRE_UPDATE: Observe<DynamicsBase>;
  /** After the first half of the update: positions are new, forces old. */
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
  /** Systems have converged in this step. */
  readonly ON_CONVERGE: Observe<ConvergedContext>;
  /** Systems were admitted to a running batch and have forces. */
  readonly ON_ADMIT: Observe<AdmittedContext>;
}

/** For hook classes: `R` and `W` are the declared reads and writes; without `R` each field may be undefined. */
export type DynamicsContext<
  R extends DynamicsFieldName = never,
  W extends DynamicsFieldName = never,
> = ClassContext<DynamicsBase, DynamicsFields, R, W>;

/** The dynamics kind: `DynamicsStage.AFTER_STEP` is `"dynamics/AFTER_STEP"`. */
export const DynamicsStage: StageKind<"dynamics", DynamicsStageMap, DynamicsFields> = defineKind(
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

/** Any dynamics stage. */
export type DynamicsStage = StageOf<typeof DynamicsStage>;
