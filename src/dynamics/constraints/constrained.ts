/**
 * Constraints on a batch, as kernels that run around the kernels of an integrator.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { creditBath } from "../../kernels/thermostats/credit_bath.ts";
import { Freeze, freezeAtoms } from "../../kernels/modify/freeze_atoms.ts";
import { holdCenter } from "../../kernels/constrain/hold_center.ts";
import { rattle } from "../../kernels/constrain/rattle.ts";
import { remember } from "../../kernels/remember.ts";
import { shake } from "../../kernels/constrain/shake.ts";
import { BondGeometry } from "./bond_geometry.ts";
import { type BondBuffers, bondBuffers } from "./bond_buffers.ts";
import { type BondList, bondList } from "./bond_list.ts";
import { bondRank } from "./bond_rank.ts";
import type { Constraint, Held } from "./constraint.ts";
import type { ConstraintCalls } from "./constraint_calls.ts";
import type { Integrator, OpenIntegrator } from "../integrators/integrator.ts";
import { parameter } from "../integrators/parameters.ts";
import { countHeld } from "./held_freedom.ts";
import { POSITIONS_LOW } from "../engine/state_names.ts";

/** Name of the state array with the fixed directions of each atom, in the batch and in checkpoints. */
const FIXED = "fixedDirections";

/** The constraints of an engine, applied to a batch. */
export class Constrained implements ConstraintCalls {
  /** True if there are no constraints. */
  readonly isEmpty: boolean;
  readonly #state: ResidentBatch;
  readonly #integrator: Integrator;
  readonly #mask: Int32Array;
  readonly #held: Buffer<"i32"> | undefined;
  readonly #hasCenter: boolean;
  readonly #bonds: BondList | undefined;
  readonly #list: BondBuffers | undefined;
  #ranks: { readonly key: string; readonly values: Int32Array } | undefined;

  /** Throws a TypeError or RangeError if constraints do not fit the batch, or contradict one another. */
  constructor(state: ResidentBatch, integrator: Integrator, constraints: readonly Constraint[]) {
    this.isEmpty = constraints.length === 0;
    this.#state = state;
    this.#integrator = integrator;
    const all = constraints.map((one) => heldBy(one, state));
    const masks = all.flatMap(({ fixed }) => fixed === undefined ? [] : [fixed]);
    const mask = this.#mask = new Int32Array(state.batch.nodeCount);
    for (const one of masks) for (let a = 0; a < mask.length; a++) mask[a]! |= one[a]!;
    if (masks.length > 0) {
      this.#held = state.state(FIXED, { dtype: "i32", level: "node", initial: mask });
    }
    this.#hasCenter = all.some(({ center }) => center === true);
    const bonds = all.flatMap(({ bonds }) => bonds === undefined ? [] : [bonds]);
    if (bonds.length > 0) {
      const geometry = new BondGeometry(state);
      const list = bondList(bonds, state.batch, mask, (s, pair) => geometry.length(s, pair));
      this.#bonds = list.bonds.length > 0 ? list : undefined;
    }
    this.#list = this.#bonds && bondBuffers(state, this.#bonds, this.#held);
    if (!this.isEmpty) this.count([]);
  }

