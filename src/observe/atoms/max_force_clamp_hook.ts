import { POSITIVE } from "../../base/check_number.ts";
import { call, type KernelCall } from "../../backend/backend.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { clampForces } from "../../kernels/modify/clamp_forces.ts";
import { checkNumber, checkOptions, checkRequired, timesOf } from "../any/hook_options.ts";

/** Options of {@linkcode MaxForceClampHook}. */
export interface MaxForceClampHookOptions {
  /** Largest force on an atom, eV/Å. */
  readonly maxForce: number;
  /**
   * Number of steps between two applications of the clamp.
   *
   * @default 1
   */
  readonly frequency?: number;
}

const NAME = "MaxForceClampHook";

/**
 * Limits the force on each atom to `maxForce` and keeps its direction. Use it for structures whose atoms begin too
 * close together. An infinite force becomes finite and points along its infinite components. A force that is NaN
 * stays NaN, for {@linkcode NaNDetectorHook} to find. Energies do not change, so the total energy is not conserved if
 * a force was clamped.
 *
 * The hook is a kernel, so multi-step calls remain possible.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { MaxForceClampHook } from "@hooke/hooke/observe";
 * import { assert } from "@std/assert";
 *
 * const close = Batch.from([{ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [1, 0, 0]] }]);
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.1,
 *   hooks: [new MaxForceClampHook({ maxForce: 10 })],
 * });
 * await opt.run(close, 1);
 * assert(close.get("forces").every((force) => Math.abs(force) <= 10.00001));
 * ```
 */
export class MaxForceClampHook {
  /** Stage of the hook: after forces were computed. */
  readonly stage: typeof DynamicsStage.AFTER_COMPUTE = DynamicsStage.AFTER_COMPUTE;
  /** Number of steps between two applications of the clamp. */
  readonly frequency: number;
  /** Fields that the hook changes. */
  readonly writes: readonly ["forces"] = ["forces"];
  readonly #limit: number;

  /** Creates the hook. */
  constructor(options: MaxForceClampHookOptions) {
    checkOptions(NAME, options, ["maxForce", "frequency"]);
    checkRequired(NAME, options, "maxForce", "the largest force in eV/Å");
    checkNumber(NAME, options, "maxForce", POSITIVE);
    const { maxForce, frequency = 1 } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.#limit = maxForce;
  }

  /** True: translating a system does not change the effect of the hook. */
  readonly isInvariant: true = true;

  /** Returns the kernels that the engine runs at the stage of the hook. */
  kernels({ state }: KernelDevice): readonly KernelCall[] {
    return [call(clampForces, { forces: state.field("forces"), limit: this.#limit })];
  }
}
