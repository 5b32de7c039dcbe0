/**
 * The members of the registry that a visit of a stage uses.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import type { FieldValues } from "./reads.ts";

/** The members of the registry that a visit of a stage uses. */
export interface StageHost {
  /** The context of the engine, shared by all hooks. */
  readonly context: object;
  /** Number of steps done. */
  readonly step: number;
  /** Returns the value of a counter. */
  count(counter: string): number;
  /** Names of all fields of the engine's state. */
  readonly fields: readonly string[];
  /**
   * Applies the error policy of a handler: throws the error, or counts and reports it. `count` is the count at which
   * the handler threw, and `previous` the count at which it had fired before.
   */
  failed(
    handler: StageHandler,
    error: unknown,
    step?: number,
    previous?: number,
    count?: number,
  ): void;
  /** Waits for the answer of a handler, for a limited time once the run is aborted. */
  answer<T>(handler: StageHandler, answer: PromiseLike<T>): PromiseLike<T>;
  /** Calls an observer between two fingerprints of its context; `undefined` unless the option `verify` is set. */
  readonly verify: ((handler: StageHandler, call: () => unknown) => unknown) | undefined;
  /**
   * Calls `deliver` with the values once they have arrived, in order of the calls of `defer`; with `undefined` if
   * their step does not count. Returns a promise to await if too many deliveries are in flight.
   */
  defer(
    values: PromiseLike<FieldValues | undefined>,
    deliver: (values: FieldValues | undefined) => unknown,
  ): PromiseLike<void> | undefined;
  /** Promise that settles once everything deferred so far is delivered. */
  readonly soFar: Promise<void>;
  /** True if the run was over at an earlier step, so that deliveries are dropped. */
  readonly isCut: boolean;
  /** True if each firing of every handler must be recorded, so that the engine can go back. */
  readonly isTracked: boolean;
  /**
   * Returns a promise of the context fields that are still pending at a stage; `undefined` if no field is pending.
   * The member is undefined if the engine never has pending fields.
   */
  readonly coming: ((stage: string) => Coming | undefined) | undefined;
}

/** A promise of pending context fields. It resolves to `undefined` if their step does not count after all. */
export type Coming = PromiseLike<object | undefined>;
