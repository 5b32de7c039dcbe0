/**
 * Detection of converged systems.
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

/** A condition of convergence. It is met if a value is at most the threshold. */
export interface Criterion {
  /**
   * Name of the value to compare: `"fmax"`, `"temperature"`, …, `"energyChange"` (its absolute value), or any field
   * of the batch with real numbers. A field of integers needs a `customOp`. A custom field may also be given as an
   * object, `field<Float64Array>()("strain")`.
   */
  readonly key: DynamicsFieldName | CustomField<string, unknown>;
  /** Threshold, in the unit of the value. The condition is met if the value is less than or equal to it. */
  readonly threshold: number;
  /**
   * Reduction of the numbers of each entry to one, such as the components of an atom's force to their norm. The
   * largest result of a system is compared with the threshold. If null, all numbers are compared.
   *
   * @default null
   */
  readonly reduceOp?: "min" | "max" | "norm" | "mean" | "sum" | null;
  /**
   * Dimension over which `reduceOp` reduces. The only possible dimension is that of the numbers of an entry: -1 or 1.
   *
   * @default -1
   */
  readonly reduceDims?: number | readonly number[];
  /**
   * Custom function that returns for each system whether the condition is met. It receives the values, and for each
   * system the index of its first entry, followed by the number of entries. All other members except `key` are then
   * ignored. Each judgment then requires a return to JavaScript.
   *
   * @default undefined
   */
  readonly customOp?: (
    values: ArrayLike<number>,
    offsets: Int32Array,
  ) => ArrayLike<boolean | number>;
}

/** A criterion whose key is given as a name. */
export interface NamedCriterion extends Omit<Criterion, "key"> {
  /** Name of the value to compare. */
  readonly key: string;
}

/** Options of {@linkcode ConvergenceHook}. */
export interface ConvergenceOptions {
  /**
   * One criterion or several. A system has converged when it meets all of them in the same step.
   *
   * @default fmax ≤ 0.05 eV/Å
   */
  readonly criteria?: Criterion | readonly Criterion[];
  /** Status of the systems to judge. @default undefined: all systems are judged */
  readonly sourceStatus?: number;
  /** Status that converged systems get. If `sourceStatus` is given, they stay active. @default 1 */
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
 * Stops updating systems that have converged. From the next step on, nothing in them changes. Each is reported once,
 * at ON_CONVERGE. The run ends when all systems have converged.
 *
 * With `sourceStatus` and `targetStatus`, a converged system changes its status instead, and continues in another
 * stage.
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
  /** Stage at which convergence is decided: the last one of a step. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  /** Number of steps between two judgments. */
  readonly frequency: number;
  /** True, because the hook runs after all other hooks of its stage, whatever their order. */
  readonly isLast = true;
  /** Names of the fields that the hook writes. */
  readonly writes: readonly ["status"] = ["status"];
  /** Criteria, all of which a converged system meets. */
  readonly criteria: readonly NamedCriterion[];
  /** Status of the systems to judge; `undefined` if all systems are judged. */
  readonly sourceStatus: number | undefined;
  /** Status that converged systems get. */
  readonly targetStatus: number;

  /** True if the option `targetStatus` was given. */
  readonly hasTarget: boolean;

  /** Throws a TypeError or RangeError that names the first invalid option, or the criterion and its invalid member. */
  constructor(options: ConvergenceOptions = {}) {
    checkOptions("make a ConvergenceHook", options, OPTIONS);
    const { criteria = [DEFAULT], sourceStatus, targetStatus = 1, frequency = 1 } = options;
    this.criteria = ([criteria].flat() as readonly Criterion[]).map(withName);
    if (this.criteria.length === 0) {
      throw new RangeError(
        "Cannot make a ConvergenceHook: at least one criterion is required; got criteria: []",
      );
    }
    for (const [i, one] of this.criteria.entries()) checkCriterion(i, one);
    for (const [name, status] of Object.entries({ sourceStatus, targetStatus })) {
      if (status === undefined || (Number.isInteger(status) && status >= 0)) continue;
      throw new RangeError(
        `Cannot make a ConvergenceHook: ${name} must be a non-negative integer; got ${
          show(status)
        }`,
      );
    }
    this.sourceStatus = sourceStatus;
    this.targetStatus = targetStatus;
    this.hasTarget = options.targetStatus !== undefined;
    this.frequency = frequency;
    noteConvergenceHook(this);
  }

  /** True if no criterion uses the positions, so that shifting a system does not change the result. */
  get isInvariant(): boolean {
    return this.criteria.every(({ key }) => key !== "positions");
  }