  /**
   * Counts the degrees of freedom that constraints and hooks remove. Each of `masks` has a number per atom, which is
   * nonzero if a hook holds the atom.
   */
  count(masks: readonly ArrayLike<number>[]): void {
    const fixed = this.#held && (this.#state.mirroredState(FIXED) ?? this.#mask);
    const [hasCenter, bonds, ranks] = [this.#hasCenter, this.#bonds, this.#ranksOf(fixed)];
    countHeld(this.#state, { fixed, masks, hasCenter, bonds, ranks });
  }

  /**
   * Returns the number of degrees of freedom that the bonds of each system remove. The result is cached, because the
   * fixed atoms change only when a checkpoint is loaded.
   */
  #ranksOf(fixed: ArrayLike<number> | undefined): Int32Array {
    const { batch: { size, nodeOffsets } } = this.#state;
    const key = fixed === undefined ? "" : Array.from(fixed).join();
    if (this.#ranks?.key === key) return this.#ranks.values;
    const values = new Int32Array(size), bonds = this.#bonds;
    if (bonds !== undefined) {
      const geometry = new BondGeometry(this.#state);
      for (let s = 0; s < size; s++) {
        const bitsOf = (atom: number) => fixed?.[nodeOffsets[s]! + atom] ?? 0;
        values[s] = bondRank(bonds, s, bitsOf, geometry);
      }
    }
    this.#ranks = { key, values };
    return values;
  }

  /**
   * Adds the kernels of the constraints to the kernels of an integrator. Throws a TypeError if the integrator cannot
   * be constrained.
   */
  weave(open: OpenIntegrator): OpenIntegrator {
    if (this.isEmpty) return open;
    const { pre, post } = open;
    return {
      ...open,
      pre: pre.flatMap((one) => this.#around(one)),
      post: post.flatMap((one) => this.#around(one)),
    };
  }

  /** Kernels that run after the forces are computed, and remove the components of the forces along constraints. */
  get forces(): KernelCall[] {
    if (this.isEmpty) return [];
    const { field, weights } = this.#buffers;
    const forces = field("forces");
    const calls = this.#hold(Freeze.FORCES);
    if (!isRelaxing(this.#integrator)) return calls; // dynamics corrects velocities instead, whenever they change
    const ones = this.#bonds && weights(1);
    return [
      ...calls,
      ...this.#straighten(forces, ones),
      ...this.#rest(forces, { isForce: true }),
    ];
  }

  /** Kernels that make positions and velocities satisfy the constraints before the first step. */
  get settle(): KernelCall[] {
    if (this.isEmpty) return [];
    const { field } = this.#buffers;
    return [
      ...this.#remember(),
      ...this.#hold(Freeze.VELOCITIES),
      ...this.#shake(),
      ...this.#straighten(field("velocities")),
      ...this.#rest(field("velocities")),
    ];
  }

  #around(one: KernelCall): KernelCall[] {
    const { field } = this.#buffers;
    if (this.#bonds !== undefined && changes(one, field("cell"))) {
      throw new TypeError(
        `Cannot run ${this.#integrator.name} with fixBonds: the kernel ${one.kernel.name} of this integrator changes the cell. ` +
          "Use an integrator with a constant cell, or leave out fixBonds",
      );
    }
    const isMoving = changes(one, field("positions"));
    if (!isMoving && !changes(one, field("velocities"))) return [one];
    const velocities = [
      ...this.#straighten(field("velocities")),
      ...this.#rest(field("velocities")),
    ];
    const { every, phase } = one;
    const times = { ...(every !== undefined && { every }), ...(phase !== undefined && { phase }) };
    const timed = (calls: readonly KernelCall[]) => calls.map((call) => ({ ...call, ...times }));
    if (!isMoving) {
      const calls = this.#credited([...this.#hold(Freeze.VELOCITIES), ...velocities], one);
      return [one, ...timed(calls)];
    }
    // The rounding remainders of the positions, in the buffer of the integrator if it has one.
    const given = one.args["low"] as Buffer<"real"> | undefined;
    const low = given ?? (this.#list && this.#buffers.low);
    return [
      ...timed(this.#remember(low)),
      one,
      ...timed([
        ...this.#hold(Freeze.POSITIONS | Freeze.VELOCITIES),
        ...this.#rest(field("positions"), { before: this.#buffers.before, low }),
        ...this.#shake(one, low),
        // Velocities are corrected here even if a kick follows. A thermostat that follows must be credited only with
        // its own work, and a step may end with this drift.
        ...velocities,
      ]),
    ];
  }

  /** Adds kernels that correct the recorded energy of a thermostat for the velocities which constraints remove. */
  #credited(calls: readonly KernelCall[], bath: KernelCall): readonly KernelCall[] {
    const { bathEnergy } = bath.args;
    if (calls.length === 0 || bathEnergy === undefined) return calls;
    const state = this.#state, velocities = state.field("velocities");
    const before = state.scratch("velocitiesBefore", { dtype: "real", level: "node", width: 3 });
    const args = { velocities, before, weights: state.weights() };
    return [
      call(remember, { source: velocities, target: before }),
      ...calls,
      call(creditBath, { ...args, bathEnergy: bathEnergy as Buffer<"f64"> }),
    ];
  }

  #remember(low: Buffer<"real"> | undefined = this.#list && this.#buffers.low): KernelCall[] {
    if (!this.#held && !this.#hasCenter && !this.#list) return [];
    const { field, before, lowBefore } = this.#buffers;
    const calls = [call(remember, { source: field("positions"), target: before })];
    return this.#list && low
      ? [...calls, call(remember, { source: low, target: lowBefore })]
      : calls;
  }

  #hold(what: number): KernelCall[] {
    if (this.#held === undefined) return [];
    const { field, before: anchors } = this.#buffers;
    const vectors = {
      positions: field("positions"),
      velocities: field("velocities"),
      forces: field("forces"),
    };
    return [call(freezeAtoms, { ...vectors, frozen: this.#held, anchors, what })];
  }

  #rest(vectors: Buffer<"real">, { isForce = false, ...options }: Rest = {}): KernelCall[] {
    if (!this.#hasCenter) return [];
    const masses = this.#buffers.field("masses");
    const shares = isForce ? masses : undefined;
    return [call(holdCenter, { vectors, masses, shares, held: this.#held, ...options })];
  }

  #shake(drift?: KernelCall, low: Buffer<"real"> = this.#buffers.low): KernelCall[] {
    if (this.#list === undefined) return [];
    const { field, before, lowBefore } = this.#buffers;
    const { dt } = this.#integrator;
    const { fraction = 1, dt: own } = drift?.args ?? {};
    // A step of a relaxation takes no physical time, so velocities are not corrected.
    const isMotion = drift !== undefined && Object.values(drift.args).includes(field("velocities"));
    const isTimed = isMotion && dt !== undefined && (own === undefined || isTimes(own));
    return [
      call(shake, {
        ...this.#list.common,
        ...this.#list.rows,
        weights: this.#state.weights(),
        positions: field("positions"),
        low,
        before,
        lowBefore,
        ...(isTimed && {
          velocities: field("velocities"),
          dt: isTimes(own) ? own : parameter(this.#state, this.#integrator.name, "dt", dt),
        }),
        fraction: typeof fraction === "number" ? fraction : 1,
      }),
    ];
  }

  #straighten(
    vectors: Buffer<"real">,
    weights: Buffer<"real"> = this.#state.weights(),
  ): KernelCall[] {
    if (this.#list === undefined) return [];
    const { field, low } = this.#buffers;
    const positions = field("positions");
    return [call(rattle, { ...this.#list.common, vectors, weights, positions, low })];
  }

  get #buffers() {
    const state = this.#state;
    const real = { dtype: "real", level: "node", width: 3 } as const;
    return {
      field: (name: string) => state.field(name),
      get before() {
        return state.scratch("positionsBefore", real);
      },
      get low() {
        return state.state(POSITIONS_LOW, real);
      },
      get lowBefore() {
        return state.scratch("positionsLowBefore", real);
      },
      weights: (initial: number) =>
        state.scratch("equalWeights", { dtype: "real", level: "node", initial }),
    };
  }
}

/** Options of the call that keeps the center of mass at rest. */
interface Rest {
  readonly isForce?: boolean;
  readonly before?: Buffer<"real">;
  readonly low?: Buffer<"real"> | undefined;
}

/**
 * Returns the degrees of freedom that a constraint removes. Throws a RangeError if `fixed` does not have one number
 * per atom.
 */
function heldBy(constraint: Constraint, state: ResidentBatch): Held {
  const held = constraint.hold(state), { nodeCount } = state.batch;
  if (held.fixed === undefined || held.fixed.length === nodeCount) return held;
  throw new RangeError(
    `Cannot hold ${constraint.name}: fixed must have one number for each of ${nodeCount} atoms; got ${held.fixed.length} numbers`,
  );
}

/** Returns whether an integrator, or any of its stages, minimizes the energy. */
function isRelaxing(
  { dt, stages = [] }: Integrator & { readonly stages?: readonly Integrator[] },
): boolean {
  return dt === undefined || stages.some(isRelaxing);
}

/** Returns whether a kernel call changes a buffer. */
function changes({ kernel, args }: KernelCall, buffer: Buffer): boolean {
  return Object.entries(kernel.args).some(([name, argument]) =>
    argument.endsWith(" changed") && args[name] === buffer
  );
}

/** Returns whether a kernel argument is a buffer of real numbers, such as the time step of each system. */
function isTimes(value: unknown): value is Buffer<"real"> {
  return typeof value === "object" && (value as Buffer).dtype === "real";
}
