import { systemName } from "../../batch/store.ts";
import {
  type DynamicsContext,
  type DynamicsFieldName,
  DynamicsStage,
} from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import type { CustomField } from "../../hooks/protocol/context.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { checkOptions, checkType, timesOf } from "../any/hook_options.ts";

/** Options of {@linkcode NaNDetectorHook}. */
export interface NaNDetectorHookOptions {
  /**
   * Number of steps between two checks.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Fields to check besides forces and energy.
   *
   * @default []
   */
  readonly extraKeys?: readonly (DynamicsFieldName | CustomField<string, unknown>)[];
}

/** Values of one field that are not finite. */
export interface NotFinite {
  /** Name of the field. */
  readonly field: string;
  /** Number of values that are NaN or infinite. */
  readonly count: number;
  /** Slots of the systems that have such values. */
  readonly systems: readonly number[];
  /**
   * Index, within the first of these systems, of the first atom with such a value; `undefined` for a field with one
   * row per system.
   */
  readonly atom: number | undefined;
}

/**
 * Error for forces, energies or other fields that are NaN or infinite.
 *
 * @example
 * ```ts
 * import { NotFiniteFieldError } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const forces = { field: "forces", count: 2, systems: [1], atom: 0 };
 * const error = new NotFiniteFieldError("NVE", 7, [forces]);
 * assertEquals([error.step, error.systems], [7, [1]]);
 * ```
 */
export class NotFiniteFieldError extends Error {
  /** Name of the class. */
  override readonly name = "NotFiniteFieldError";
  /** Step in which the values were found. */
  readonly step: number;
  /** Slots of all systems that have such values. */
  readonly systems: readonly number[];
  /** Details of each field that has such values. */
  readonly fields: readonly NotFinite[];

  /** Creates the error with a message that names fields, counts and systems. */
  constructor(
    engine: string,
    step: number,
    fields: readonly NotFinite[],
    nameOf: (system: number) => string = String,
  ) {
    super(
      `${engine} cannot go on: values are not finite in step ${step}: ${
        fields.map((field) => describe(field, nameOf)).join("; ")
      }`,
    );
    this.step = step;
    this.fields = fields;
    this.systems = [...new Set(fields.flatMap(({ systems }) => systems))].toSorted((a, b) => a - b);
  }
}

const NAME = "NaNDetectorHook";
// Largest number of systems that the message lists.
const SHOWN = 8;

/**
 * Stops a run with a {@linkcode NotFiniteFieldError} if forces, energies or other fields are NaN or infinite, before they
 * move atoms. Fields are checked after each evaluation of the model, and once before the first step of a run. Hooks
 * that modify forces at that stage, such as `MaxForceClampHook`, run before the check.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { NaNDetectorHook, NotFiniteFieldError } from "@hooke/hooke/observe";
 * import { assertRejects } from "@std/assert";
 *
 * const broken = potential(({ positions, forces }) => {
 *   forces[0] = Math.log(1 - positions[0]!); // beyond x = 1 that is no number
 *   return 0;
 * });
 * await using md = new NVE({ model: broken, dt: 1, hooks: [new NaNDetectorHook()] });
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [2, 0, 0] }]);
 * await assertRejects(() => md.run(batch, 10), NotFiniteFieldError, "forces: 1 number of system 0");
 * ```
 */
export class NaNDetectorHook {
  /** Stages of the hook: after the model was evaluated, and before a step. */
  readonly stages: readonly (
    | typeof DynamicsStage.BEFORE_STEP
    | typeof DynamicsStage.AFTER_COMPUTE
  )[] = [DynamicsStage.BEFORE_STEP, DynamicsStage.AFTER_COMPUTE];
  /** Number of steps between two checks. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly (DynamicsFieldName | CustomField<string, unknown>)[];
  /** Ends the run on an error, because no valid step can follow. */
  readonly onError = "throw";
  #isFirst = true;

  /** Creates the hook. */
  constructor(options: NaNDetectorHookOptions = {}) {
    checkOptions(NAME, options, ["frequency", "extraKeys"]);
    const areFields = (x: unknown) => Array.isArray(x) && x.every((key) => fieldName(key));
    checkType(NAME, options, "extraKeys", "an array of field names", areFields);
    const { frequency = 1, extraKeys = [] } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.reads = [...new Set(["forces" as const, "energy" as const, ...extraKeys])];
  }

  /** Enables the check before the first step again. Called by the engine when a run begins. */
  open(): void {
    this.#isFirst = true;
  }

  /** Checks the fields. Throws a NotFiniteFieldError if a value is NaN or infinite. Called by the engine. */
  call(ctx: DynamicsContext, stage: DynamicsStage): void {
    // A step begins with the values that the last one ended with, so BEFORE_STEP matters only for the first step.
    if (stage === DynamicsStage.BEFORE_STEP && !this.#isFirst) return;
    this.#isFirst = false;
    const found = this.reads.flatMap((key) => {
      const field = fieldName(key)!;
      const values = (ctx.read as Readonly<Record<string, ArrayLike<number>>>)[field]!;
      return isFinite(values) ? [] : [inspect(field, values, ctx.batch)];
    });
    if (found.length === 0) return;
    const { workflow, stepCount, batch: { infos } } = ctx;
    throw new NotFiniteFieldError(workflow.name, stepCount, found, (one) => systemName(infos, one));
  }
}

/**
 * Returns whether all values are finite. 0 · x is 0 for finite x and NaN otherwise, so one sum without branches
 * decides.
 */
function isFinite(values: ArrayLike<number>): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += 0 * values[i]!;
  return sum === 0;
}

function inspect(field: string, values: ArrayLike<number>, batch: Batch): NotFinite {
  const { size, nodeCount, nodeOffsets, systemOfNode } = batch;
  const level = batch.fields().find(({ name }) => name === field)?.level ?? "system";
  const width = values.length / (level === "node" ? nodeCount : size);
  const rows = Array.from(values).flatMap((value, i) =>
    Number.isFinite(value) ? [] : [Math.floor(i / width)]
  );
  const systems = level === "node" ? rows.map((atom) => systemOfNode[atom]!) : rows;
  return {
    field,
    count: rows.length,
    systems: [...new Set(systems)],
    atom: level === "node" ? rows[0]! - nodeOffsets[systems[0]!]! : undefined,
  };
}

function describe(
  { field, count, systems, atom }: NotFinite,
  nameOf: (system: number) => string,
): string {
  const places = systems.slice(0, SHOWN).map(nameOf).join(", ") +
    (systems.length > SHOWN ? `, … ${systems.length} in all` : "");
  const of = `${systems.length === 1 ? "system" : "systems"} ${places}`;
  const first = atom === undefined ? "" : ` (atom ${atom} of system ${nameOf(systems[0]!)} first)`;
  return `${field}: ${count} number${count === 1 ? "" : "s"} of ${of}${first}`;
}
