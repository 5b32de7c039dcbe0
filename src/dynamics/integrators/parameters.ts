/**
 * Parameters of integrators: one number for all systems, or one number for each system.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import { NOT_NEGATIVE, type NumberRule, POSITIVE } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";
import type { Batch } from "../../batch/batch.ts";
import { isChanging } from "../../batch/changing.ts";
import { systemName } from "../../batch/store.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { ENGINE_OPTIONS } from "../engine/dynamics_checks.ts";

/**
 * A parameter whose values come from a field of the batch, one per system. Each value stays with its system when
 * systems are admitted and graduate.
 */
export interface FromField {
  /** Name of the field, with one number per system in the unit of the parameter. */
  readonly field: string;
  /** Factor by which the values are multiplied. @default 1 */
  readonly factor?: number;
}

/** A number for all systems of a batch, or one number per system: a list by slot, or a field of the batch. */
export type PerSystem = number | ArrayLike<number> | FromField;

/** Rules for parameters that several integrators use. */
export const Rule: Readonly<
  Record<
    | ("POSITIVE" | "NOT_NEGATIVE" | "COUNT" | "SHRINKING" | "FRACTION" | "GROWING")
    | ("STEP" | "RELAX_STEP" | "PRESSURE" | "SEED"),
    NumberRule
  >
> = {
  /** Numbers above 0. */
  POSITIVE,
  /** Numbers of at least 0. */
  NOT_NEGATIVE,
  /** Integers of at least 0. */
  COUNT: { requirement: "a non-negative integer", holds: (x) => Number.isInteger(x) && x >= 0 },
  /** Factors that reduce a value: above 0 and at most 1. */
  SHRINKING: { requirement: "above 0 and at most 1", holds: (x) => x > 0 && x <= 1 },
  /** Mixing ratios: from 0 to 1. */
  FRACTION: { requirement: "from 0 to 1", holds: (x) => x >= 0 && x <= 1 },
  /** Factors that increase a value: at least 1. */
  GROWING: { requirement: "1 or more, and finite", holds: (x) => x >= 1 && x < Infinity },
  /** Time steps of molecular dynamics, fs. Above 100 fs no bond and no collision is resolved. */
  STEP: { requirement: "above 0 and at most 100 fs", holds: (x) => x > 0 && x <= 100 },
  /** Initial time steps of FIRE and FIRE2. The limit is that of molecular dynamics. */
  RELAX_STEP: {
    requirement: "above 0 and at most 10 Å·√(amu/eV), where 1 Å·√(amu/eV) is 10.18 fs",
    holds: (x) => x > 0 && x <= 10,
  },
  /** Pressures, eV/Å³, of either sign. A value above 1.6 TPa (10 eV/Å³) was probably given in another unit. */
  PRESSURE: {
    requirement: "from -10 to 10 eV/Å³ (write 100 bar as 100 * BAR)",
    holds: (x) => Math.abs(x) <= 10,
  },
  /** Seeds of random numbers. */
  SEED: {
    requirement: "a whole number from 0 to 2^53 - 1",
    holds: (x) => Number.isSafeInteger(x) && x >= 0,
  },
};

/** An option of an integrator. */
export interface Parameter {
  /**
   * Condition on the number, or on each number if there are several. If it is `undefined`, the value is checked
   * elsewhere.
   */
  readonly rule?: NumberRule;
  /** Default value, or a function that computes it from `dt`. If it is `undefined`, the option is required. */
  readonly initial?: unknown;
}

/**
 * The options of an integrator, in the order in which they are checked. `dt` comes before options that depend on it.
 */
export type ParameterTable<O> = Readonly<Record<keyof O & string, Parameter>>;

/**
 * Checks the options of an integrator, and returns them with their defaults.
 *
 * @throws {TypeError} if `options` is not an object, has an option that neither the integrator nor the engine knows,
 * or has a value of the wrong kind
 * @throws {RangeError} if a number does not satisfy its rule
 */
export function checkedParameters<O extends object>(
  engine: string,
  options: O,
  table: ParameterTable<O>,
): Required<O> {
  checkOptions(`make ${engine}`, options, [...Object.keys(table), ...ENGINE_OPTIONS]);
  const values: Record<string, unknown> = {};
  for (const [name, { rule, initial }] of Object.entries<Parameter>(table)) {
    const given = (options as Members)[name];
    const otherwise = typeof initial === "function" ? initial(values.dt) : initial;
    values[name] = given === undefined ? otherwise : given;
    if (rule !== undefined) checkParameter(engine, name, values[name], rule);
  }
  return values as Required<O>;
}

/** Rules for parameters from fields, which are checked once there is a batch. */
const RULES = new WeakMap<object, NumberRule>();

/**
 * Checks a parameter of an integrator. Throws a TypeError if the value is not a number or a list, and a RangeError if
 * a number does not satisfy the rule. The message names the engine, the parameter and the system.
 *
 * Values from a field are not checked here, but when a run begins.
 *
 * @example
 * ```ts
 * import { checkParameter } from "@hooke/hooke/dynamics";
 * import { assertThrows } from "@std/assert";
 *
 * const rule = { requirement: "above 0", holds: (x: number) => x > 0 };
 * checkParameter("MyEngine", "dt", 2, rule);
 * assertThrows(() => checkParameter("MyEngine", "dt", -1, rule), RangeError, "dt must be above 0");
 * ```
 */
