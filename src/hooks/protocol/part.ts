/**
 * A part of an engine's systems, with its own hooks.
 *
 * @module
 */

import type { Workflow } from "./context.ts";
import type { FieldValues } from "../run/reads.ts";

/**
 * A part of an engine, such as the systems in one of its stages. Its hooks see only the systems in the part. The
 * values of these systems are the part's share; the systems may differ from step to step. "The whole" is the engine
 * with all systems.
 */
export interface Part {
  /** Name of the part. The paths of its hooks begin with this name. */
  readonly name: string;
  /** The engine that the hooks of the part find as `ctx.workflow`. */
  readonly workflow: Workflow;
  /**
   * The fields that determine which systems belong to the part. If the state is on a device, they are fetched
   * together with the fields of the hooks.
   */
  readonly keys: readonly string[];
  /** Returns whether, at a stage, the hooks of the part are called before the hooks of the whole. */
  isFirst(stage: string): boolean;
  /** Descriptors of the context fields that differ from those of the whole. */
  readonly context: PropertyDescriptorMap;
  /**
   * Returns whether a system belongs to the part at a stage and, at an event, is concerned by it; `true` if this is
   * known only after a fetch.
   */
  isPresent(stage: string, ctx: object): boolean;
  /** Returns the share of a field in host memory. The systems are those found by the last call of `isPresent`. */
  read(field: string, value: unknown): unknown;
  /** Returns the share of a field, to be changed in place. `giveBack` copies the changes to the whole. */
  lend(field: string, value: unknown): unknown;
  /** Copies the changes made to the shares from `lend` back to the whole. */
  giveBack(): void;
  /**
   * Returns the share of values that were fetched for the whole; `undefined` if no system belongs to the part, or if
   * the event at this stage concerns none of its systems.
   */
  share(values: FieldValues, stage: string, ctx: object): Share | undefined;
}

/** The values of a part's systems, taken from values fetched for the whole. */
export interface Share {
  /** The values of the part's systems by field. */
  readonly values: FieldValues;
  /** The context fields of the part for these values. */
  readonly context: object;
  /** Returns the given fields of the whole, with the changes that were made to the share. */
  whole(fields: Iterable<string>): FieldValues;
}
