/**
 * The options of engines for atoms.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { DeviceName } from "../../backend/devices.ts";
import type { CustomField } from "../../hooks/protocol/context.ts";
import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import type { AllChecked, HookInput, InitialHooks, Names } from "../../hooks/registry/hook_set.ts";
import type { Model } from "../../models/model.ts";
import type { Constraint } from "../constraints/constraint.ts";
import type { DeviceRequest } from "./engine_device.ts";
import type { DynamicsStage } from "../stages.ts";

/** The kind of stages that dynamics engines have. */
export type DynamicsKind = typeof DynamicsStage;

/** The hooks an engine begins with, of any form. */
export type FirstHooks = readonly HookInput<DynamicsKind>[];

/** The type that the initial hooks `H` of an engine must have. */
export type FirstHooksOf<H> = AllChecked<DynamicsKind, H>;

/** Options of every engine for atoms. */
export interface DynamicsOptions<
  H extends FirstHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> {
  /** Computes the forces. */
  readonly model: Model;
  /**
   * Hooks to begin with; `engine.hooks.add` takes more, with options.
   *
   * @default undefined
   */
  readonly hooks?: [H] extends [never] ? FirstHooks : InitialHooks<DynamicsKind, H, N, W>;
  /**
   * Number of steps of `run` if it is called without one.
   *
   * @default undefined: `run` needs a number
   */
  readonly nSteps?: number;
  /**
   * Constraints, which work with every integrator: `fixAtoms`, `fixBonds`, …
   *
   * @default undefined
   */
  readonly constraints?: readonly Constraint[];
  /**
   * True to apply the constraints of systems from files: atoms and coordinates with a 0 in the field `move_mask`,
   * which readers make of ASE's `FixAtoms` and `FixCartesian`. Warns of other constraints in their `info`. With
   * `false` all of these are ignored.
   *
   * @default true
   */
  readonly fileConstraints?: boolean;
  /**
   * The device it runs on: `"wasm"` is SIMD in float32, `"reference"` plain TypeScript in float64, `"webgpu"` a GPU in float32;
   * `"auto"` is WebGPU on a real adapter, else wasm. A GPU is opened by the first run, and closed with the engine.
   *
   * @default "wasm"
   */
  readonly device?: DeviceName | DeviceRequest;
  /**
   * Number of threads over which the systems of a batch are divided on `"wasm"`, each thread in its own worker. More
   * threads than systems or processors are useless. Results are bitwise identical. Workers live until the engine is
   * closed, and keep a process alive.
   *
   * @default 1: the thread of the caller
   */
  readonly threads?: number;
  /**
   * A backend that is open, to run there; instead of `device`. It stays open.
   *
   * @default the backend of `device`
   */
  readonly backend?: Backend;
  /**
   * Fields of the user's own, in the batch, that hooks may read and write.
   *
   * @default undefined
   */
  readonly fields?: readonly (string | CustomField<string, unknown>)[];
  /**
   * Name in listings, logs and checkpoints.
   *
   * @default the name of its integrator
   */
  readonly name?: string;
  /** Stops it after the current step; hooks that do not answer are not waited for without end. */
  readonly signal?: AbortSignal;
  /**
   * Receives every error that does not stop the run.
   *
   * @default prints the first of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /**
   * True to end a run that is not physical with an `UnstableError`: one that is far too hot, in which atoms move too far in a
   * step, whose energy drifts, or whose `dt` is out of range.
   *
   * @default false: the run goes on, with a warning
   */
  readonly strict?: boolean;
  /**
   * True to check that observers do not change the fields that they read. Slow: for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
}
