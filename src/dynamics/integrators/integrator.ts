/**
 * What makes atoms move: the parts of a step around the forces.
 *
 * @module
 */

import type { Buffer, Call } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import { isChanging } from "../../batch/changing.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { checkOptions as checkKnown } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import type { OpenStages } from "../stages/open_stages.ts";
import { ENGINE_OPTIONS } from "../engine/dynamics_checks.ts";

/** A number of each system that it brings along: it goes with it wherever systems join and leave a batch. */
export interface FromField {
  /** The field of the batch, one number per system, in the units of the parameter. */
  readonly field: string;
  /** What its values are multiplied by. @default 1 */
  readonly factor?: number;
}

/** A number for all systems of a batch, or one for each: by place, or by a field of theirs. */
export type PerSystem = number | ArrayLike<number> | FromField;

/** A scheme: how atoms move by forces. An engine asks it once for each batch. */
export interface Integrator {
  /** What it is called, in listings, logs and checkpoints. */
  readonly name: string;
  /**
   * The names of its own options, so that an engine knows a misspelt one.
   *
   * @default none
   */
  readonly parameters?: readonly string[];
  /**
   * The time of a step, fs.
   *
   * @default none: its steps take no time
   */
  readonly dt?: PerSystem;
  /**
   * Whether it leaves the total momentum as it is, so that a center of mass at rest has no temperature.
   *
   * @default false
   */
  readonly keepsMomentum?: boolean;
  /**
   * Whether its kernels look at the virials of the forces: they are then there whenever the forces are.
   *
   * @default false
   */
  readonly needsStress?: boolean;
  /**
   * Whether its kernels look at energies: they are then there whenever the forces are.
   *
   * @default false
   */
  readonly needsEnergy?: boolean;
  /**
   * Where it is one of several stages: those of each system by its `status`, in this order.
   *
   * @default none: it is the same for all systems
   */
  readonly stages?: readonly Integrator[];
  /** Its kernels on a batch. Throws a RangeError for a parameter that does not fit the batch. */
  open(state: ResidentBatch): OpenIntegrator;
}

/** A scheme on a batch. */
export interface OpenIntegrator {
  /** Before the forces: what gives new positions. */
  readonly pre: readonly Call[];
  /** After the forces. */
  readonly post: readonly Call[];
  /** What keeps systems in their stages, where it has some. */
  readonly stages?: OpenStages;
}

/** What a parameter must be. */
export interface ParameterRule {
  /** In words. */
  readonly requirement: string;
  /** In code. */
  readonly holds: (value: number) => boolean;
}

/** The rules that parameters have in common. */
export const Rule: Readonly<
  Record<
    | ("POSITIVE" | "NOT_NEGATIVE" | "COUNT" | "SHRINKING" | "FRACTION" | "GROWING")
    | ("STEP" | "PRESSURE" | "SEED"),
    ParameterRule
  >
> = {
  /** Above 0. */
  POSITIVE: { requirement: "be above 0 and finite", holds: (x) => x > 0 && x < Infinity },
  /** From 0 on. */
  NOT_NEGATIVE: { requirement: "be 0 or more, and finite", holds: (x) => x >= 0 && x < Infinity },
  /** A count. */
  COUNT: {
    requirement: "be a whole number from 0 on",
    holds: (x) => Number.isInteger(x) && x >= 0,
  },
  /** A factor that makes smaller. */
  SHRINKING: { requirement: "be above 0 and at most 1", holds: (x) => x > 0 && x <= 1 },
  /** A mixing ratio. */
  FRACTION: { requirement: "be from 0 to 1", holds: (x) => x >= 0 && x <= 1 },
  /** A factor that makes larger. */
  GROWING: { requirement: "be 1 or more, and finite", holds: (x) => x >= 1 && x < Infinity },
  /** The time of a step of molecular dynamics. Beyond a hundred fs no bond and no collision is left. */
  STEP: { requirement: "be above 0 and at most 100 fs", holds: (x) => x > 0 && x <= 100 },
  /** A pressure, which may pull, too. Beyond a terapascal and a half it was meant in another unit. */
  PRESSURE: {
    requirement: "be from -10 to 10 eV/Å³, as 100 * BAR is",
    holds: (x) => Math.abs(x) <= 10,
  },
  /** Of random numbers. */
  SEED: {
    requirement: "be a whole number from 0 to 2^53 - 1",
    holds: (x) => Number.isSafeInteger(x) && x >= 0,
  },
};

