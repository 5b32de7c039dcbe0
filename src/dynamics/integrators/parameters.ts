/**
 * Parameters of integrators: numbers, the same for all systems or one for each.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import { NOT_NEGATIVE, type NumberRule, POSITIVE } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Batch } from "../../batch/batch.ts";
import { isChanging } from "../../batch/changing.ts";
import { systemName } from "../../batch/store.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { ENGINE_OPTIONS } from "../engine/dynamics_checks.ts";

/**
 * A parameter with its own value for each system, from a field of the batch. The value stays with its system when
 * systems are admitted and graduate.
 */
export interface FromField {
  /** The field of the batch, one number per system, in the units of the parameter. */
  readonly field: string;
  /** The factor of its values. @default 1 */
  readonly factor?: number;
}

/** A number for all systems of a batch, or one for each: by place, or by a field of theirs. */
export type PerSystem = number | ArrayLike<number> | FromField;

/** Rules that parameters have in common. */
export const Rule: Readonly<
  Record<
    | ("POSITIVE" | "NOT_NEGATIVE" | "COUNT" | "SHRINKING" | "FRACTION" | "GROWING")
    | ("STEP" | "PRESSURE" | "SEED"),
    NumberRule
  >
> = {
  /** The rule of numbers above 0. */
  POSITIVE,
  /** The rule of numbers of at least 0. */
  NOT_NEGATIVE,
  /** The rule of counts. */
  COUNT: { requirement: "a non-negative integer", holds: (x) => Number.isInteger(x) && x >= 0 },
  /** A factor that makes smaller. */
  SHRINKING: { requirement: "above 0 and at most 1", holds: (x) => x > 0 && x <= 1 },
  /** A mixing ratio. */
  FRACTION: { requirement: "from 0 to 1", holds: (x) => x >= 0 && x <= 1 },
  /** A factor that makes larger. */
  GROWING: { requirement: "1 or more, and finite", holds: (x) => x >= 1 && x < Infinity },
  /** Time of a step of molecular dynamics. Beyond a hundred fs no bond and no collision is left. */
  STEP: { requirement: "above 0 and at most 100 fs", holds: (x) => x > 0 && x <= 100 },
  /** A pressure, which may also pull. Beyond a terapascal and a half it was meant in another unit. */
  PRESSURE: {
    requirement: "from -10 to 10 eV/Å³, as 100 * BAR is",
    holds: (x) => Math.abs(x) <= 10,
  },
  /** Seed of random numbers. */
  SEED: {
    requirement: "a whole number from 0 to 2^53 - 1",
    holds: (x) => Number.isSafeInteger(x) && x >= 0,
  },
};

/** An option of an integrator. */
export interface Parameter {
  /** Condition on its number, or on each of its numbers. If it is missing, the value is checked elsewhere. */
  readonly rule?: NumberRule;
  /** Default value, which may depend on `dt`. If it is missing, the option is required. */
  readonly initial?: unknown;
}

/** The options of an integrator, in the order in which they are checked. */
export type ParameterTable<O> = Readonly<Record<keyof O & string, Parameter>>;

/**
 * Returns the options of an integrator with their defaults.
 *
 * @throws {TypeError} if `options` is not an object, has an option that neither integrator nor engine knows, or one of
 * the wrong kind
 * @throws {RangeError} if a number does not meet its rule
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

/** The requirement on fields that give parameters. */
const RULES = new WeakMap<object, NumberRule>();

/**
 * Throws a TypeError or RangeError that names engine, parameter and system.
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
    const requirement = `${name} must be a number, or one for each system`;
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
      `Cannot ${action}: ${name}${of} must be ${requirement}; got ${String(one)}`,
    );
  }
}

/** Returns whether a parameter comes from a field, so that its values are known only with a batch. */
export function isFromField(value: unknown): value is FromField {
  return isObject(value) && typeof value.field === "string";
}

function numbersOf(value: unknown): unknown[] | undefined {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  return isList ? Array.from(value as unknown as ArrayLike<unknown>) : undefined;
}

/**
 * Returns a parameter as one number for each system of a batch, or for a number of systems. Throws a RangeError for a
 * list of another length, and for a field with an invalid value; a TypeError if the field does not exist, and for a
 * list if systems are admitted and graduate during the run.
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
    `Cannot run ${engine}: ${name} must be one number, or one for each of ${systems} systems; got ${value.length}`,
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

/** Returns the initial values of a state that begins with a parameter: a single number if the parameter is one. */
export function initialOf(
  engine: string,
  name: string,
  value: PerSystem,
  batch: Batch,
): number | Float64Array {
  return typeof value === "number" ? value : perSystem(engine, name, value, batch);
}

/**
 * Returns a parameter as a buffer of one number for each system.
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

/** Returns parameters as rows, one for each system, for kernels with many parameters. */
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

/** Returns a parameter times a number. */
export function times(value: PerSystem, factor: number): PerSystem {
  if (typeof value === "number") return value * factor;
  if (!isFromField(value)) return Array.from(value, (one) => one * factor);
  const product: FromField = { ...value, factor: factor * (value.factor ?? 1) };
  const rule = RULES.get(value);
  if (rule !== undefined) RULES.set(product, rule);
  return product;
}
