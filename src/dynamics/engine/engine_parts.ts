/**
 * What engines know of each other, when some are run as the stages of another.
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

/** An engine that runs others, as they see it. */
export interface WholeEngine extends Workflow {
  /** Where it runs. */
  readonly backend: Backend;
  /** The device that was picked. */
  readonly device: DeviceInUse | undefined;
  /** All that it needs to go on. */
  save(): Promise<SavedDynamics>;
  /** The same, as bytes. */
  takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Does something between two steps. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Asks to stop. */
  stop(reason: string): void;
}

/** The inside of an engine. */
export interface EngineParts {
  /** As it was made. */
  readonly options: DynamicsOptions;
  /** Its hooks. */
  readonly hooks: EngineHooks<DynamicsKind>;
  /** The engines it was fused from. */
  engines: readonly object[];
  /** What it is of another engine, where it is a part of one. */
  part: StagePart | undefined;
  /** What its hooks find in their context besides what all do. */
  contextOf(batch: Batch): object;
  /** The batch it has; throws an Error where it has none. */
  current(): BatchRun;
  /** Throws an Error where it is running, or is run by another. */
  assertFree(): void;
  /** From now on it is run by another. */
  join(whole: WholeEngine): void;
}

const PARTS = new WeakMap<object, EngineParts>();

/** Notes the inside of an engine. */
export function keepParts(engine: object, parts: EngineParts): void {
  PARTS.set(engine, parts);
}

/** The inside of an engine; `undefined` for what is none. */
export function partsOf(engine: unknown): EngineParts | undefined {
  return PARTS.get(engine as object);
}
