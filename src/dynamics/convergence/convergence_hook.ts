/**
 * When a system has converged, and what becomes of it.
 *
 * @module
 */

import { type Buffer, type Call, call } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Dtype } from "../../kernels/kernel.ts";
import { criterion, Level, Reduce } from "../../kernels/converge/criterion.ts";
import { graduate } from "../../kernels/converge/graduate.ts";
import { checkOptions } from "../../base/check_options.ts";
import { complaint, show } from "../../base/show.ts";
import { CHANGE } from "../engine/measures.ts";
import { DynamicsStage } from "../stages.ts";
import { noteConvergenceHook } from "./known_hooks.ts";

/** One condition of convergence: value ≤ threshold. */
export interface Criterion {
  /**
   * What is looked at: `"fmax"`, `"temperature"`, …, `"energyChange"` (by its size), or any field of the batch that is
   * no whole numbers; those only by a `customOp`.
   */
  readonly key: string;
  /** Values at or below it are converged. */
  readonly threshold: number;
  /**
   * What is made of the numbers of each entry first (of an atom's force, say); whatever is left, the largest of a
   * system counts.
   *
   * @default null: nothing
   */
  readonly reduceOp?: "min" | "max" | "norm" | "mean" | "sum" | null;
  /**
   * Over which dimensions of an entry: the last is -1 (or 1, as entries have one dimension besides the first).
   *
   * @default -1
   */
  readonly reduceDims?: number | readonly number[];
  /**
   * A function of one's own that answers for each system; all other members but `key` are then ignored. It costs a
   * visit per step.
   *
   * @default none
   */
  readonly customOp?: (
    values: ArrayLike<number>,
    offsets: Int32Array,
  ) => ArrayLike<boolean | number>;
}

/** What {@linkcode ConvergenceHook} is made of. */
export interface ConvergenceOptions {
  /**
   * A system has converged when it meets all of them in the same step.
   *
   * @default fmax ≤ 0.05 eV/Å
   */
  readonly criteria?: Criterion | readonly Criterion[];
  /** Only systems of this status are asked. @default all */
  readonly sourceStatus?: number;
  /** What their status becomes; with a `sourceStatus` the systems go on moving. @default 1 */
  readonly targetStatus?: number;
  /** Asked at every so many steps. @default 1 */
  readonly frequency?: number;
}

const REDUCE = {
  min: Reduce.MIN,
  max: Reduce.MAX,
  norm: Reduce.NORM,
  mean: Reduce.MEAN,
  sum: Reduce.SUM,
} as const;
const DEFAULT: Criterion = { key: "fmax", threshold: 0.05 };
const OPTIONS = ["criteria", "sourceStatus", "targetStatus", "frequency"];
const MEMBERS = ["key", "threshold", "reduceOp", "reduceDims", "customOp"];

/**
 * Stops systems that have converged: from the next step on they do not move, and nothing of theirs changes. Each is
 * reported once, at ON_CONVERGE; the run ends when all have.
 *
 * With `sourceStatus` and `targetStatus` a system changes its status instead, and goes on in another stage.
 *
 * @example
 * ```ts
 * import { ConvergenceHook } from "@hooke/hooke/dynamics";
 *
 * ConvergenceHook.fromFmax(0.05);
 * ConvergenceHook.fromForces(0.05);
 * new ConvergenceHook({
 *   criteria: [
 *     { key: "fmax", threshold: 0.05 },
 *     { key: "energyChange", threshold: 1e-6 },
 *   ],
 * });
 * ```
 */
export class ConvergenceHook {
  /** Decided after everything else of a step. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  /** Asked at every so many steps. */
  readonly frequency: number;
  /** Wherever it stands among the hooks. */
  readonly isLast = true;
  /** What it changes. */
  readonly writes: readonly ["status"] = ["status"];
  /** The conditions, all of which must hold. */
  readonly criteria: readonly Criterion[];
  /** Only systems of this status are asked. */
  readonly sourceStatus: number | undefined;
  /** What their status becomes. */
  readonly targetStatus: number;

  /** Whether it was said what their status becomes. */
  readonly hasTarget: boolean;

  /** Throws a TypeError or RangeError that names the criterion and the member that is wrong. */
  constructor(options: ConvergenceOptions = {}) {
    checkOptions("make a ConvergenceHook", options, OPTIONS);
    const { criteria = [DEFAULT], sourceStatus, targetStatus = 1, frequency = 1 } = options;
    this.criteria = [criteria].flat() as readonly Criterion[];
    if (this.criteria.length === 0) {
      throw new RangeError(
        "Cannot make a ConvergenceHook as criteria must have one or more: current count is 0",
      );
    }
    for (const [i, one] of this.criteria.entries()) checkCriterion(i, one);
    for (const [name, status] of Object.entries({ sourceStatus, targetStatus })) {
      if (status === undefined || (Number.isInteger(status) && status >= 0)) continue;
      throw new RangeError(
        `Cannot make a ConvergenceHook as ${name} must be a whole number from 0 on: current value is ${status}`,
      );
    }
    this.sourceStatus = sourceStatus;
    this.targetStatus = targetStatus;
    this.hasTarget = options.targetStatus !== undefined;
    this.frequency = frequency;
    noteConvergenceHook(this);
  }

  /** Converged when no atom feels more than `threshold` (eV/Å), by the measure `fmax`. */
  static fromFmax(threshold: number = 0.05): ConvergenceHook {
    return new ConvergenceHook({ criteria: [{ key: "fmax", threshold }] });
  }

  /** The same by the norms of the field `forces`. */
  static fromForces(threshold: number = 0.05): ConvergenceHook {
    return new ConvergenceHook({ criteria: [{ key: "forces", threshold, reduceOp: "norm" }] });
  }

