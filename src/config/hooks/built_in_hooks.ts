/**
 * The built-in hooks by name.
 *
 * @module
 */

import { AccumulateGradients } from "../../observe/training/accumulate_gradients.ts";
import { ActivationStats } from "../../observe/training/activation_stats.ts";
import { Checkpoint, type CheckpointOptions } from "../../observe/checkpoints/checkpoint.ts";
import { CheckpointUpload } from "../../observe/checkpoints/checkpoint_upload.ts";
import { ClipGradients } from "../../observe/training/clip_gradients.ts";
import { ConsoleLog } from "../../observe/training/console_log.ts";
import { EarlyStopping } from "../../observe/training/early_stopping.ts";
import { Ema } from "../../observe/training/ema.ts";
import { GradientMonitor } from "../../observe/training/gradient_monitor.ts";
import { Heartbeat } from "../../observe/any/heartbeat.ts";
import { JsonLog } from "../../observe/training/json_log.ts";
import { LrMonitor } from "../../observe/training/lr_monitor.ts";
import { ModelCheckpoint } from "../../observe/checkpoints/model_checkpoint.ts";
import { NanGuard } from "../../observe/training/nan_guard.ts";
import { Validation } from "../../observe/training/validation.ts";
import { Webhook } from "../../observe/any/webhook.ts";
import type {
  AccumulateGradientsOptions,
  ActivationStatsOptions,
  CheckpointUploadOptions,
  ClipGradientsOptions,
  ConsoleLogOptions,
  EarlyStoppingOptions,
  EmaOptions,
  GradientMonitorOptions,
  HeartbeatOptions,
  JsonLogOptions,
  LrMonitorOptions,
  ModelCheckpointOptions,
  NanGuardOptions,
  ValidationOptions,
  WebhookOptions,
} from "../../observe/mod.ts";
import { BUILT_IN_SCHEMAS, type BuiltInHookName } from "./built_in_schemas.ts";
import type { HookSchema } from "./hook_schema.ts";
import { IdentityUpdate } from "../runs/identity_update.ts";

/** Creates a hook from checked options. */
type Make = (options: never) => object;

/** Default folders of the hooks that write files, used if a configuration omits the folder. */
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

/** Schema and factory of each built-in hook, by the hook's name. */
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
