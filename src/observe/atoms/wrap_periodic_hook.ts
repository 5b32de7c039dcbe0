import { call, type KernelCall } from "../../backend/backend.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { wrapPositions } from "../../kernels/modify/wrap_positions.ts";
import { checkOptions, checkType, isOneOf, timesOf } from "../any/hook_options.ts";

/** Options of {@linkcode WrapPeriodicHook}. */
export interface WrapPeriodicHookOptions {
  /**
   * Number of steps between two times at which atoms are wrapped.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Stage at which atoms are wrapped.
   *
   * @default DynamicsStage.AFTER_POST_UPDATE
   */
  readonly stage?: typeof DynamicsStage.AFTER_POST_UPDATE | typeof DynamicsStage.AFTER_STEP;
}

const NAME = "WrapPeriodicHook";

/**
 * Moves atoms that have left their cell back into it, by whole lattice vectors along the periodic directions, in
 * cells of any shape. The field `images` counts these vectors, so that `unwrappedPositions(batch)` and the motion are
 * the same as without the hook. Systems that are not periodic do not change.
 *
 * The hook is a kernel, so multi-step calls remain possible.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
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
  /** Stage at which atoms are wrapped. */
  readonly stage: typeof DynamicsStage.AFTER_POST_UPDATE | typeof DynamicsStage.AFTER_STEP;
  /** Number of steps between two times at which atoms are wrapped. */
  readonly frequency: number;
  /** Fields that the hook changes. */
  readonly writes: readonly ["positions", "images"] = ["positions", "images"];

  /** Creates the hook. */
  constructor(options: WrapPeriodicHookOptions = {}) {
    checkOptions(NAME, options, ["frequency", "stage"]);
    const { AFTER_POST_UPDATE, AFTER_STEP } = DynamicsStage;
    const requirement =
      `${AFTER_POST_UPDATE} or ${AFTER_STEP}, where forces belong to the positions`;
    checkType(NAME, options, "stage", requirement, isOneOf(AFTER_POST_UPDATE, AFTER_STEP));
    const { frequency = 1, stage = AFTER_POST_UPDATE } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.stage = stage;
  }

  /** Returns the kernels that the engine runs at the stage of the hook. */
  kernels({ state }: KernelDevice): readonly KernelCall[] {
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
