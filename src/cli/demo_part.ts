/**
 * Options and results that both parts of the demo share.
 *
 * @module
 */

import type { DeviceName } from "../backend/devices.ts";
import type { DynamicsKind } from "../dynamics/engine/dynamics_options.ts";
import type { DeviceInUse } from "../dynamics/engine/engine_device.ts";
import type { HookSet } from "../hooks/registry/hook_set.ts";

/** Options of a part of the demo. */
export interface PartOptions {
  /** The device to run on. */
  readonly device: DeviceName;
  /** Interrupts the run. */
  readonly signal?: AbortSignal;
  /** Adds hooks before the run begins. */
  watch?(hooks: HookSet<DynamicsKind>): void;
}

/** The result of a part of the demo. */
export interface PartResult {
  /** The elapsed time, s. */
  readonly seconds: number;
  /** True if it was interrupted. */
  readonly isInterrupted: boolean;
  /** The number of steps. */
  readonly stepCount: number;
  /** The device that it ran on, and why. */
  readonly device: DeviceInUse;
}
