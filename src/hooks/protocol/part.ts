/**
 * A part of an engine's systems. Hooks of a part see nothing else.
 *
 * @module
 */

import type { Workflow } from "./context.ts";
import type { FieldValues } from "../run/reads.ts";

/** A part of an engine, such as the systems in one of its stages. Its share may differ from step to step. */
export interface Part {
  /** Name of the part; the paths of its hooks begin with it. */
  readonly name: string;
  /** The engine that its hooks find as `ctx.workflow`. */
  readonly workflow: Workflow;
  /** The fields that tell which systems belong to it. If state must be fetched, they are fetched with the fields of its hooks. */
  readonly keys: readonly string[];
  /** Returns whether its hooks come before those of the whole at a stage. */
  isFirst(stage: string): boolean;
  /** Context fields of its hooks that differ from those of the whole. */
  readonly context: PropertyDescriptorMap;
  /** Returns whether it has a share at a stage; `true` if that is known only later. */
  isPresent(stage: string, ctx: object): boolean;
  /** Returns its share of a field in host memory, as of the last call of `isPresent`. */
  read(field: string, value: unknown): unknown;
  /** Returns its share of a field to change in place, until `giveBack`. */
  lend(field: string, value: unknown): unknown;
  /** Copies the changes of the part back to the whole. */
  giveBack(): void;
  /** Returns its share of fetched values; `undefined` if it reads no field. */
  share(values: FieldValues, stage: string, ctx: object): Share | undefined;
}

/** The share of a part in fetched values. */
export interface Share {
  /** The values of the share. */
  readonly values: FieldValues;
  /** Context fields that go with them. */
  readonly context: object;
  /** Returns the values of the whole, after those of the share have changed. */
  whole(fields: Iterable<string>): FieldValues;
}
