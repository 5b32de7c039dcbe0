import { WHOLE } from "../../base/check_number.ts";
import { type Buffer, type Call, call } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { Freeze, freezeAtoms } from "../../kernels/modify/freeze_atoms.ts";
import { type AtomChoice, chosen, isAtomChoice } from "../../batch/atom_choice.ts";
import { anchor, anchorsOn } from "./frozen_atoms.ts";
import { checkNumber, checkOptions, checkType, isFlag } from "../any/hook_options.ts";

/** What a {@linkcode FreezeAtomsHook} can be told. */
export interface FreezeAtomsHookOptions {
  /**
   * Atoms whose field `categories` has this number are frozen.
   *
   * @default -1
   */
  readonly freezeCategory?: number;
  /**
   * Which atoms are frozen, instead.
   *
   * @default those of the category
   */
  readonly atoms?: AtomChoice;
  /**
   * Whether the forces on them become 0, too: they then do not count for `fmax`, and no relaxation waits for them.
   *
   * @default true
   */
  readonly zeroForces?: boolean;
}

const NAME = "FreezeAtomsHook";

/** The stages of a {@linkcode FreezeAtomsHook}. */
export type FreezeStage = typeof DynamicsStage[
  "AFTER_PRE_UPDATE" | "AFTER_COMPUTE" | "AFTER_POST_UPDATE"
];

/**
 * Holds atoms where they are when a run begins: not one of them moves by a bit, in any step of any scheme. They are put
 * back before the forces are computed, so that all others feel them where they are; their velocities and the forces on
 * them are 0. They have no degrees of freedom: temperatures are those of the others. Which atoms are meant is asked
 * when a run begins; whoever moves one between two runs freezes it where it then is.
 *
 * It is a kernel: no step is visited for it. `fixAtoms` does the same as an option of an engine, for a whole run.
 *
 * Throws a TypeError or RangeError that names the option that is wrong; the run throws one when the batch has no field
 * `categories`, or when the choice does not fit it.
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
  /** Before the forces, with them, and when velocities are new. */
  readonly stages: readonly FreezeStage[] = [
    DynamicsStage.AFTER_PRE_UPDATE,
    DynamicsStage.AFTER_COMPUTE,
    DynamicsStage.AFTER_POST_UPDATE,
  ];
  /** At every step. */
  readonly frequency = 1;
  /** What it changes. */
  readonly writes: readonly ["positions", "velocities", "forces"] = [
    "positions",
    "velocities",
    "forces",
  ];
  /** It holds atoms wherever they are. */
  readonly isInvariant: true = true;
  readonly #category: number;
  readonly #atoms: AtomChoice | undefined;
  readonly #withForces: boolean;
  readonly #number = count++;
  #masks = new WeakMap<ResidentBatch, Int32Array>();

  /** Nothing is frozen before a run begins. */
  constructor(options: FreezeAtomsHookOptions = {}) {
    checkOptions(NAME, options, ["freezeCategory", "atoms", "zeroForces"]);
    checkNumber(NAME, options, "freezeCategory", WHOLE);
    checkType(NAME, options, "atoms", "a function, flags or places", isAtomChoice);
    checkType(NAME, options, "zeroForces", "true or false", isFlag);
    const { freezeCategory, atoms, zeroForces = true } = options;
    if (freezeCategory !== undefined && atoms !== undefined) {
      throw new TypeError(
        `Cannot make a ${NAME}: it must have freezeCategory or atoms, not both: current category is ${freezeCategory}`,
      );
    }
    this.#category = freezeCategory ?? -1;
    this.#atoms = atoms;
    this.#withForces = zeroForces;
  }

  /** A run begins: atoms are chosen anew. Called by the engine. */
  open(): void {
    this.#masks = new WeakMap();
  }

  /** Which atoms it holds: 1 for each. Called by the engine when a step is planned. */
  holds({ state, has }: KernelDevice): ArrayLike<number> {
    const known = this.#masks.get(state);
    if (known !== undefined && has === undefined) return known;
    const mask = known ?? this.#chosen(state);
    this.#masks.set(state, mask);
    const { systemOfNode } = state.batch;
    const held = has === undefined
      ? mask
      : mask.map((is, atom) => has(systemOfNode[atom]!) ? is : 0);
    state.backend.write(this.#frozen(state), held.map((is) => 7 * is)); // in all directions
    anchor(state, held);
    return held;
  }

  #chosen(state: ResidentBatch): Int32Array {
    return this.#atoms === undefined
      ? this.#byCategory(state)
      : chosen(state, this.#atoms, "freeze atoms");
  }

  /** What the engine runs. */
  kernels({ state }: KernelDevice, stage: DynamicsStage): readonly Call[] {
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
        `Cannot freeze atoms: the batch must have the field categories, or the hook must be told which atoms: ` +
          `current fields are ${state.batch.fields().map(({ name }) => name).join(", ")}`,
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

// Numbers hooks, so that each has flags of its own on a batch.
let count = 0;
