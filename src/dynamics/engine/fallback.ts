/**
 * Snapshots from which a run can go on if its device is lost.
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
  /** Steps done. */
  readonly step: number;
  /** The state then; `undefined` if it is that of the batch on the host. */
  readonly saved: SavedRun | undefined;
  /** True if the batch on the host is as of that step, so that later changes on the host count. */
  readonly isHome: boolean;
  /** The steps at which hooks last fired. */
  readonly marks: HookMarks;
}

/**
 * The last snapshot of a run on a GPU that `"auto"` has picked: taken when a run begins, and every few seconds. On
 * other devices nothing is kept.
 */
export class Fallback {
  readonly #engine: RunEngine;
  readonly #device: EngineDevice;
  #last: Snapshot | undefined;
  #takenAt = 0;

  /** Takes no snapshot yet. */
  constructor(engine: RunEngine, device: EngineDevice) {
    this.#engine = engine;
    this.#device = device;
    // Adding or removing a hook is not undone: repeated steps run with the hooks of the first time.
    engine.loop.hooks.subscribe(() => void (this.#takenAt = -Infinity));
  }

  /** The last snapshot, if there is one. */
  get last(): Snapshot | undefined {
    return this.#last;
  }

  /** Forgets the snapshot. */
  clear(): void {
    this.#last = undefined;
  }

  /** Restarts the interval between snapshots at the beginning of a run. */
  begin(): void {
    this.#takenAt = performance.now();
  }

  /** Notes that a run can go on from the batch on the host, or from a loaded checkpoint. */
  keepHome(saved?: SavedRun): void {
    const { loop: { stepCount, hooks } } = this.#engine;
    this.#keep({ step: stepCount, saved, isHome: true, marks: hooks.marks() });
  }

  /** Takes a snapshot between two steps if the last is too old, and returns a promise if so. */
  takeIfDue(run: BatchRun): Promise<void> | undefined {
    if (!this.#device.canFallBack) return;
    if (performance.now() - this.#takenAt < 1000 * this.#device.keepSeconds) return;
    return this.take(run, this.#engine.loop.stepCount);
  }

  /** Takes a snapshot now, if the device may be replaced. */
  async take(run: BatchRun, step: number): Promise<void> {
    if (!this.#device.canFallBack) return;
    const { loop: { hooks } } = this.#engine;
    const marks = hooks.marks();
    const saved = await run.snapshot();
    await hooks.soFar; // hooks have received all that was before
    if (!run.isOver) this.#keep({ step, saved, isHome: false, marks });
  }

  /** Takes a snapshot that is the batch on the host at the same time, and returns it. */
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

/** Returns the warning that a run continues on wasm from a step. */
export function fallbackWarning(
  cause: BackendUnavailableError,
  step: number,
): BackendUnavailableError {
  const { backend, reason, during, message } = cause;
  return new BackendUnavailableError(
    `${message}. The run goes on on wasm, from step ${step}`,
    { backend, reason, during, cause },
  );
}
