/**
 * Decides which systems have converged, and stops them.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { BufferType } from "../../kernels/kernel.ts";
import { criterion, Level, Reduce } from "../../kernels/converge/criterion.ts";
import { graduate } from "../../kernels/converge/graduate.ts";
import { checkOptions } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import type { CustomField } from "../../hooks/protocol/context.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { complaint, show } from "../../base/show.ts";
import { CHANGE } from "../engine/measures.ts";
import { type DynamicsFieldName, DynamicsStage } from "../stages.ts";
import { noteConvergenceHook } from "./known_hooks.ts";

/** One condition of convergence: value ≤ threshold. */
export interface Criterion {
  /**
   * The value that is compared: `"fmax"`, `"temperature"`, …, `"energyChange"` (its absolute value), or any field of
   * the batch with real numbers; a field of integers needs a `customOp`. A custom field is named by a value,
   * `field<Float64Array>()("strain")`.
   */
  readonly key: DynamicsFieldName | CustomField<string, unknown>;
  /** Threshold: values at or below it are converged. */
  readonly threshold: number;
  /**
   * Reduction over the numbers of each entry, such as the components of an atom's force. The largest result of a system
   * is compared.
   *
   * @default null: no reduction
   */
  readonly reduceOp?: "min" | "max" | "norm" | "mean" | "sum" | null;
  /**
   * Dimensions that are reduced: the last is -1 (or 1, as entries have one dimension besides the first).
   *
   * @default -1
   */
  readonly reduceDims?: number | readonly number[];
  /**
   * Custom function that returns a value for each system; all other members except `key` are then ignored. It costs a
   * visit per step.
   *
   * @default undefined
   */
  readonly customOp?: (
    values: ArrayLike<number>,
    offsets: Int32Array,
  ) => ArrayLike<boolean | number>;
}

/** A criterion whose key is a name. */
export interface NamedCriterion extends Omit<Criterion, "key"> {
  /** Name of the value that is compared. */
  readonly key: string;
}

/** Options of {@linkcode ConvergenceHook}. */
export interface ConvergenceOptions {
  /**
   * Criteria: a system has converged when it meets all of them in the same step.
   *
   * @default fmax ≤ 0.05 eV/Å
   */
  readonly criteria?: Criterion | readonly Criterion[];
  /** Only systems of this status are judged. @default all */
  readonly sourceStatus?: number;
  /** Status of converged systems; with a `sourceStatus` they stay active. @default 1 */
  readonly targetStatus?: number;
  /** Number of steps between two judgments. @default 1 */
  readonly frequency?: number;
}

const REDUCE = {
  min: Reduce.MIN,
  max: Reduce.MAX,
  norm: Reduce.NORM,
  mean: Reduce.MEAN,
  sum: Reduce.SUM,
} as const;
const DEFAULT: NamedCriterion = { key: "fmax", threshold: 0.05 };
const OPTIONS = ["criteria", "sourceStatus", "targetStatus", "frequency"];
const MEMBERS = ["key", "threshold", "reduceOp", "reduceDims", "customOp"];

/**
 * Stops updating systems that have converged: from the next step on nothing of them changes. Each is reported once, at
 * ON_CONVERGE. The run ends when all systems have converged.
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
  /** Convergence is decided after everything else of a step. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  /** Number of steps between two judgments. */
  readonly frequency: number;
  /** It runs after all other hooks, whatever their order. */
  readonly isLast = true;
  /** The fields it writes. */
  readonly writes: readonly ["status"] = ["status"];
  /** The conditions, all of which must hold. */
  readonly criteria: readonly NamedCriterion[];
  /** Only systems of this status are judged. */
  readonly sourceStatus: number | undefined;
  /** Status of converged systems. */
  readonly targetStatus: number;

  /** True if `targetStatus` was given. */
  readonly hasTarget: boolean;

  /** Throws a TypeError or RangeError that names the criterion and the member that is wrong. */
  constructor(options: ConvergenceOptions = {}) {
    checkOptions("make a ConvergenceHook", options, OPTIONS);
    const { criteria = [DEFAULT], sourceStatus, targetStatus = 1, frequency = 1 } = options;
    this.criteria = ([criteria].flat() as readonly Criterion[]).map(withName);
    if (this.criteria.length === 0) {
      throw new RangeError(
        "Cannot make a ConvergenceHook: criteria must have at least one criterion; got []",
      );
    }
    for (const [i, one] of this.criteria.entries()) checkCriterion(i, one);
    for (const [name, status] of Object.entries({ sourceStatus, targetStatus })) {
      if (status === undefined || (Number.isInteger(status) && status >= 0)) continue;
      throw new RangeError(
        `Cannot make a ConvergenceHook: ${name} must be a non-negative integer; got ${status}`,
      );
    }
    this.sourceStatus = sourceStatus;
    this.targetStatus = targetStatus;
    this.hasTarget = options.targetStatus !== undefined;
    this.frequency = frequency;
    noteConvergenceHook(this);
  }

  /** True unless a criterion is of the positions. */
  get isInvariant(): boolean {
    return this.criteria.every(({ key }) => key !== "positions");
  }

  /** Returns a criterion that is met when no atom feels more than `threshold` (eV/Å), by the measure `fmax`. */
  static fromFmax(threshold: number = 0.05): ConvergenceHook {
    return new ConvergenceHook({ criteria: [{ key: "fmax", threshold }] });
  }

  /** Returns the same criterion by the norms of the field `forces`. */
  static fromForces(threshold: number = 0.05): ConvergenceHook {
    return new ConvergenceHook({ criteria: [{ key: "forces", threshold, reduceOp: "norm" }] });
  }

  /** Returns the calls that run after AFTER_STEP, with the custom functions between their two halves. */
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

  /** Evaluates a criterion without a custom function. */
  kernels(device: ConvergenceDevice): readonly KernelCall[] {
    const { tests, decide } = this.parts(device);
    return [...tests, ...decide];
  }
}

