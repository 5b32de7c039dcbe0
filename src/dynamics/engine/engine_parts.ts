/**
 * The inside of engines, for an engine that runs others as its stages.
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

/** An engine that runs others, as these see it. */
export interface WholeEngine extends Workflow {
  /** The backend it runs on. */
  readonly backend: Backend;
  /** The device that was picked. */
  readonly device: DeviceInUse | undefined;
  /** Returns its state, for a checkpoint. */
  save(): Promise<SavedDynamics>;
  /** Returns the same as the bytes of a file. */
  takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Runs `work` between two steps. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Asks to stop. */
  stop(reason: string): void;
}

/** The inside of an engine. */
export interface EngineParts {
  /** Options. */
  readonly options: DynamicsOptions;
  /** Hooks. */
  readonly hooks: EngineHooks<DynamicsKind>;
  /** The engines that it was fused from. */
  engines: readonly object[];
  /** Part of another engine, if it is a stage of one. */
  part: StagePart | undefined;
  /** Returns the context fields of its hooks for a batch. */
  contextOf(batch: Batch): object;
  /** Returns its batch. Throws an Error before the first run. */
  current(): BatchRun;
  /** Throws an Error if it is running, or is run by another engine. */
  assertFree(): void;
  /** Makes it a stage of another engine, which runs it from now on. */
  join(whole: WholeEngine): void;
}

const PARTS = new WeakMap<object, EngineParts>();

/** Keeps the inside of an engine. */
export function keepParts(engine: object, parts: EngineParts): void {
  PARTS.set(engine, parts);
}

/** Returns the inside of an engine; `undefined` for other values. */
export function partsOf(engine: unknown): EngineParts | undefined {
  return PARTS.get(engine as object);
}