/** Throws a TypeError for options that are none, and for one that neither the scheme nor an engine has. */
export function checkOptions(
  engine: string,
  options: unknown,
  parameters: readonly string[],
): void {
  checkKnown(`make ${engine}`, options, [...parameters, ...ENGINE_OPTIONS]);
}

/** What fields that give parameters must be. */
const RULES = new WeakMap<object, ParameterRule>();

/** Throws a TypeError or RangeError that names engine, parameter and system. */
export function checkParameter(
  engine: string,
  name: string,
  value: unknown,
  rule: ParameterRule,
): asserts value is PerSystem {
  if (isFromField(value)) {
    RULES.set(value, rule);
    return;
  }
  const list = typeof value === "number" ? [value] : numbersOf(value);
  if (list === undefined) {
    throw new TypeError(
      `Cannot make ${engine} as ${name} must be a number, or one for each system: current value is ${
        show(value)
      }`,
    );
  }
  assertRule(`make ${engine}`, name, list, rule, typeof value === "number");
}

function assertRule(
  action: string,
  name: string,
  list: readonly unknown[],
  { requirement, holds }: ParameterRule,
  isOne: boolean,
): void {
  for (const [system, one] of list.entries()) {
    if (typeof one === "number" && holds(one)) continue;
    const of = isOne ? "" : ` of system ${system}`;
    throw new RangeError(
      `Cannot ${action} as ${name}${of} must ${requirement}: current value is ${String(one)}`,
    );
  }
}

/** Does a parameter come from a field? Its values are known with a batch, then. */
export function isFromField(value: unknown): value is FromField {
  return isObject(value) && typeof value.field === "string";
}

function numbersOf(value: unknown): unknown[] | undefined {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  return isList ? Array.from(value as unknown as ArrayLike<unknown>) : undefined;
}

/**
 * A parameter as one number for each system of a batch, or of so many. Throws a RangeError where there are fewer or more
 * than systems, and for a field with a value that cannot be; a TypeError where a field is not there, and for a list by
 * place where systems come and go.
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
      `Cannot run ${engine} as ${name} must be one number, or { field } with one for each system, where systems come ` +
        `and go: current value is a list of ${value.length} by place`,
    );
  }
  if (value.length === systems) return Float64Array.from(value);
  throw new RangeError(
    `Cannot run ${engine} as ${name} must be one number, or one for each of ${systems} systems: current length is ${value.length}`,
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
      `Cannot run ${engine} as ${name} must come from a field of the batch with one number per system: ` +
        `current field is ${JSON.stringify(field)}`,
    );
  }
  const values = Float64Array.from(of.get(field));
  const rule = RULES.get(value);
  if (rule !== undefined) assertRule(`run ${engine}`, name, [...values], rule, false);
  return values.map((one) => one * factor);
}

/** What a state that begins with a parameter is told: one number where it is one. */
export function initialOf(
  engine: string,
  name: string,
  value: PerSystem,
  batch: Batch,
): number | Float64Array {
  return typeof value === "number" ? value : perSystem(engine, name, value, batch);
}

/** A parameter as a buffer of one number for each system. */
export function parameter(
  state: ResidentBatch,
  engine: string,
  name: string,
  value: PerSystem,
): Buffer<"real"> {
  return state.constants("real", perSystem(engine, name, value, state.batch), "system");
}

/** Parameters as rows, one for each system: what a kernel with many of them takes. */
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

/** A parameter times a number. */
export function times(value: PerSystem, factor: number): PerSystem {
  if (typeof value === "number") return value * factor;
  if (!isFromField(value)) return Array.from(value, (one) => one * factor);
  const product: FromField = { ...value, factor: factor * (value.factor ?? 1) };
  const rule = RULES.get(value);
  if (rule !== undefined) RULES.set(product, rule);
  return product;
}