/** A {@linkcode ConvergenceHook} on a batch. */
export interface ConvergenceParts {
  /** Leave 1 in `met` where all criteria hold. */
  readonly tests: readonly KernelCall[];
  /** Custom functions, which put 0 there. */
  readonly customs: readonly CustomCriterion[];
  /** 1 where all criteria hold so far. */
  readonly met: Buffer<"i32">;
  /** 1 where a system has converged in a step. */
  readonly converged: Buffer<"i32">;
  /** Stop updating systems that meet all criteria. */
  readonly decide: readonly KernelCall[];
}

/** A criterion with a custom function. */
export interface CustomCriterion {
  /** Name of the values. */
  readonly key: string;
  /** Buffer of the values. */
  readonly buffer: Buffer;
  /** The custom function. */
  readonly op: NonNullable<Criterion["customOp"]>;
}

/** Returns the criterion with the name of its key. Returns other values unchanged; they are refused later. */
function withName(criterion: Criterion): NamedCriterion {
  const name = isObject(criterion) ? fieldName(criterion.key) : undefined;
  return name === undefined ? criterion as NamedCriterion : { ...criterion, key: name };
}

/** The engine, as a {@linkcode ConvergenceHook} sees it. */
export interface ConvergenceDevice {
  /** The batch. */
  readonly state: ResidentBatch;
  /** Number of this hook among those of the engine. @default 0 */
  readonly id?: number;
  /** Only systems of this status are judged. @default `sourceStatus` */
  readonly from?: number | undefined;
  /** Status of converged systems. @default `targetStatus` */
  readonly to?: number;
  /** True if the systems are then finished. @default true if there is no `sourceStatus` */
  readonly stops?: boolean;
  /** Returns the source of a key's values. Throws a TypeError for an unknown key. */
  source(key: string): KeySource;
}

/** The source of the values of a key. */
export interface KeySource {
  /** Buffer of the values. */
  readonly buffer: Buffer;
  /** Run before the values are read. */
  readonly calls: readonly KernelCall[];
  /** Level: one entry per atom or per system. */
  readonly level: "node" | "system";
}

function testOf(
  { batch, backend }: ResidentBatch,
  { key, threshold, reduceOp }: NamedCriterion,
  buffer: Buffer<BufferType>,
  level: "node" | "system",
) {
  if (buffer.dtype === "i32") {
    throw new TypeError(
      `Cannot judge convergence by ${key}: a threshold needs real numbers, and ${key} has integers. ` +
        "Judge it by a customOp",
    );
  }
  const entries = level === "node" ? batch.nodeCount : batch.size;
  return {
    real: buffer.dtype === "real" ? buffer as Buffer<"real"> : undefined,
    f64: buffer.dtype === "f64" ? buffer as Buffer<"f64"> : undefined,
    width: reduceOp == null ? 1 : buffer.length / entries,
    level: level === "node" ? Level.NODE : Level.SYSTEM,
    // Energies fall on the way down: so the absolute change counts.
    reduce: reduceOp == null ? (key === CHANGE ? Reduce.NORM : Reduce.NONE) : REDUCE[reduceOp],
    // A float32 value that was rounded up from the threshold meets it.
    threshold: buffer.dtype === "real" && backend.real === "f32"
      ? Math.fround(threshold)
      : threshold,
  };
}

function checkCriterion(i: number, given: unknown): void {
  const wrong = (member: string, requirement: string, value: unknown) => {
    const error = typeof value === "number" ? RangeError : TypeError;
    throw new error(
      `Cannot make a ConvergenceHook: ${member} of criterion ${i} must ${requirement}; got ${
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
