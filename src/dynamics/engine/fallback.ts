/**
 * Snapshots from which a run can continue if its device is lost.
 *
 * @module
 */

import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import type { HookMarks } from "../../hooks/registry/engine_hooks_options.ts";
import type { BatchRun } from "../step/batch_run.ts";
import type { RunEngine } from "../step/run_engine.ts";
import type { SavedRun } from "./checkpoint.ts";
import type { EngineDevice } from "./engine_device.ts";

/** A state from which a run can continue on another backend. */
export interface Snapshot {
  /** Number of steps done at the snapshot. */
  readonly step: number;
  /** State of the run; `undefined` if the batch on the host has this state. */
  readonly saved: SavedRun | undefined;
  /**
   * True if the batch on the host has the values of this step. Later changes of the batch by the user are then used,
   * too.
   */
  readonly isHome: boolean;
  /** Step at which each hook last ran. */
  readonly marks: HookMarks;
}

/**
 * Keeps the last snapshot of a run on a GPU that `"auto"` has picked. A snapshot is taken when a run begins, and
 * every few seconds. On other devices no snapshot is kept.
 */
export class Fallback {
  readonly #engine: RunEngine;
  readonly #device: EngineDevice;
  #last: Snapshot | undefined;
  #takenAt = 0;

  constructor(engine: RunEngine, device: EngineDevice) {
    this.#engine = engine;
    this.#device = device;
    // A change of the hooks makes the next snapshot due, because steps that are repeated from an older one would run
    // with the new hooks.
    engine.loop.hooks.subscribe(() => void (this.#takenAt = -Infinity));
  }

  /** The last snapshot, or `undefined`. */
  get last(): Snapshot | undefined {
    return this.#last;
  }

  /** Discards the snapshot. */
  clear(): void {
    this.#last = undefined;
  }

  /** Restarts the interval between snapshots at the beginning of a run. */
  begin(): void {
    this.#takenAt = performance.now();
  }

  /** Records that a run can continue from the batch on the host, or from the loaded checkpoint `saved`. */
  keepHome(saved?: SavedRun): void {
    const { loop: { stepCount, hooks } } = this.#engine;
    this.#keep({ step: stepCount, saved, isHome: true, marks: hooks.marks() });
  }

  /**
   * Takes a snapshot between two steps if the last one is too old. Returns a promise in this case, otherwise
   * `undefined`.
   */
  takeIfDue(run: BatchRun): Promise<void> | undefined {
    if (!this.#device.canFallBack) return;
    if (performance.now() - this.#takenAt < 1000 * this.#device.keepSeconds) return;
    return this.take(run, this.#engine.loop.stepCount);
  }

  /** Takes a snapshot of a run after `step` steps, if wasm may replace the device. */
  async take(run: BatchRun, step: number): Promise<void> {
    if (!this.#device.canFallBack) return;
    const { loop: { hooks } } = this.#engine;
    const marks = hooks.marks();
    const saved = await run.snapshot();
    await hooks.soFar;
    hooks.check(); // throws if hooks have not received all earlier results
    if (!run.isOver) this.#keep({ step, saved, isHome: false, marks });
  }

  /** Takes a snapshot whose values the caller copies to the batch on the host. Returns its state. */
  async takeHome(run: BatchRun): Promise<SavedRun> {
    const { loop: { stepCount: step, hooks } } = this.#engine;
    const marks = hooks.marks();
    const saved = await run.snapshot();
    this.#keep({ step, saved, isHome: true, marks });
    return saved;
  }

  #keep(snapshot: Snapshot): void {
    const { reported, running } = this.#engine;
    this.#last = snapshot;
    this.#takenAt = performance.now();
    reported.clear();
    running.stream?.snapshotTaken();
  }
}

/** Returns the warning that a run continues on wasm from a given step. */
export function fallbackWarning(
  cause: BackendUnavailableError,
  step: number,
): BackendUnavailableError {
  const { backend, reason, during, message } = cause;
  return new BackendUnavailableError(
    `${message}. The run continues on wasm, from step ${step}`,
    { backend, reason, during, cause },
  );
}
