import { POSITIVE } from "../../base/check_number.ts";
import { type Call, call } from "../../backend/backend.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { clampForces } from "../../kernels/modify/clamp_forces.ts";
import { checkGiven, checkNumber, checkOptions, timesOf } from "../any/hook_options.ts";

/** What a {@linkcode MaxForceClampHook} is told. */
export interface MaxForceClampHookOptions {
  /** The largest force that an atom may feel, eV/Å. */
  readonly maxForce: number;
  /**
   * Clamps at every so many steps.
   *
   * @default 1
   */
  readonly frequency?: number;
}

const NAME = "MaxForceClampHook";

/**
 * Makes forces that are larger than `maxForce` as large as that, each atom's in its direction, after the model: for
 * structures that begin too close together. An infinite force points along its infinite components and is finite
 * afterwards; one that is NaN stays so, for a {@linkcode NaNDetectorHook} to find. Energies stay what they are, so
 * that none is conserved where a force was clamped.
 *
 * It is a kernel: no step is visited for it.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
  /** When the forces are new. */
  readonly stage: typeof DynamicsStage.AFTER_COMPUTE = DynamicsStage.AFTER_COMPUTE;
  /** At every so many steps. */
  readonly frequency: number;
  /** What it changes. */
  readonly writes: readonly ["forces"] = ["forces"];
  readonly #limit: number;

  /** Makes a clamp. */
  constructor(options: MaxForceClampHookOptions) {
    checkOptions(NAME, options, ["maxForce", "frequency"]);
    checkGiven(NAME, options, "maxForce", "in eV/Å");
    checkNumber(NAME, options, "maxForce", POSITIVE);
    const { maxForce, frequency = 1 } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.#limit = maxForce;
  }

  /** It needs no positions. */
  readonly isInvariant: true = true;

  /** What the engine runs. */
  kernels({ state }: KernelDevice): readonly Call[] {
    return [call(clampForces, { forces: state.field("forces"), limit: this.#limit })];
  }
}
