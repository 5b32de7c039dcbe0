/**
 * A part of what an engine has: hooks of a part see nothing else.
 *
 * @module
 */

import type { Workflow } from "./context.ts";
import type { FieldValues } from "../run/reads.ts";

/** Some of what an engine has, such as the systems in one of its stages. It may have another share at each step. */
export interface Part {
  /** What it is called; the names of its hooks begin with it. */
  readonly name: string;
  /** What its hooks see as `ctx.workflow`. */
  readonly workflow: Workflow;
  /** The fields that say what is of it: where state must be fetched, they come with what its hooks look at. */
  readonly keys: readonly string[];
  /** Whether its hooks come before those of the whole at a stage. */
  isFirst(stage: string): boolean;
  /** What its hooks find in their context instead of what is there for the whole. */
  readonly context: PropertyDescriptorMap;
  /** Whether there is anything for its hooks at a stage; where that is known only later, `true`. */
  isPresent(stage: string, ctx: object): boolean;
  /** Its share of a field, where state is in host memory; as it was when it was last asked whether there is anything. */
  read(field: string, value: unknown): unknown;
  /** The same to be changed in place, until `giveBack`. */
  lend(field: string, value: unknown): unknown;
  /** Puts what was lent where it belongs. */
  giveBack(): void;
  /** Its share of values that were fetched; nothing, where there is none. */
  share(values: FieldValues, stage: string, ctx: object): Share | undefined;
}

/** The share of a part in values that were fetched. */
export interface Share {
  /** The values of it. */
  readonly values: FieldValues;
  /** What is then in the context. */
  readonly context: object;
  /** The values of the whole, after these have changed. */
  whole(fields: Iterable<string>): FieldValues;
}
