import { type Call, call } from "../../backend/backend.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { wrapPositions } from "../../kernels/modify/wrap_positions.ts";
import { checkOptions, checkType, isOneOf, timesOf } from "../any/hook_options.ts";

/** What a {@linkcode WrapPeriodicHook} can be told. */
export interface WrapPeriodicHookOptions {
  /**
   * Wraps at every so many steps.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Where in a step.
   *
   * @default DynamicsStage.AFTER_POST_UPDATE
   */
  readonly stage?: typeof DynamicsStage.AFTER_POST_UPDATE | typeof DynamicsStage.AFTER_STEP;
}

const NAME = "WrapPeriodicHook";

/**
 * Brings atoms that have left their cell back into it, by whole lattice vectors along the periodic directions, in cells
 * of any shape. How many were taken off is counted in the field `images`, so that `unwrappedPositions(batch)` are what
 * they would be without it, and so is the motion: wrapping moves no atom relative to any other. Systems that are not
 * periodic stay as they are.
 *
 * It is a kernel: no step is visited for it.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { WrapPeriodicHook } from "@hooke/hooke/observe";
 * import { assert } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new WrapPeriodicHook()],
 * });
 * await md.run(batch, 100);
 * assert(batch.get("positions").every((x) => x > -1e-4 && x < 10.5201));
 * ```
 */
export class WrapPeriodicHook {
  /** Where in a step. */
  readonly stage: typeof DynamicsStage.AFTER_POST_UPDATE | typeof DynamicsStage.AFTER_STEP;
  /** At every so many steps. */
  readonly frequency: number;
  /** What it changes. */
  readonly writes: readonly ["positions", "images"] = ["positions", "images"];

  /** Makes a hook that wraps. */
  constructor(options: WrapPeriodicHookOptions = {}) {
    checkOptions(NAME, options, ["frequency", "stage"]);
    const { AFTER_POST_UPDATE, AFTER_STEP } = DynamicsStage;
    const requirement =
      `${AFTER_POST_UPDATE} or ${AFTER_STEP}, where no force is between positions`;
    checkType(NAME, options, "stage", requirement, isOneOf(AFTER_POST_UPDATE, AFTER_STEP));
    const { frequency = 1, stage = AFTER_POST_UPDATE } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.stage = stage;
  }

  /** What the engine runs. */
  kernels({ state }: KernelDevice): readonly Call[] {
    return [
      call(wrapPositions, {
        positions: state.field("positions"),
        images: state.field("images"),
        cell: state.field("cell"),
        pbc: state.field("pbc"),
      }),
    ];
  }
}
