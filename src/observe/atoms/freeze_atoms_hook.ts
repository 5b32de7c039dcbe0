import { show } from "../../base/show.ts";
import { WHOLE } from "../../base/check_number.ts";
import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { Freeze, freezeAtoms } from "../../kernels/modify/freeze_atoms.ts";
import { type AtomChoice, chosen, isAtomChoice } from "../../batch/atom_choice.ts";
import { anchor, anchorsOn } from "./frozen_atoms.ts";
import { checkNumber, checkOptions, checkType, isFlag } from "../any/hook_options.ts";

/** Options of {@linkcode FreezeAtomsHook}. */
export interface FreezeAtomsHookOptions {
  /**
   * Freezes the atoms whose field `categories` has this value.
   *
   * @default -1
   */
  readonly freezeCategory?: number;
  /**
   * Selects the atoms to freeze directly, instead of by a category.
   *
   * @default the atoms of the category
   */
  readonly atoms?: AtomChoice;
  /**
   * Sets the forces on frozen atoms to 0, so that they do not count for `fmax` and do not delay a relaxation.
   *
   * @default true
   */
  readonly zeroForces?: boolean;
}

const NAME = "FreezeAtomsHook";

/** Stages of {@linkcode FreezeAtomsHook}. */
export type FreezeStage = typeof DynamicsStage[
  "AFTER_PRE_UPDATE" | "AFTER_COMPUTE" | "AFTER_POST_UPDATE"
];

/**
 * Holds atoms at the positions that they have when a run begins. They are bitwise unchanged after every step of every
 * integrator. Frozen atoms are put back before forces are computed, so that other atoms interact with them at these
 * positions. Their velocities are 0, and by default the forces on them. They have no degrees of freedom, so
 * temperatures are those of the other atoms. The selection is evaluated when a run begins; an atom that was moved
 * between two runs is frozen at its new position.
 *
 * The hook is a kernel, so multi-step calls remain possible. The engine option `fixAtoms` does the same for a whole
 * run.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option. The run
 * throws a TypeError if atoms are frozen by category and the batch has no field `categories`, and a TypeError or
 * RangeError if the selection `atoms` does not fit the batch.
 *
 * @example The lower half of a crystal
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { FreezeAtomsHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const before = batch.get("positions").slice();
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new FreezeAtomsHook({ atoms: ({ position: [, , z] }) => z < 5 })],
 * });
 * await md.run(batch, 50);
 * const after = batch.get("positions");
 * const stayed = Array.from({ length: 32 }, (_, i) => i).filter((i) =>
 *   [0, 1, 2].every((k) => after[3 * i + k] === before[3 * i + k])
 * );
 * assertEquals(stayed.length, 16);
 * ```
 */
export class FreezeAtomsHook {
  /** Stages of the hook: before forces are computed, after they are computed, and after velocities are updated. */
  readonly stages: readonly FreezeStage[] = [
    DynamicsStage.AFTER_PRE_UPDATE,
    DynamicsStage.AFTER_COMPUTE,
    DynamicsStage.AFTER_POST_UPDATE,
  ];
  /** The hook is due in every step. */
  readonly frequency = 1;
  /** Fields that the hook changes. */
  readonly writes: readonly ["positions", "velocities", "forces"] = [
    "positions",
    "velocities",
    "forces",
  ];
  /** True: translating a system does not change the effect of the hook. */
  readonly isInvariant: true = true;
  readonly #category: number;
  readonly #atoms: AtomChoice | undefined;
  readonly #withForces: boolean;
  readonly #number = count++;
  #masks = new WeakMap<ResidentBatch, Int32Array>();

  /** Creates the hook. */
  constructor(options: FreezeAtomsHookOptions = {}) {
    checkOptions(NAME, options, ["freezeCategory", "atoms", "zeroForces"]);
    checkNumber(NAME, options, "freezeCategory", WHOLE);
    checkType(
      NAME,
      options,
      "atoms",
      "a function of an atom, an array of one flag per atom, or an array of indices",
      isAtomChoice,
    );
    checkType(NAME, options, "zeroForces", "true or false", isFlag);
    const { freezeCategory, atoms, zeroForces = true } = options;
    if (freezeCategory !== undefined && atoms !== undefined) {
      throw new TypeError(
        `Cannot make a ${NAME}: freezeCategory must be left out if atoms are given; got ${
          show(freezeCategory)
        }`,
      );
    }
    this.#category = freezeCategory ?? -1;
    this.#atoms = atoms;
    this.#withForces = zeroForces;
  }

  /** Discards the selection, so that it is evaluated again. Called by the engine when a run begins. */
  open(): void {
    this.#masks = new WeakMap();
  }

  /**
   * Anchors the frozen atoms at their current positions, and returns a mask: 1 for each frozen atom, 0 for the
   * others. If `has` is given, only atoms of the systems for which it returns true are frozen. Called by the engine
   * when a step is planned.
   */
  holds({ state, has }: KernelDevice): ArrayLike<number> {
    const known = this.#masks.get(state);
    if (known !== undefined && has === undefined) return known;
    const mask = known ?? this.#chosen(state);
    this.#masks.set(state, mask);
    const { systemOfNode } = state.batch;
    const held = has === undefined
      ? mask
      : mask.map((is, atom) => has(systemOfNode[atom]!) ? is : 0);
    state.backend.write(this.#frozen(state), held.map((is) => 7 * is)); // 7 sets the bits of x, y and z
    anchor(state, held);
    return held;
  }

  #chosen(state: ResidentBatch): Int32Array {
    return this.#atoms === undefined
      ? this.#byCategory(state)
      : chosen(state, this.#atoms, "freeze atoms");
  }

  /** Returns the kernels that the engine runs at a stage of the hook. */
  kernels({ state }: KernelDevice, stage: DynamicsStage): readonly KernelCall[] {
    const what = WHAT[stage as FreezeStage];
    if (what === Freeze.FORCES && !this.#withForces) return [];
    return [
      call(freezeAtoms, {
        positions: state.field("positions"),
        velocities: state.field("velocities"),
        forces: state.field("forces"),
        frozen: this.#frozen(state),
        anchors: anchorsOn(state),
        images: state.images,
        cell: state.field("cell"),
        what,
      }),
    ];
  }

  #frozen(state: ResidentBatch): Buffer<"i32"> {
    return state.scratch(`frozen ${this.#number}`, { dtype: "i32", level: "node" });
  }

  #byCategory(state: ResidentBatch): Int32Array {
    if (!state.batch.has("categories")) {
      throw new TypeError(
        `Cannot freeze atoms: the batch must have the field categories; got ` +
          `${
            state.batch.fields().map(({ name }) => name).join(", ")
          }. Add the field, or pass atoms`,
      );
    }
    return Int32Array.from(
      state.mirroredField("categories"),
      (category) => category === this.#category ? 1 : 0,
    );
  }
}

const WHAT: Readonly<Record<FreezeStage, number>> = {
  "dynamics/AFTER_PRE_UPDATE": Freeze.POSITIONS | Freeze.VELOCITIES,
  "dynamics/AFTER_COMPUTE": Freeze.FORCES,
  "dynamics/AFTER_POST_UPDATE": Freeze.VELOCITIES,
};

// Number of the next hook. Each hook stores separate flags in a batch, under its number.
let count = 0;