  /** Returns a hook with the criterion that no force exceeds `threshold` (eV/Å), evaluated by the measure `fmax`. */
  static fromFmax(threshold: number = 0.05): ConvergenceHook {
    return new ConvergenceHook({ criteria: [{ key: "fmax", threshold }] });
  }

  /** Returns a hook with the same criterion as `fromFmax`, evaluated by the norms of the field `forces`. */
  static fromForces(threshold: number = 0.05): ConvergenceHook {
    return new ConvergenceHook({ criteria: [{ key: "forces", threshold, reduceOp: "norm" }] });
  }

  /**
   * Returns the kernels that run after AFTER_STEP in two groups, `tests` and `decide`. The custom functions run
   * between them.
   */
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

  /** Returns the kernels of a hook without custom functions. */
  kernels(device: ConvergenceDevice): readonly KernelCall[] {
    const { tests, decide } = this.parts(device);
    return [...tests, ...decide];
  }
}

/** The work of a {@linkcode ConvergenceHook} on a batch. */
export interface ConvergenceParts {
  /** Kernels that write 0 to `met` for each system that does not meet a criterion. */
  readonly tests: readonly KernelCall[];
  /** Custom functions, whose results are written to `met` as well. */
  readonly customs: readonly CustomCriterion[];
  /** One number per system: 1 if all criteria evaluated so far are met, otherwise 0. */
  readonly met: Buffer<"i32">;
  /** One number per system: 1 if it has converged in this step, otherwise 0. */
  readonly converged: Buffer<"i32">;
  /** Kernels that set the status of systems which meet all criteria, and stop updating them. */
  readonly decide: readonly KernelCall[];
}

/** A criterion with a custom function. */
export interface CustomCriterion {
  /** Name of the values that the function receives. */
  readonly key: string;
  /** Buffer with the values. */
  readonly buffer: Buffer;
  /** The custom function. */
  readonly op: NonNullable<Criterion["customOp"]>;
}

/** Returns a criterion whose key is a name. Returns other values unchanged, because a later check reports them. */
function withName(criterion: Criterion): NamedCriterion {
  const name = isObject(criterion) ? fieldName(criterion.key) : undefined;
  return name === undefined ? criterion as NamedCriterion : { ...criterion, key: name };
}

/** The batch and the settings from which a {@linkcode ConvergenceHook} creates its kernels. */
export interface ConvergenceDevice {
  /** The batch on its backend. */
  readonly state: ResidentBatch;
  /** Number of this hook among the convergence hooks of the engine. @default 0 */
  readonly id?: number;
  /** Status of the systems to judge. @default `sourceStatus` of the hook */
  readonly from?: number | undefined;
  /** Status that converged systems get. @default `targetStatus` of the hook */
  readonly to?: number;
  /** True if converged systems are finished. @default true if there is no source status */
  readonly stops?: boolean;
  /** Returns the source of the values with this name. Throws a TypeError for an unknown name. */
  source(key: string): KeySource;
}

/** The source of the values that a criterion compares. */
export interface KeySource {
  /** Buffer with the values. */
  readonly buffer: Buffer;
  /** Kernels that must run before the values are read. */
  readonly calls: readonly KernelCall[];
  /** Level of the values: one entry per atom or per system. */
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
      `Cannot judge convergence by ${key}: a threshold needs a field of real numbers, and ${key} has integers. ` +
        "Pass a customOp in its criterion instead",
    );
  }
  const entries = level === "node" ? batch.nodeCount : batch.size;
  return {
    real: buffer.dtype === "real" ? buffer as Buffer<"real"> : undefined,
    f64: buffer.dtype === "f64" ? buffer as Buffer<"f64"> : undefined,
    width: reduceOp == null ? 1 : buffer.length / entries,
    level: level === "node" ? Level.NODE : Level.SYSTEM,
    // The energy change of a relaxation is negative, so its absolute value is compared.
    reduce: reduceOp == null ? (key === CHANGE ? Reduce.NORM : Reduce.NONE) : REDUCE[reduceOp],
    // The threshold is rounded like the float32 values, so that a value equal to it meets the criterion.
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
    wrong("the members", `be among ${MEMBERS.join(", ")}`, member);
  }
  if (typeof key !== "string" || key === "") wrong("key", "be the name of a field", key);
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
    if (dim !== -1 && dim !== 1) {
      wrong("reduceDims", "be -1 or 1, the dimension of the values of an atom or system", dim);
    }
  }
}