  /** What the engine does after AFTER_STEP: kernels, and the functions of one's own between the two halves of them. */
  parts(device: ConvergenceDevice): ConvergenceParts {
    const { state, source, id = 0, from = this.sourceStatus, to = this.targetStatus } = device;
    const { stops = from === undefined } = device;
    const converged = state.scratch(`converged ${id}`, { dtype: "i32", level: "system" });
    const met = state.scratch(`met ${id}`, { dtype: "i32", level: "system", initial: 1 });
    const sources = this.criteria.map((one) => ({ one, ...source(one.key) }));
    const tests = sources.flatMap(({ one, buffer, calls, level }) =>
      one.customOp === undefined
        ? [...calls, call(criterion, { ...testOf(state, one, buffer, level), met })]
        : calls
    );
    return {
      tests,
      customs: sources.filter(({ one }) => one.customOp !== undefined)
        .map(({ one, buffer }) => ({ key: one.key, buffer, op: one.customOp! })),
      met,
      converged,
      decide: [
        call(graduate, {
          met,
          converged,
          status: state.field<"i32">("status"),
          source: from ?? -1,
          target: to,
          stop: stops ? 1 : 0,
        }),
      ],
    };
  }

  /** The same where there is no function of one's own. */
  kernels(device: ConvergenceDevice): readonly Call[] {
    const { tests, decide } = this.parts(device);
    return [...tests, ...decide];
  }
}

/** A {@linkcode ConvergenceHook} on a batch. */
export interface ConvergenceParts {
  /** Leave 1 in `met` where all criteria hold. */
  readonly tests: readonly Call[];
  /** Functions of one's own, which put 0 there. */
  readonly customs: readonly CustomCriterion[];
  /** 1 where all criteria hold so far. */
  readonly met: Buffer<"i32">;
  /** 1 where a system has converged in a step. */
  readonly converged: Buffer<"i32">;
  /** Make systems that have met all of them rest. */
  readonly decide: readonly Call[];
}

/** A criterion by a function of one's own. */
export interface CustomCriterion {
  /** What it looks at. */
  readonly key: string;
  /** Where that is. */
  readonly buffer: Buffer;
  /** What it says. */
  readonly op: NonNullable<Criterion["customOp"]>;
}

/** What a {@linkcode ConvergenceHook} asks of its engine. */
export interface ConvergenceDevice {
  /** The batch. */
  readonly state: ResidentBatch;
  /** Tells several such hooks of one engine apart. @default 0 */
  readonly id?: number;
  /** Only systems of this status are asked. @default what it says itself */
  readonly from?: number | undefined;
  /** What their status becomes. @default what it says itself */
  readonly to?: number;
  /** Whether they rest from then on. @default where it is not said which systems are asked */
  readonly stops?: boolean;
  /** Where a key's values are, and how they come up to date. Throws a TypeError for an unknown key. */
  source(key: string): KeySource;
}

/** The values of a key. */
export interface KeySource {
  /** Where they are. */
  readonly buffer: Buffer;
  /** To be run before they are looked at. */
  readonly calls: readonly Call[];
  /** What has one entry each. */
  readonly level: "node" | "system";
}

function testOf(
  { batch }: ResidentBatch,
  { key, threshold, reduceOp }: Criterion,
  buffer: Buffer<Dtype>,
  level: "node" | "system",
) {
  if (buffer.dtype === "i32") {
    throw new TypeError(
      `Cannot judge convergence by ${key} as a threshold must have real numbers to compare with: ` +
        `${key} is whole numbers, which a customOp may judge`,
    );
  }
  const entries = level === "node" ? batch.nodeCount : batch.size;
  return {
    real: buffer.dtype === "real" ? buffer as Buffer<"real"> : undefined,
    f64: buffer.dtype === "f64" ? buffer as Buffer<"f64"> : undefined,
    width: reduceOp == null ? 1 : buffer.length / entries,
    level: level === "node" ? Level.NODE : Level.SYSTEM,
    // Energies fall on the way down: what counts of a change is its size.
    reduce: reduceOp == null ? (key === CHANGE ? Reduce.NORM : Reduce.NONE) : REDUCE[reduceOp],
    threshold,
  };
}

function checkCriterion(i: number, given: unknown): void {
  const wrong = (member: string, requirement: string, value: unknown) => {
    const error = typeof value === "number" ? RangeError : TypeError;
    throw new error(
      `Cannot make a ConvergenceHook as ${member} of criterion ${i} must ${requirement}: current value is ${
        show(value)
      }`,
    );
  };
  if (typeof given !== "object" || given === null) {
    throw new TypeError(
      complaint("make a ConvergenceHook", `criterion ${i} must be an object`, given),
    );
  }
  const { key, threshold, reduceOp, reduceDims, customOp } = given as Record<string, unknown>;
  for (const member of Object.keys(given)) {
    if (MEMBERS.includes(member)) continue;
    wrong("the members", `be some of ${MEMBERS.join(", ")}`, member);
  }
  if (typeof key !== "string" || key === "") wrong("key", "name a field", key);
  if (customOp !== undefined) {
    if (typeof customOp !== "function") wrong("customOp", "be a function", customOp);
    return;
  }
  if (typeof threshold !== "number" || Number.isNaN(threshold)) {
    wrong("threshold", "be a number", threshold);
  }
  if (reduceOp != null && !Object.hasOwn(REDUCE, reduceOp as string)) {
    wrong("reduceOp", `be one of ${Object.keys(REDUCE).join(", ")}, or null`, reduceOp);
  }
  if (reduceDims === undefined) return;
  for (const dim of [reduceDims].flat() as unknown[]) {
    if (dim !== -1 && dim !== 1) wrong("reduceDims", "be -1 or 1, the dimension of an entry", dim);
  }
}
