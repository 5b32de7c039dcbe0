/**
 * What both parts of the demo share: how they are run, and how they went.
 *
 * @module
 */

import type { DeviceName } from "../backend/devices.ts";
import type { DynamicsKind } from "../dynamics/engine/dynamics_options.ts";
import type { DeviceInUse } from "../dynamics/engine/engine_device.ts";
import type { HookSet } from "../hooks/registry/hook_set.ts";

/** How to run a part of the demo. */
export interface PartOptions {
  /** The device to run on. */
  readonly device: DeviceName;
  /** Interrupts the run. */
  readonly signal?: AbortSignal;
  /** Adds hooks before the run begins. */
  watch?(hooks: HookSet<DynamicsKind>): void;
}

/** How a part of the demo went. */
export interface PartResult {
  /** The time that it took. */
  readonly seconds: number;
  /** Whether it was interrupted. */
  readonly isInterrupted: boolean;
  /** Steps done. */
  readonly stepCount: number;
  /** The device that it ran on, and why. */
  readonly device: DeviceInUse;
}