export function checkParameter(
  engine: string,
  name: string,
  value: unknown,
  rule: NumberRule,
): asserts value is PerSystem {
  if (isFromField(value)) {
    RULES.set(value, rule);
    return;
  }
  const list = typeof value === "number" ? [value] : numbersOf(value);
  if (list === undefined) {
    const requirement = `${name} must be a number, or an array of one number per system`;
    throw new TypeError(complaint(`make ${engine}`, requirement, value));
  }
  assertRule(
    `make ${engine}`,
    name,
    list,
    rule,
    (system) => typeof value === "number" ? "" : ` of system ${system}`,
  );
}

function assertRule(
  action: string,
  name: string,
  list: readonly unknown[],
  { requirement, holds }: NumberRule,
  nameOf: (system: number) => string,
): void {
  for (const [system, one] of list.entries()) {
    if (typeof one === "number" && holds(one)) continue;
    const of = nameOf(system);
    throw new RangeError(
      `Cannot ${action}: ${name}${of} must be ${requirement}; got ${show(one)}`,
    );
  }
}

/** Returns whether a parameter comes from a field, so that its values are only known when there is a batch. */
export function isFromField(value: unknown): value is FromField {
  return isObject(value) && typeof value.field === "string";
}

function numbersOf(value: unknown): unknown[] | undefined {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  return isList ? Array.from(value as unknown as ArrayLike<unknown>) : undefined;
}

/**
 * Returns a parameter as one number per system. `of` is a batch, or the number of systems. Throws a RangeError if a
 * list has another length, or a field has an invalid value. Throws a TypeError if the field does not exist, or if a
 * list is given although systems are admitted and graduate during the run.
 */
export function perSystem(
  engine: string,
  name: string,
  value: PerSystem,
  of: Batch | number,
): Float64Array {
  const systems = typeof of === "number" ? of : of.size;
  if (typeof value === "number") return new Float64Array(systems).fill(value);
  if (isFromField(value)) return fromField(engine, name, value, of);
  if (typeof of !== "number" && isChanging(of)) {
    throw new TypeError(
      `Cannot run ${engine}: ${name} must be one number, or { field } with one number per system, because systems ` +
        `are admitted and graduate during the run; got a list of ${value.length}`,
    );
  }
  if (value.length === systems) return Float64Array.from(value);
  throw new RangeError(
    `Cannot run ${engine}: ${name} must be one number, or one for each of ${systems} systems; got ${value.length} numbers`,
  );
}

function fromField(
  engine: string,
  name: string,
  value: FromField,
  of: Batch | number,
): Float64Array {
  const { field, factor = 1 } = value;
  const info = typeof of === "number"
    ? undefined
    : of.fields().find((one) => one.name === field && one.level === "system" && one.width === 1);
  if (typeof of === "number" || info === undefined) {
    throw new TypeError(
      `Cannot run ${engine}: ${name} must name a field of the batch with one number per system; ` +
        `got ${JSON.stringify(field)}`,
    );
  }
  const values = Float64Array.from(of.get(field));
  const rule = RULES.get(value);
  if (rule !== undefined) {
    assertRule(
      `run ${engine}`,
      name,
      [...values],
      rule,
      (system) => ` of system ${systemName(of.infos, system)}`,
    );
  }
  return values.map((one) => one * factor);
}

/**
 * Returns the initial values of a state that starts as a parameter: one number if the parameter is a number,
 * otherwise one number per system.
 */
export function initialOf(
  engine: string,
  name: string,
  value: PerSystem,
  batch: Batch,
): number | Float64Array {
  return typeof value === "number" ? value : perSystem(engine, name, value, batch);
}

/**
 * Uploads a parameter, and returns a buffer with one number per system.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { drift, Dynamics, type Integrator, parameter } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const integrator: Integrator = {
 *   name: "parts",
 *   dt: 2,
 *   open(state) {
 *     const step = parameter(state, "parts", "dt", [1, 2]); // a number for each system
 *     return { pre: [drift(state, step, 1)], post: [] };
 *   },
 * };
 * const atom = { symbols: ["H"], positions: [0, 0, 0], velocities: [0.01, 0, 0] };
 * const batch = Batch.from([atom, atom]);
 * await using md = new Dynamics(integrator, { model: potential(() => 0) });
 * await md.run(batch, 10);
 * const [x, , , y] = batch.get("positions");
 * assertAlmostEquals(y! / x!, 2, 1e-6);
 * ```
 */
export function parameter(
  state: ResidentBatch,
  engine: string,
  name: string,
  value: PerSystem,
): Buffer<"real"> {
  return state.constants("real", perSystem(engine, name, value, state.batch), "system");
}

/**
 * Uploads several parameters, and returns a buffer with one row per system. The rows have the parameters in the order
 * of `columns`.
 */
export function parameterTable(
  state: ResidentBatch,
  engine: string,
  columns: Readonly<Record<string, PerSystem>>,
): Buffer<"f64"> {
  const { batch } = state;
  const lists = Object.entries(columns).map(([name, value]) =>
    perSystem(engine, name, value, batch)
  );
  const rows = Array.from(
    { length: batch.size },
    (_, system) => lists.map((list) => list[system]!),
  );
  return state.constants("f64", rows.flat(), "system");
}

/** Returns a parameter multiplied by a number. */
export function times(value: PerSystem, factor: number): PerSystem {
  if (typeof value === "number") return value * factor;
  if (!isFromField(value)) return Array.from(value, (one) => one * factor);
  const product: FromField = { ...value, factor: factor * (value.factor ?? 1) };
  const rule = RULES.get(value);
  if (rule !== undefined) RULES.set(product, rule);
  return product;
}
