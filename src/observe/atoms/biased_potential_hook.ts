import { systemName } from "../../batch/store.ts";
import type { KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { type KernelDevice, outputsOf } from "../../dynamics/context.ts";
import { type DynamicsBase, DynamicsStage } from "../../dynamics/stages.ts";
import { show } from "../../base/show.ts";
import { checkOptions, checkRequired, checkType, timesOf } from "../any/hook_options.ts";

/** View of one system for a bias written in TypeScript. Arrays have the backend's precision. */
export interface BiasView {
  /** Slot of the system in the batch. */
  readonly system: number;
  /** Id of the system. */
  readonly systemId: number;
  /** Number of steps that the system has done. */
  readonly stepsDone: number;
  /** Atomic numbers. */
  readonly numbers: Int32Array;
  /** Masses, amu. */
  readonly masses: Float32Array | Float64Array;
  /** Positions, Å, three numbers per atom. */
  readonly positions: Float32Array | Float64Array;
  /** Cell, Å, nine numbers: the lattice vectors one after another. */
  readonly cell: Float32Array | Float64Array;
  /** Forces, eV/Å, three numbers per atom. The bias adds its forces here. */
  readonly forces: Float32Array | Float64Array;
  /** Virial, eV, nine numbers. The bias adds Σ f ⊗ r here; stresses are computed from it. */
  readonly virial: Float64Array;
}

/** A bias written in TypeScript. It adds forces and virial to the view, and returns its energy in eV. */
export type BiasFunction = (view: BiasView) => number;

/** A bias made of kernels: any model, such as `tethers` or `centerBias`. */
export type BiasModel = DynamicsBase["model"];

/** Options of {@linkcode BiasedPotentialHook}. */
export interface BiasedPotentialHookOptions {
  /** Potential to add to the model: another model made of kernels, or a function. */
  readonly bias: BiasModel | BiasFunction;
  /**
   * Number of steps between two applications of the bias.
   *
   * @default 1
   */
  readonly frequency?: number;
}

const NAME = "BiasedPotentialHook";

type OpenBias = ReturnType<BiasModel["open"]>;

/**
 * Adds a potential to the model: its energy, forces and virial. Everything that uses them includes the bias: hooks,
 * convergence criteria and stresses.
 *
 * A model is made of kernels, so multi-step calls remain possible. A function is called for each active system
 * whenever the bias is applied, like the function of `potential(…)`. It must add to `virial` if stresses are used. A
 * permanent bias can instead be added to the model with `sum`. A hook, in contrast, can be enabled and disabled.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option. The run
 * throws a TypeError if a model is not made of kernels, or if a function does not return a number.
 *
 * @example A wall at z = 0, by a function
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { BiasedPotentialHook } from "@hooke/hooke/observe";
 * import { assert } from "@std/assert";
 *
 * const wall = new BiasedPotentialHook({
 *   bias: ({ positions, forces }) => {
 *     let energy = 0;
 *     for (let k = 2; k < positions.length; k += 3) {
 *       const depth = Math.min(0, positions[k]!);
 *       energy += depth ** 2 / 2;
 *       forces[k]! -= depth;
 *     }
 *     return energy;
 *   },
 * });
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 1], velocities: [0, 0, -0.01] }]);
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [wall],
 * });
 * await md.run(batch, 200);
 * assert(batch.get("velocities")[2]! > 0.0099); // it came back
 * ```
 */
export class BiasedPotentialHook {
  /** Stage of the hook: after energies and forces were computed. */
  readonly stage: typeof DynamicsStage.AFTER_COMPUTE = DynamicsStage.AFTER_COMPUTE;
  /** Number of steps between two applications of the bias. */
  readonly frequency: number;
  /** Fields that the hook changes. */
  readonly writes: readonly ["energy", "forces"] = ["energy", "forces"];
  /** Adds the bias in a step. Only defined if the bias is a function. */
  readonly compute?: (device: KernelDevice) => void | PromiseLike<void>;
  readonly #model: BiasModel | undefined;
  readonly #opened = new WeakMap<ResidentBatch, OpenBias>();

  /** Creates the hook. */
  constructor(options: BiasedPotentialHookOptions) {
    checkOptions(NAME, options, ["bias", "frequency"]);
    checkRequired(NAME, options, "bias", "a model or a function");
    checkType(NAME, options, "bias", "a model, or a function", isBias);
    const { bias, frequency = 1 } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    if (typeof bias === "function") this.compute = ({ state }) => addBias(state, bias);
    else this.#model = bias;
  }

  /** Returns the kernels that the engine runs at the stage of the hook; an empty list if the bias is a function. */
  kernels({ state }: KernelDevice): readonly KernelCall[] {
    if (this.#model === undefined) return [];
    let opened = this.#opened.get(state);
    if (opened === undefined) {
      opened = this.#model.open(state);
      assertKernels(this.#model, opened);
      this.#opened.set(state, opened);
    }
    const wanted = { energy: true, stress: true };
    return [...opened.calls?.(wanted) ?? [], ...opened.add?.(wanted) ?? []];
  }
}

function isBias(value: unknown): boolean {
  if (typeof value === "function") return true;
  const { name, open } = (value ?? {}) as { readonly name?: unknown; readonly open?: unknown };
  return typeof name === "string" && typeof open === "function";
}

function assertKernels({ name }: BiasModel, opened: OpenBias): void {
  if (opened.compute === undefined && opened.calls !== undefined) return;
  throw new TypeError(
    `Cannot bias by ${name}: the model is not made of kernels. Pass the function itself as bias, ` +
      `or add the model to the engine's model with sum()`,
  );
}

/** Adds the energy, forces and virial of a function to each active system. */
function addBias(state: ResidentBatch, bias: BiasFunction): void | PromiseLike<void> {
  const { frame, batch: { size, nodeOffsets, infos } } = state;
  const buffers = {
    ...outputsOf(state),
    active: frame.active,
    ids: frame.ids,
    ages: frame.ages,
    numbers: state.field<"i32">("numbers"),
    masses: state.field("masses"),
    positions: state.field("positions"),
    cell: state.field("cell"),
  };
  return state.withArrays(buffers, ["forces", "virial", "energy"], (arrays) => {
    const { active, ids, ages, numbers, masses, positions, cell, forces, virial, energy } = arrays;
    for (let system = 0; system < size; system++) {
      if (active[system] === 0) continue;
      const [from, to] = [nodeOffsets[system]!, nodeOffsets[system + 1]!];
      const answer: unknown = bias({
        system,
        systemId: ids[system]!,
        stepsDone: ages[system]!,
        numbers: numbers.subarray(from, to),
        masses: masses.subarray(from, to),
        positions: positions.subarray(3 * from, 3 * to),
        cell: cell.subarray(9 * system, 9 * system + 9),
        forces: forces.subarray(3 * from, 3 * to),
        virial: virial.subarray(9 * system, 9 * system + 9),
      });
      if (typeof answer !== "number") throw answerError(systemName(infos, system), answer);
      energy[system]! += answer;
    }
  });
}

function answerError(system: string, answer: unknown): TypeError {
  return new TypeError(
    `Cannot bias system ${system}: the function must return its energy, a number; got ${
      show(answer)
    }`,
  );
}
