/**
 * Internal parts of engines, for engines that run other engines as their stages.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { EngineHooks } from "../../hooks/registry/engine_hooks.ts";
import type { BatchRun } from "../step/batch_run.ts";
import type { SavedDynamics } from "./checkpoint.ts";
import type { DynamicsKind, DynamicsOptions } from "./dynamics_options.ts";
import type { DeviceInUse } from "./engine_device.ts";
import type { StagePart } from "../stages/stage_part.ts";

/** Interface of a fused engine for the engines that are its stages. */
export interface WholeEngine extends Workflow {
  /** Backend of the fused engine. */
  readonly backend: Backend;
  /** Device in use, or `undefined` before the first run. */
  readonly device: DeviceInUse | undefined;
  /** Returns the state of the fused engine, for a checkpoint. */
  save(): Promise<SavedDynamics>;
  /** Returns the state of the fused engine as the bytes of a file. */
  takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Runs `work` between two steps. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Requests a stop of the run. */
  stop(reason: string): void;
}

/** Internal parts of an engine. */
export interface EngineParts {
  /** Options that the user has passed. */
  readonly options: DynamicsOptions;
  /** Hooks of the engine. */
  readonly hooks: EngineHooks<DynamicsKind>;
  /** Engines that are the stages of this engine; empty if it is not fused. */
  engines: readonly object[];
  /** The systems of this engine's stage in a fused run, for its hooks; `undefined` if the engine is not a stage. */
  part: StagePart | undefined;
  /** Returns the context fields of the engine's hooks for a batch. */
  contextOf(batch: Batch): object;
  /** Returns the batch on the device. Throws an Error before the first run. */
  current(): BatchRun;
  /** Throws an Error if the engine is running or closed, or is a stage of another engine. */
  assertFree(): void;
  /** Makes the engine a stage of `whole`, which runs it from now on. */
  join(whole: WholeEngine): void;
}

const PARTS = new WeakMap<object, EngineParts>();

/** Records the internal parts of an engine. */
export function keepParts(engine: object, parts: EngineParts): void {
  PARTS.set(engine, parts);
}

/** Returns the internal parts of an engine, or `undefined` for any other value. */
export function partsOf(engine: unknown): EngineParts | undefined {
  return PARTS.get(engine as object);
}
