import { type DynamicsContext, type DynamicsFields, DynamicsStage } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import type { Field } from "../../hooks/protocol/context.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { checkOptions, checkType, timesOf } from "../any/hook_options.ts";

/** What a {@linkcode NaNDetectorHook} can be told. */
export interface NaNDetectorHookOptions {
  /**
   * Looks at every so many steps.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Fields to look at besides forces and energy.
   *
   * @default none
   */
  readonly extraKeys?: readonly (keyof DynamicsFields | Field<string, unknown>)[];
}

/** What is wrong with one field. */
export interface NotFinite {
  /** The field. */
  readonly field: string;
  /** How many of its numbers are NaN or infinite. */
  readonly count: number;
  /** The places of the systems they belong to. */
  readonly systems: readonly number[];
  /** The first atom, counted within the first of these systems; of a field with one row per system there is none. */
  readonly atom: number | undefined;
}

/** Forces, energies or other fields have NaN or infinite values: no step can follow. */
export class NonFiniteError extends Error {
  /** What errors of this kind are called. */
  override readonly name = "NonFiniteError";
  /** The step in which they were found. */
  readonly step: number;
  /** The places of all systems that are concerned. */
  readonly systems: readonly number[];
  /** Field by field. */
  readonly fields: readonly NotFinite[];

  /** Says which fields, how many numbers, and where. */
  constructor(engine: string, step: number, fields: readonly NotFinite[]) {
    super(
      `Cannot go on with ${engine}: what it goes by must be finite: in step ${step} ${
        fields.map(describe).join("; ")
      }`,
    );
    this.step = step;
    this.fields = fields;
    this.systems = [...new Set(fields.flatMap(({ systems }) => systems))].toSorted((a, b) => a - b);
  }
}

const NAME = "NaNDetectorHook";
// More places than that are not read in a message.
const SHOWN = 8;

/**
 * Stops a run with a {@linkcode NonFiniteError} as soon as forces, energies or other fields are NaN or infinite, before
 * atoms are moved by them: after each evaluation of the model, and once before the first step of a run. What modifies
 * forces there, such as a `MaxForceClampHook`, has done so before.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { NaNDetectorHook, NonFiniteError } from "@hooke/hooke/observe";
 * import { assertRejects } from "@std/assert";
 *
 * const broken = potential(({ positions, forces }) => {
 *   forces[0] = Math.log(1 - positions[0]!); // beyond x = 1 that is no number
 *   return 0;
 * });
 * await using md = new NVE({ model: broken, dt: 1, hooks: [new NaNDetectorHook()] });
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [2, 0, 0] }]);
 * await assertRejects(() => md.run(batch, 10), NonFiniteError, "forces: 1 number of system 0");
 * ```
 */
export class NaNDetectorHook {
  /** After the model, and before a step. */
  readonly stages: readonly (
    | typeof DynamicsStage.BEFORE_STEP
    | typeof DynamicsStage.AFTER_COMPUTE
  )[] = [DynamicsStage.BEFORE_STEP, DynamicsStage.AFTER_COMPUTE];
  /** At every so many steps. */
  readonly frequency: number;
  /** What it looks at. */
  readonly reads: readonly (keyof DynamicsFields | Field<string, unknown>)[];
  /** No step can follow. */
  readonly onError = "throw";
  #isFirst = true;

  /** Makes a detector. */
  constructor(options: NaNDetectorHookOptions = {}) {
    checkOptions(NAME, options, ["frequency", "extraKeys"]);
    const areFields = (x: unknown) => Array.isArray(x) && x.every((key) => fieldName(key));
    checkType(NAME, options, "extraKeys", "an array of field names", areFields);
    const { frequency = 1, extraKeys = [] } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.reads = [...new Set(["forces" as const, "energy" as const, ...extraKeys])];
  }

  /** A run begins. Called by the engine. */
  open(): void {
    this.#isFirst = true;
  }

  /** Looks at the fields. Called by the engine. */
  call(ctx: DynamicsContext, stage: DynamicsStage): void {
    // What a step ends with is what the next begins with, so later ones need not be looked at.
    if (stage === DynamicsStage.BEFORE_STEP && !this.#isFirst) return;
    this.#isFirst = false;
    const found = this.reads.flatMap((key) => {
      const field = fieldName(key)!;
      const values = (ctx.read as Readonly<Record<string, ArrayLike<number>>>)[field]!;
      return isFinite(values) ? [] : [lookAt(field, values, ctx.batch)];
    });
    if (found.length > 0) throw new NonFiniteError(ctx.workflow.name, ctx.stepCount, found);
  }
}

/** Are all numbers finite? 0 x is 0 for those that are, and NaN for all others. */
function isFinite(values: ArrayLike<number>): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += 0 * values[i]!;
  return sum === 0;
}

function lookAt(field: string, values: ArrayLike<number>, batch: Batch): NotFinite {
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

function describe({ field, count, systems, atom }: NotFinite): string {
  const places = systems.slice(0, SHOWN).join(", ") +
    (systems.length > SHOWN ? `, … ${systems.length} in all` : "");
  const of = `${systems.length === 1 ? "system" : "systems"} ${places}`;
  const first = atom === undefined ? "" : ` (atom ${atom} of system ${systems[0]} first)`;
  return `${field}: ${count} number${count === 1 ? "" : "s"} of ${of}${first}`;
}
