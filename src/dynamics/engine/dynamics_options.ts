/**
 * Options of the engines for atoms.
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

/** Initial hooks of an engine, in any form that an engine accepts. */
export type FirstHooks = readonly HookInput<DynamicsKind>[];

/** Type that checks the initial hooks `H` of an engine. */
export type FirstHooksOf<H> = AllChecked<DynamicsKind, H>;

/** Options of every engine for atoms. */
export interface DynamicsOptions<
  H extends FirstHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> {
  /** The model, which computes the forces. */
  readonly model: Model;
  /**
   * Initial hooks. `engine.hooks.add` adds more, with options.
   *
   * @default undefined
   */
  readonly hooks?: [H] extends [never] ? FirstHooks : InitialHooks<DynamicsKind, H, N, W>;
  /**
   * Number of steps of a run, if `run` is called without a number.
   *
   * @default undefined: `run` must be called with a number
   */
  readonly nSteps?: number;
  /**
   * Constraints, such as `fixAtoms` and `fixBonds`. They work with every integrator.
   *
   * @default undefined
   */
  readonly constraints?: readonly Constraint[];
  /**
   * True to apply the constraints of systems from files: atoms and coordinates with 0 in the field `move_mask`, to
   * which readers convert ASE's `FixAtoms` and `FixCartesian`. The engine warns of other constraints in
   * `info.constraints`. False to ignore all of these without a warning.
   *
   * @default true
   */
  readonly fileConstraints?: boolean;
  /**
   * Device on which the engine runs: `"wasm"` (SIMD in float32), `"reference"` (plain TypeScript in float64),
   * `"webgpu"` (a GPU in float32), or `"auto"` (WebGPU on a real adapter, otherwise wasm). The first run opens a GPU,
   * and `close` closes it.
   *
   * @default "wasm"
   */
  readonly device?: DeviceName | DeviceRequest;
  /**
   * Number of threads on `"wasm"`. The systems of a batch are divided among the threads, each in its own worker. If
   * there are fewer systems than threads, the threads share the work on systems of more than 4,096 atoms. More threads
   * than processors do not help. Results are bitwise identical. The workers keep the process alive until the engine is
   * closed.
   *
   * @default 1, the thread of the caller
   */
  readonly threads?: number;
  /**
   * An open backend to use instead of opening a `device`. The engine does not close it.
   *
   * @default the backend of `device`
   */
  readonly backend?: Backend;
  /**
   * Custom fields of the batch that hooks may read and write.
   *
   * @default undefined
   */
  readonly fields?: readonly (string | CustomField<string, unknown>)[];
  /**
   * Name of the engine in listings, logs and checkpoints.
   *
   * @default the name of the integrator
   */
  readonly name?: string;
  /** Signal that stops a run after the current step. The run then does not wait indefinitely for hooks. */
  readonly signal?: AbortSignal;
  /**
   * Receives every error that does not end the run.
   *
   * @default prints the first error of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /**
   * True to end a run that is not physical with an `UnstableError`: a system is far too hot, atoms move too far in a
   * step, the energy drifts, or `dt` is out of range.
   *
   * @default false: the run goes on, with a warning
   */
  readonly strict?: boolean;
  /**
   * True to check that observers do not change the fields that they read. The check is slow, so use it in tests.
   *
   * @default false
   */
  readonly verify?: boolean;
}
