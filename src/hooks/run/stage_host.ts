/**
 * The registry, as a visit of a stage sees it.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import type { FieldValues } from "./reads.ts";

/** The registry, as a stage sees it. */
export interface StageHost {
  /** The one context of the engine. */
  readonly context: object;
  /** Number of steps done. */
  readonly step: number;
  /** Returns the value of a counter. */
  count(counter: string): number;
  /** Names of all fields of the engine's state. */
  readonly fields: readonly string[];
  /**
   * Applies the error policy of a handler: throws the error, or counts and reports it. `previous` is the count at which
   * the handler had fired before it threw.
   */
  failed(
    handler: StageHandler,
    error: unknown,
    step?: number,
    previous?: number,
    count?: number,
  ): void;
  /** Waits for the answer of a handler; once the run is aborted not without end. */
  answer<T>(handler: StageHandler, answer: PromiseLike<T>): PromiseLike<T>;
  /** Calls an observer between two fingerprints of its arguments; absent unless verifying. */
  readonly verify: ((handler: StageHandler, call: () => unknown) => unknown) | undefined;
  /** Hands the values to `deliver` once they have arrived, in order; `undefined` if their step does not count. */
  defer(
    values: PromiseLike<FieldValues | undefined>,
    deliver: (values: FieldValues | undefined) => unknown,
  ): PromiseLike<void> | undefined;
  /** Settles once everything deferred so far is delivered. */
  readonly soFar: Promise<void>;
  /** True if the run turned out to be over at an earlier step. */
  readonly isCut: boolean;
  /** True if the last firing of each handler must be recorded. */
  readonly isTracked: boolean;
  /** Returns the fields of the context that are still pending at a stage; absent if its fields are never pending. */
  readonly coming: ((stage: string) => Coming | undefined) | undefined;
}

/** Pending fields of the context; `undefined` if their step turns out not to count. */
export type Coming = PromiseLike<object | undefined>;
