/**
 * The hooks that come with this package, by name.
 *
 * @module
 */

import {
  AccumulateGradients,
  type AccumulateGradientsOptions,
} from "../observe/accumulate_gradients.ts";
import { ActivationStats, type ActivationStatsOptions } from "../observe/activation_stats.ts";
import { Checkpoint, type CheckpointOptions } from "../observe/checkpoint.ts";
import { CheckpointUpload, type CheckpointUploadOptions } from "../observe/checkpoint_upload.ts";
import { ClipGradients, type ClipGradientsOptions } from "../observe/clip_gradients.ts";
import { ConsoleLog, type ConsoleLogOptions } from "../observe/console_log.ts";
import { EarlyStopping, type EarlyStoppingOptions } from "../observe/early_stopping.ts";
import { Ema, type EmaOptions } from "../observe/ema.ts";
import { GradientMonitor, type GradientMonitorOptions } from "../observe/gradient_monitor.ts";
import { Heartbeat, type HeartbeatOptions } from "../observe/heartbeat.ts";
import { JsonLog, type JsonLogOptions } from "../observe/json_log.ts";
import { LrMonitor, type LrMonitorOptions } from "../observe/lr_monitor.ts";
import { ModelCheckpoint, type ModelCheckpointOptions } from "../observe/model_checkpoint.ts";
import { NanGuard, type NanGuardOptions } from "../observe/nan_guard.ts";
import { Validation, type ValidationOptions } from "../observe/validation.ts";
import { Webhook, type WebhookOptions } from "../observe/webhook.ts";
import { BUILT_IN_SCHEMAS, type BuiltInHookName } from "./built_in_schemas.ts";
import type { HookSchema } from "./hook_schema.ts";
import { IdentityUpdate } from "./identity_update.ts";

/** Makes a hook of options that were checked. */
type Make = (options: never) => object;

/** Where things go that a configuration has no place for. */
const OUTPUT = { outputDir: "." };
const CHECKPOINTS = { outputDir: "checkpoints" };

const MAKERS: Readonly<Record<BuiltInHookName, Make>> = {
  console_log: (options: ConsoleLogOptions) => new ConsoleLog(options),
  json_log: (options: Partial<JsonLogOptions>) => new JsonLog({ ...OUTPUT, ...options }),
  checkpoint: (options: Partial<CheckpointOptions>) =>
    new Checkpoint({ ...CHECKPOINTS, ...options }),
  logging: (options: ConsoleLogOptions) => new ConsoleLog({ ...options, name: "logging" }),
  gradient_monitor: (options: GradientMonitorOptions) => new GradientMonitor(options),
  model_checkpoint: (options: Partial<ModelCheckpointOptions>) =>
    new ModelCheckpoint({ dir: CHECKPOINTS.outputDir, ...options }),
  early_stopping: (options: EarlyStoppingOptions) => new EarlyStopping(options),
  lr_monitor: (options: LrMonitorOptions) => new LrMonitor(options),
  activation_stats: (options: ActivationStatsOptions) => new ActivationStats(options),
  identity: () => new IdentityUpdate(),
  validation: (options: ValidationOptions) => new Validation(options),
  ema: (options: EmaOptions) => new Ema(options),
  accumulate_gradients: (options: AccumulateGradientsOptions) => new AccumulateGradients(options),
  clip_gradients: (options: ClipGradientsOptions) => new ClipGradients(options),
  nan_guard: (options: NanGuardOptions) => new NanGuard(options),
  webhook: (options: WebhookOptions) => new Webhook(options),
  checkpoint_upload: (options: CheckpointUploadOptions) => new CheckpointUpload(options),
  heartbeat: (options: HeartbeatOptions) => new Heartbeat(options),
};

/** Names → schemas and what makes them. */
export const BUILT_IN_HOOKS: Readonly<
  Record<
    string,
    HookSchema & { readonly make: (options: Readonly<Record<string, unknown>>) => object }
  >
> = Object.fromEntries(
  Object.entries(MAKERS).map(([name, make]) => [
    name,
    { ...BUILT_IN_SCHEMAS[name as BuiltInHookName], make: make as (options: object) => object },
  ]),
);
